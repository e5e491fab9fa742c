//! `lockstep vcd cut`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::command::{Ran, run};
use crate::corpus::good_files;
use crate::golden::{dumps, golden, golden_in, vcd};
use crate::scratch::scratch;

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

fn cut(arguments: &str) -> Ran {
    run(&mut vcd(&dumps(), &format!("cut {arguments}")))
}

#[test]
fn help() {
    assert_eq!(golden("help_cut", "cut --help").code, 0);
}

#[test]
fn a_part_of_a_dump() {
    let folder = scratch("waves/cut_part");
    fs::copy(dumps().join(HIERARCHY), folder.join("a.vcd")).expect("copied");
    let options = "--signals u_sub.* clk_i count[3:0] --from 50 --to 0.075ns";
    let ran = golden_in(
        "cut_file",
        &folder,
        &format!("cut a.vcd {options} -o cut.vcd"),
    );
    assert_eq!(ran.code, 0);
    let printed = golden_in("cut_printed", &folder, &format!("cut a.vcd {options} -o -"));
    let written = fs::read_to_string(folder.join("cut.vcd")).expect("a dump");
    assert_eq!(printed.stdout, written);
    let scope = "cut a.vcd --scope u_sub gen_lane[*] -o scope.vcd";
    assert_eq!(golden_in("cut_scope", &folder, scope).code, 0);
    golden_in("cut_scope_info", &folder, "info scope.vcd");
    // Nothing else is left.
    let mut left: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    left.retain(|entry| {
        entry
            .as_ref()
            .is_ok_and(|entry| entry.path().extension().is_none())
    });
    assert!(left.is_empty(), "{left:?}");
}

/// All of a dump cut out of it is the dump, in the eyes of `diff`; from VCD and FST, files and pipes.
#[test]
fn all_of_it_is_the_same() {
    let folder = scratch("waves/cut_all");
    let fst =
        ["tricky", "events", "blocks"].map(|name| dumps().join(format!("icarus-11/{name}.fst")));
    for file in good_files().into_iter().chain(fst) {
        let out = folder.join("all.vcd");
        let (file, shown) = (dumps().join(&file), out.display());
        // A dump without times or values has nothing to cut.
        let info = run(&mut vcd(
            &dumps(),
            &format!("info {} --json", file.display()),
        ));
        if info.stdout.contains("\"ticks\": null") {
            continue;
        }
        let ran = cut(&format!("{} -o {shown}", file.display()));
        assert_eq!(ran.code, 0, "{}: {}", file.display(), ran.stderr);
        let diff = run(&mut vcd(
            &dumps(),
            &format!("diff {} {shown} --json", file.display()),
        ));
        assert_eq!(
            diff.code,
            0,
            "{}: {}{}",
            file.display(),
            diff.stdout,
            diff.stderr
        );
        for none in ["only_a", "only_b"] {
            assert!(
                diff.stdout.contains(&format!("\"{none}\": []")),
                "{}",
                diff.stdout
            );
        }
    }
    let mut piped = vcd(&folder, "cut - -o piped.vcd");
    piped.stdin(File::open(dumps().join(HIERARCHY)).expect("a dump"));
    assert_eq!(run(&mut piped).code, 0);
    let diff = format!("diff {} piped.vcd", dumps().join(HIERARCHY).display());
    assert_eq!(run(&mut vcd(&folder, &diff)).code, 0);
}

/// As FST too, but for strings, which become vectors.
#[test]
fn all_of_it_is_the_same_as_fst() {
    let folder = scratch("waves/cut_fst");
    let out = folder.join("all.fst");
    let (mut same, mut others) = (0, Vec::new());
    for file in good_files() {
        let (file, shown) = (file.display(), out.display());
        // A dump without times or values has nothing to cut.
        if cut(&format!("{file} -o {shown}")).code != 0 {
            continue;
        }
        let diff = run(&mut vcd(&dumps(), &format!("diff {file} {shown}")));
        match diff.code {
            0 => same += 1,
            _ => others.push(file.to_string()),
        }
    }
    let has_strings = |file: &String| {
        let text = fs::read(file).expect("a dump");
        String::from_utf8_lossy(&text).contains("$var string")
    };
    assert!(others.iter().all(has_strings), "{others:?}");
    assert!(same >= 60, "{same}");
    let left: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    // Numbers and times are those of the VCD in the eyes of another reader.
    let part = "--signals u_sub.* clk_i --from 50";
    for name in ["part.fst", "part.vcd"] {
        let ran = cut(&format!(
            "{HIERARCHY} {part} -o {}/{name}",
            folder.display()
        ));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    // An FST file of the library begins at 0, with x.
    let values = ["part.fst", "part.vcd"].map(|name| {
        let mut values = by_wellen(&folder.join(name));
        let all = values.values_mut();
        all.for_each(|all| all.retain(|(time, _)| *time >= 50));
        values.into_values().collect::<Vec<_>>()
    });
    assert_eq!(values[0], values[1]);
}

/// By name, the times and values of a variable in the eyes of wellen.
fn by_wellen(path: &Path) -> BTreeMap<String, Vec<(u64, String)>> {
    let mut dump = wellen::simple::read(path).expect("a dump");
    let variables: Vec<_> = dump
        .hierarchy()
        .all_vars()
        .map(|reference| {
            let variable = &dump.hierarchy()[reference];
            let kind = format!(
                "{:?} {:?} {:?}",
                variable.var_type(),
                variable.length(dump.hierarchy()),
                variable.index()
            );
            // wellen keeps the second backslash of an extended identifier of VHDL.
            let full_name = variable.full_name(dump.hierarchy()).replace("\\", "");
            let name = format!("{full_name} {kind}");
            (name, variable.signal_ref())
        })
        .collect();
    let signals: Vec<_> = variables.iter().map(|(_, signal)| *signal).collect();
    dump.load_signals(&signals);
    let times = dump.time_table().to_vec();
    let values = variables.into_iter().map(|(name, signal)| {
        let changes = dump.get_signal(signal).expect("loaded").iter_changes();
        let changes = changes.map(|(index, value)| (times[index as usize], format!("{value:?}")));
        let mut changes: Vec<_> = changes.collect();
        changes.dedup_by(|two, one| one.1 == two.1);
        (name, changes)
    });
    values.collect()
}

/// wellen sees the same names, kinds, ranges and values in a cut as in the dump.
#[test]
fn another_reader_sees_the_same() {
    let folder = scratch("waves/cut_wellen");
    let mut variables = 0;
    for name in [
        HIERARCHY,
        "verilator-5.006/hierarchy.vcd",
        "ghdl-2.0/kinds.vcd",
        "pyvcd-0.5.1/writer.vcd",
    ] {
        let out = folder.join("cut.vcd");
        assert_eq!(
            cut(&format!("{name} -o {}", out.display())).code,
            0,
            "{name}"
        );
        let [whole, cut] = [by_wellen(&dumps().join(name)), by_wellen(&out)];
        assert_eq!(cut, whole, "{name}");
        variables += whole.len();
    }
    assert!(variables > 50, "{variables}");
}

/// At every time of a part, every signal has the value that it has in the whole dump.
#[test]
fn a_part_has_the_values_of_the_whole() {
    let folder = scratch("waves/cut_values");
    let file = dumps().join("icarus-11/tricky.vcd");
    let out = folder.join("part.vcd");
    let ran = cut(&format!(
        "{} --from 55ns --to 200ns -o {}",
        file.display(),
        out.display()
    ));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let show = |path: &Path, at: u64| {
        let arguments = format!(
            "show {} --signals tricky.clk tricky.bus tricky.count tricky.level tricky.driven tricky.wide --at {at}ns \
             --window 0 --csv --changes",
            path.display()
        );
        let shown = run(&mut vcd(&folder, &arguments));
        let row = shown.stdout.lines().nth(1).expect("a row").to_owned();
        // Not what has changed: the first row of a part has none before it.
        row.rsplit_once(',').expect("fields").0.to_owned()
    };
    for at in (60..=200).step_by(10) {
        assert_eq!(show(&file, at), show(&out, at), "{at}");
    }
    let info = run(&mut vcd(&folder, "info part.vcd --json"));
    let ticks = info.stdout.split("\"ticks\"").nth(1).expect("ticks");
    assert!(ticks.starts_with(": [\n    55,\n    200\n"), "{ticks}");
}

/// A signal of no bits beside another one.
const NO_BITS: &str = "$scope module tb $end $var wire 0 ! a $end $var wire 1 b b $end $upscope $end $enddefinitions $end\n\
    #0\nb0 !\n0b\n#5\n1b\nb !\n#8\n";

const HEADER_OF_LONG_NAME: &str = "$scope module NAME $end $var wire 1 a a $end $upscope $end $enddefinitions $end\n#0\n0a\n#5\n1a\n";

#[test]
fn outputs_that_cannot_be() {
    let folder = scratch("waves/cut_refused");
    let whole = fs::read(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("a.vcd"), &whole).expect("written");
    fs::hard_link(folder.join("a.vcd"), folder.join("hard.vcd")).expect("linked");
    symlink("a.vcd", folder.join("soft.vcd")).expect("linked");
    let header = "$var event 1 e ev $end $enddefinitions $end\n";
    fs::write(folder.join("one.vcd"), format!("{header}#0\n1e\n")).expect("written");
    let twice = format!("{header}#0\n1e\n1e\n#5\n");
    fs::write(folder.join("twice.vcd"), twice).expect("written");
    fs::write(folder.join("empty.vcd"), NO_BITS).expect("written");
    let long = HEADER_OF_LONG_NAME.replace("NAME", &"s".repeat(65_536));
    fs::write(folder.join("long.vcd"), long).expect("written");
    for (name, arguments) in [
        ("cut_onto_itself", "a.vcd -o ./a.vcd"),
        ("cut_onto_a_hard_link", "a.vcd -o hard.vcd"),
        ("cut_onto_a_soft_link", "soft.vcd -o a.vcd"),
        ("cut_to_ghw", "a.vcd -o cut.ghw"),
        ("cut_to_gzip", "a.vcd -o cut.vcd.gz"),
        ("cut_to_no_folder", "a.vcd -o none/cut.vcd"),
        ("cut_from_after_the_end", "a.vcd --from 1us -o cut.vcd"),
        ("cut_no_scope", "a.vcd --scope nothing -o cut.vcd"),
        (
            "cut_nothing_in_scope",
            "a.vcd --scope u_sub --signals pulse_o -o cut.vcd",
        ),
        ("cut_no_signal", "a.vcd --signals nothing -o cut.vcd"),
        ("cut_without_output", "a.vcd"),
        ("cut_one_time_to_fst", "one.vcd -o cut.fst"),
        ("cut_two_triggers_at_0_to_fst", "twice.vcd -o cut.fst"),
        ("cut_long_name_to_fst", "long.vcd -o cut.fst"),
        ("cut_no_bits_to_fst", "empty.vcd -o cut.fst"),
    ] {
        let ran = golden_in(name, &folder, &format!("cut {arguments}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
    }
    assert_eq!(fs::read(folder.join("a.vcd")).expect("a dump"), whole);
    let mut left: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    let given = [
        "a.vcd",
        "empty.vcd",
        "hard.vcd",
        "long.vcd",
        "one.vcd",
        "soft.vcd",
        "twice.vcd",
    ];
    assert_eq!(left, given);
}

/// Names that no writer of VCD should have are kept, and signals of no bits.
#[test]
fn odd_declarations_are_kept() {
    let folder = scratch("waves/cut_odd");
    let of = |name: &str, variables: &str| {
        format!(
            "$scope module {name} $end {variables} $upscope $end $enddefinitions $end\n#0\n0!\n1a\n#5\n1!\n#9\n"
        )
    };
    let variables = "$var wire 1 ! a $end $var wire 1 a b $end";
    for (text, ends) in [
        (NO_BITS.to_owned(), &["vcd"][..]),
        (
            of("tb", "$var wire 1 ! a b $end $var wire 1 a a_b $end"),
            &["vcd", "fst"],
        ),
        (of("", variables), &["vcd", "fst"]),
        (of("two words", variables), &["vcd", "fst"]),
    ] {
        fs::write(folder.join("a.vcd"), &text).expect("written");
        for end in ends {
            for arguments in [
                format!("cut a.vcd -o b.{end}"),
                format!("diff a.vcd b.{end}"),
            ] {
                let ran = run(&mut vcd(&folder, &arguments));
                assert_eq!(
                    ran.code, 0,
                    "{text}{arguments}: {}{}",
                    ran.stdout, ran.stderr
                );
                assert!(!ran.stdout.contains("only in"), "{text}{}", ran.stdout);
            }
        }
    }
}

/// What stands on standard input may be the file that is to be written.
#[test]
fn a_dump_on_standard_input_is_not_replaced() {
    let folder = scratch("waves/cut_input");
    let whole = fs::read(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("a.vcd"), &whole).expect("written");
    for arguments in ["cut - --signals clk_i -o a.vcd", "map - -o a.vcd"] {
        let mut command = vcd(&folder, arguments);
        command.stdin(File::open(folder.join("a.vcd")).expect("a dump"));
        let ran = run(&mut command);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.stderr);
    }
    assert_eq!(fs::read(folder.join("a.vcd")).expect("a dump"), whole);
}

/// A link stays where FST is written, and what cannot hold it is refused.
#[test]
fn links_and_devices_stay() {
    let folder = scratch("waves/cut_links");
    fs::copy(dumps().join(HIERARCHY), folder.join("a.vcd")).expect("copied");
    fs::write(folder.join("real.fst"), "").expect("written");
    symlink("real.fst", folder.join("link.fst")).expect("linked");
    symlink("/dev/null", folder.join("null.fst")).expect("linked");
    let ran = run(&mut vcd(&folder, "cut a.vcd -o link.fst"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(folder.join("link.fst").is_symlink());
    assert_eq!(run(&mut vcd(&folder, "diff a.vcd real.fst")).code, 0);
    let ran = run(&mut vcd(&folder, "cut a.vcd -o null.fst"));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(folder.join("null.fst").is_symlink());
}

/// A name that is printed can be asked for, also with a backslash within.
#[test]
fn backslashes_of_names_are_kept() {
    let folder = scratch("waves/cut_backslash");
    let text = "$scope module t $end $var wire 1 ! \\a\\b $end $var wire 1 # c $end $upscope $end $enddefinitions $end\n\
                #0\n0!\n0#\n#5\n1!\n#7\n";
    fs::write(folder.join("a.vcd"), text).expect("written");
    for arguments in [
        r"show a.vcd --signals t.a\b --at 5 --changes",
        r"show a.vcd --signals \a\b --at 5 --changes",
    ] {
        let ran = run(&mut vcd(&folder, arguments));
        assert_eq!(ran.code, 0, "{arguments}: {}", ran.stderr);
    }
    let ran = run(&mut vcd(&folder, r"diff a.vcd a.vcd --ignore t.a\b"));
    assert!(ran.stdout.starts_with("SAME  1 signal "), "{}", ran.stdout);
}

/// Bits that stay bits are one signal to a reader, and text that becomes a vector is told.
#[test]
fn what_was_cut_is_told() {
    let folder = scratch("waves/cut_told");
    let text = "$var wire 1 a q [1] $end $var wire 1 b q [0] $end $var string 1 s s $end $enddefinitions $end\n\
                #0\n0a\n1b\nsab s\n#5\n1a\n";
    fs::write(folder.join("a.vcd"), text).expect("written");
    let cut = |arguments: &str| {
        let ran = run(&mut vcd(&folder, &format!("cut a.vcd {arguments}")));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (ran.stdout, ran.stderr)
    };
    let (summary, note) = cut("--signals q -o q.vcd");
    assert!(
        summary.starts_with("1 signal with 1 name of a.vcd"),
        "{summary}"
    );
    assert_eq!(note, "");
    let (summary, note) = cut("-o all.fst");
    assert!(
        summary.starts_with("2 signals with 2 names of a.vcd"),
        "{summary}"
    );
    assert!(note.contains("`s` is text"), "{note}");
}

#[test]
fn a_damaged_dump_is_cut_up_to_the_fault() {
    let folder = scratch("waves/cut_damaged");
    let whole = fs::read(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("a.vcd"), &whole[..5000]).expect("written");
    let ran = golden_in(
        "cut_damaged",
        &folder,
        "cut a.vcd --signals clk_i -o cut.vcd",
    );
    assert_eq!(ran.code, 2);
    let stats = run(&mut vcd(&folder, "stats cut.vcd --csv"));
    assert_eq!(stats.code, 0, "{}", stats.stderr);
    // Who has enough before the fault never meets it.
    let early = run(&mut vcd(&folder, "cut a.vcd --to 50 -o early.vcd"));
    assert_eq!(early.code, 0, "{}", early.stderr);
}
