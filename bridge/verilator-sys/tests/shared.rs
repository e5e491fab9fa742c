//! Designs compiled and loaded at run time.
#![cfg(feature = "shared")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::thread;

use common::{SIZES, both, build, counter, counts, inputs, rtl, scratch, verilator};
use tempfile::tempdir;
use verilator_sys::shared::{LoadFileError, Told, content_hash, load_file};
use verilator_sys::{CreateError, DutLibrary, PortSizes, StopKind};

fn with_step(step: &str) -> verilator_sys::shared::SharedDutBuild {
    let mut build = build("counter.sv", true);
    build.design.parameters = vec![("Step".to_owned(), step.to_owned())];
    build
}

fn counter_build(cache: &std::path::Path) -> verilator_sys::shared::SharedDutBuild {
    let mut build = build("counter.sv", true);
    build.cache_dir = cache.into();
    build
}

#[test]
fn runs_in_batches() {
    let library = counter();
    assert_eq!(library.sizes(), SIZES);
    assert_eq!(library.top(), "lockstep_dut");
    assert_eq!(library.verilator_version(), verilator().version.to_string());
    let mut dut = library.create_traced().expect("created");
    let mut outputs = vec![0; 3 * SIZES.output];
    dut.run(&inputs(&[1, 2, 3]), &mut outputs).expect("goes on");
    assert_eq!(counts(&outputs), [1, 3, 6]);
    dut.run(&inputs(&[4]), &mut outputs[..SIZES.output])
        .expect("goes on");
    assert_eq!(counts(&outputs), [10, 3, 6]);
    dut.run(&[], &mut []).expect("nothing to do");
    assert_eq!(dut.cycles(), 4);
}

#[test]
fn a_bare_run_clocks_the_same_design() {
    for mut dut in both() {
        assert_eq!(dut.run_bare(&inputs(&[1, 2, 3])), 3);
        let mut output = vec![0; SIZES.output];
        dut.run(&inputs(&[4]), &mut output).expect("goes on");
        assert_eq!((counts(&output), dut.cycles()), (vec![10], 4));
        assert_eq!(dut.run_bare(&inputs(&[1, common::FATAL, 1])), 1);
        assert_eq!(dut.stop().map(|stop| stop.kind), Some(StopKind::Fatal));
        assert_eq!(dut.run_bare(&inputs(&[1])), 0);
    }
}

/// Objects that a design lets go are freed by `eval()`, which is not called in every cycle.
#[test]
fn objects_of_classes_are_freed() {
    let mut dut = build("objects.sv", false)
        .load(verilator())
        .expect("built")
        .create()
        .expect("created");
    let cycles = 256;
    let mut outputs = vec![0; cycles * SIZES.output];
    let resident = || {
        let statm = fs::read_to_string("/proc/self/statm").expect("Linux");
        let pages = statm.split(' ').nth(1).and_then(|word| word.parse().ok());
        pages.unwrap_or(0) * 4096_usize
    };
    let mut run = |times: usize| {
        for _ in 0..times {
            dut.run(&inputs(&vec![1; cycles]), &mut outputs)
                .expect("goes on");
        }
        resident()
    };
    let before = run(10);
    // Each cycle lets go of a kilobyte.
    let after = run(200);
    assert_eq!(counts(&outputs)[cycles - 1] as usize, 210 * cycles);
    assert!(after < before + (16 << 20), "{before} {after}");
}

#[test]
fn ports_of_plain_integers() {
    let mut build = build("narrow.sv", false);
    build.sizes = PortSizes {
        input: 8,
        output: 4,
        parameters: 1,
    };
    let mut dut = build
        .load(verilator())
        .expect("built")
        .create()
        .expect("created");
    assert_eq!(dut.parameters(), [0x5a]);
    let inputs: Vec<u8> = [1, u64::MAX, 5 << 32 | 6].map(u64::to_le_bytes).concat();
    let mut outputs = vec![0; 12];
    dut.run(&inputs, &mut outputs).expect("goes on");
    assert_eq!(outputs, [1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 11, 0, 0, 0]);
    // In nanoseconds whatever the source's time scale, and the same number in every run.
    let first = dut.take_log();
    assert!(first.starts_with("at 10 on "), "{first}");
    let mut again = build
        .load(verilator())
        .expect("built")
        .create()
        .expect("created");
    again.run(&inputs, &mut outputs).expect("goes on");
    assert_eq!(again.take_log(), first);
}

#[test]
fn instances_do_not_share_state() {
    let library = counter();
    let mut first = library.create_traced().expect("created");
    let mut second = library.create_traced().expect("created");
    let mut output = vec![0; SIZES.output];
    first.run(&inputs(&[5]), &mut output).expect("goes on");
    first
        .run(&inputs(&[common::STOP]), &mut output)
        .expect_err("stops");
    second.run(&inputs(&[1]), &mut output).expect("goes on");
    assert_eq!(counts(&output), [1]);
}

#[test]
fn parameters_belong_to_the_design() {
    let (three, five) = (with_step("3"), with_step("5"));
    let (three, five) = (three.load(verilator()), five.load(verilator()));
    let mut three = three.expect("built").create_traced().expect("created");
    let mut five = five.expect("built").create_traced().expect("created");
    let mut output = vec![0; SIZES.output];
    three.run(&inputs(&[2]), &mut output).expect("goes on");
    assert_eq!(counts(&output), [6]);
    five.run(&inputs(&[2]), &mut output).expect("goes on");
    assert_eq!(counts(&output), [10]);
    assert_eq!(three.parameters(), [3, 0, 0, 0]);
    assert_eq!(five.parameters(), [5, 0, 0, 0]);
}

#[test]
fn a_stop_in_an_initial_block_is_told_by_create() {
    let library = with_step("101").load(verilator()).expect("built");
    let error = library.create_traced().expect_err("stopped");
    let CreateError::Stopped { stop, printed } = error else {
        panic!("{error}")
    };
    assert!(printed.contains("Step 101 is above MaxStep"), "{printed}");
    assert_eq!(stop.kind, StopKind::Fatal);
    assert_eq!(stop.message, "Step 101 is above MaxStep");
    assert_eq!((stop.cycle, stop.time_ns), (0, 0));
}

#[test]
fn a_variant_that_was_not_built() {
    let error = counter().create().expect_err("built with tracing only");
    assert_eq!(
        error.to_string(),
        "[DUT library] expected design `lockstep_dut` to be built without tracing, found the other \
         variant only"
    );
}

#[test]
fn an_unchanged_design_comes_from_the_cache() {
    let first = with_step("3").build(verilator()).expect("built");
    let again = with_step("3").build(verilator()).expect("built");
    assert!(again.cached);
    assert_eq!(first.path, again.path);
}

#[test]
fn a_design_is_built_once_wherever_it_lies_and_however_its_path_is_written() {
    let first = counter_build(&scratch().join("cache")).build(verilator());
    let first = first.expect("built");
    let folder = tempdir().expect("created");
    let copy = folder.path().join("a $(b) \"c\"\nd");
    fs::create_dir(&copy).expect("created");
    fs::copy(rtl("counter.sv"), copy.join("counter.sv")).expect("copied");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&copy, &link).expect("linked");
    for path in [
        rtl("include/../counter.sv"),
        fs::canonicalize(rtl("counter.sv")).expect("there"),
        copy.join("counter.sv"),
        link.join("counter.sv"),
    ] {
        let mut build = counter_build(&scratch().join("cache"));
        build.design.sources = vec![path.clone()];
        let built = build.build(verilator()).expect("built");
        assert!(built.cached, "{}", path.display());
        assert_eq!(
            (built.path, built.hash),
            (first.path.clone(), first.hash.clone())
        );
        let source = fs::canonicalize(&path).expect("there");
        assert_eq!(built.sources[0].path, source);
    }
}

/// Names of files below the folder that all have in common are Verilator's matter.
#[test]
fn a_path_that_verilator_cannot_take() {
    let folder = tempdir().expect("created");
    for name in ["a$b.sv", "a\"b.sv", "a\nb.sv"] {
        let path = folder.path().join(name);
        fs::copy(rtl("counter.sv"), &path).expect("copied");
        let mut build = build("counter.sv", false);
        build.design.sources = vec![path.clone()];
        let error = build.build(verilator()).expect_err("refused").to_string();
        let expected = format!("found {path:?}: rename the file or folder");
        assert!(
            error.starts_with("[verilator] expected a path that Verilator can take"),
            "{error}"
        );
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn a_damaged_entry_is_built_again() {
    let folder = tempdir().expect("created");
    let mut build = build("narrow.sv", false);
    build.sizes = PortSizes {
        input: 8,
        output: 4,
        parameters: 1,
    };
    build.cache_dir = folder.path().into();
    let first = build.build(verilator()).expect("built");
    let mut bytes = fs::read(&first.path).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&first.path, bytes).expect("written");
    // One of the objects that it was linked of, too.
    let objects = fs::read_dir(folder.path().join("run_time")).expect("objects");
    let object = objects
        .map(|entry| entry.expect("read").path())
        .min()
        .expect("some");
    fs::write(&object, "text").expect("written");

    let mut told = Vec::new();
    let again = build.build_telling(verilator(), &mut |event| told.push(event));
    let again = again.expect("built");
    let [Told::Damage(damage), Told::Building] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(damage.found, "dut.so was changed");
    assert!(!again.cached);
    assert_eq!(content_hash(&again.path).expect("read"), again.hash);
    again.load().expect("loaded").create().expect("created");
    assert_ne!(fs::read(&object).unwrap_or_default(), b"text");
    assert!(build.build(verilator()).expect("built").cached);
}

#[test]
fn warnings_are_kept_with_the_library() {
    let folder = tempdir().expect("created");
    let mut build = build("warning.sv", false);
    build.cache_dir = folder.path().into();
    for cached in [false, true] {
        let built = build.build(verilator()).expect("built");
        assert_eq!(built.cached, cached);
        assert!(
            built.warnings.starts_with("%Warning-WIDTH"),
            "{}",
            built.warnings
        );
        let file = built.warnings_file.expect("a file");
        let kept = fs::read_to_string(file).expect("readable");
        assert_eq!(
            kept.replace("warning.sv:", "tests/rtl/warning.sv:"),
            built.warnings + "\n"
        );
    }
    let quiet = counter_build(folder.path()).build(verilator());
    assert_eq!(quiet.expect("built").warnings_file, None);
}

#[test]
fn whatever_changes_the_design_changes_the_library() {
    let folder = tempdir().expect("created");
    let source = folder.path().join("including.sv");
    let included = folder.path().join("amount.svh");
    fs::copy(rtl("including.sv"), &source).expect("copied");
    fs::copy(rtl("include/amount.svh"), &included).expect("copied");
    let mut build = build("including.sv", false);
    build.design.sources = vec![source.clone()];
    build.design.include_dirs = vec![folder.path().to_owned()];
    // One of contents has the same name wherever it lies, and an earlier run of the tests may have left it.
    build.cache_dir = folder.path().join("cache");

    let amount = || -> (u8, bool) {
        let built = build.build(verilator()).expect("built");
        let dut = build
            .load(verilator())
            .expect("built")
            .create()
            .expect("created");
        (dut.parameters()[0], built.cached)
    };
    assert_eq!(amount(), (10, false));
    fs::write(&included, "localparam int unsigned Amount = 20;\n").expect("written");
    assert_eq!(amount(), (20, false));
    let text = fs::read_to_string(&source)
        .expect("read")
        .replace("= Amount;", "= Amount + 1;");
    fs::write(&source, text).expect("written");
    assert_eq!(amount(), (21, false));
    assert_eq!(amount(), (21, true));
}

#[test]
fn a_file_that_takes_the_place_of_another_changes_the_library() {
    let folder = tempdir().expect("created");
    let mut build = build("including.sv", false);
    build.design.include_dirs = vec![folder.path().to_owned(), rtl("include")];
    let amount = || -> (u8, bool) {
        let built = build.build(verilator()).expect("built");
        let dut = built.load().expect("loaded").create().expect("created");
        (dut.parameters()[0], built.cached)
    };
    assert_eq!(amount(), (10, false));
    assert_eq!(amount(), (10, true));
    let text = "localparam int unsigned Amount = 30;\n";
    fs::write(folder.path().join("amount.svh"), text).expect("written");
    assert_eq!(amount(), (30, false));
}

#[test]
fn only_the_file_that_was_built_is_loaded() {
    let folder = tempdir().expect("created");
    let path = folder.path().join("dut.so");
    let built = build("counter.sv", true).build(verilator()).expect("built");
    fs::copy(&built.path, &path).expect("copied");
    let hash = content_hash(&path).expect("read");
    load_file(&path, &hash).expect("loaded");
    let mut bytes = fs::read(&path).expect("read");
    *bytes.last_mut().expect("not empty") ^= 1;
    fs::remove_file(&path).expect("removed");
    let missing = load_file(&path, &hash).expect_err("not there").to_string();
    let start = format!(
        "[DUT library] expected a library at {}, found: ",
        path.display()
    );
    assert!(missing.starts_with(&start), "{missing}");
    fs::write(&path, bytes).expect("written");
    let error = load_file(&path, &hash).expect_err("changed");
    assert!(matches!(error, LoadFileError::Changed { .. }), "{error}");
}

#[test]
fn sources_are_those_of_the_design_alone() {
    let mut build = build("including.sv", false);
    build.design.include_dirs = vec![rtl("include")];
    let built = build.build(verilator()).expect("built");
    let mut names: Vec<_> = built
        .sources
        .iter()
        .filter_map(|file| file.path.file_name()?.to_str())
        .collect();
    names.sort();
    assert_eq!(names, ["amount.svh", "including.sv"]);
    for file in &built.sources {
        assert_eq!(content_hash(&file.path).expect("read"), file.hash);
    }
}

#[test]
fn builds_once_when_several_ask_at_once() {
    let folder = tempdir().expect("created");
    let mut build = build("including.sv", false);
    build.design.include_dirs = vec![rtl("include")];
    build.cache_dir = folder.path().to_owned();
    let built: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| build.build(verilator())))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic").expect("built"))
            .collect()
    });
    assert_eq!(built.iter().filter(|built| !built.cached).count(), 1);
    let left = fs::read_dir(folder.path()).expect("read");
    let left: Vec<PathBuf> = left.map(|entry| entry.expect("read").path()).collect();
    assert!(
        left.iter()
            .all(|path| !path.to_string_lossy().contains("scratch")),
        "{left:?}"
    );
}

#[test]
fn different_designs_share_the_run_time_when_built_at_once() {
    let folder = tempdir().expect("created");
    let builds = ["counter.sv", "including.sv"].map(|name| {
        let mut build = build(name, false);
        build.design.include_dirs = vec![rtl("include")];
        build.cache_dir = folder.path().to_owned();
        build
    });
    thread::scope(|scope| {
        let threads: Vec<_> = builds
            .iter()
            .map(|build| scope.spawn(|| build.build(verilator())))
            .collect();
        for thread in threads {
            thread.join().expect("no panic").expect("built");
        }
    });
}

#[test]
fn a_missing_port() {
    let error = build("ports.sv", false)
        .build(verilator())
        .expect_err("no port");
    assert_eq!(
        error.to_string(),
        "expected output port `parameters_o` of module `lockstep_dut`, found none: \
         wrap the design in a module with the ports of the DUT contract"
    );
}

#[test]
fn a_port_of_another_width() {
    let mut build = build("counter.sv", false);
    build.sizes.input = 144;
    assert_eq!(
        build
            .build(verilator())
            .expect_err("other width")
            .to_string(),
        "expected 1152 bits of port `cycle_input_i` of module `lockstep_dut`, found 96: \
         the design implements another layout of the DUT contract"
    );
}

#[test]
fn a_function_that_nothing_defines_fails_the_build() {
    let error = build("undefined_function.sv", false)
        .build(verilator())
        .expect_err("no function");
    let text = error.to_string();
    assert!(text.starts_with("[C++] expected "), "{text}");
    assert!(text.contains("nobody_defines_this"), "{text}");
}

#[test]
fn a_file_that_is_no_library() {
    let path = scratch().join("no-library.so");
    fs::write(&path, "text").expect("written");
    // SAFETY: a text file has no code that could run.
    let error = unsafe { DutLibrary::load(&path) }.expect_err("no library");
    let text = error.to_string();
    let start = format!(
        "[DUT library] expected a loadable shared library at {}, found: ",
        path.display()
    );
    assert!(text.starts_with(&start), "{text}");
}

#[test]
fn a_library_of_something_else() {
    // SAFETY: the C library is loaded already.
    let error = unsafe { DutLibrary::load("libc.so.6".as_ref()) }.expect_err("not a design");
    assert_eq!(
        error.to_string(),
        "[DUT library] expected interface version 3 in libc.so.6, found 0: build the design again"
    );
}
