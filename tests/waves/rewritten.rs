//! `lockstep vcd diff` of dumps that say the same in other words, and of dumps that differ in one change.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Ran, run};
use crate::corpus::good_files;
use crate::golden::vcd;
use crate::rewrite::{Random, Words};
use crate::scratch::scratch;

/// Planted changes.
const CHANGES: usize = 500;

fn diff(folder: &Path, one: &Path, two: &Path) -> Ran {
    run(&mut vcd(
        folder,
        &format!("diff {} {}", one.display(), two.display()),
    ))
}

/// The dumps that a rewriter of words can take apart.
fn dumps() -> Vec<(PathBuf, Words)> {
    let files = good_files().into_iter();
    let words = |file: PathBuf| {
        let bytes = fs::read(&file).expect("a dump");
        // What is not UTF-8 is ISO 8859-1.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|text| text.into_bytes().into_iter().map(char::from).collect());
        let words = Words::new(text.trim_start_matches('\u{feff}'));
        (file, words)
    };
    files.map(words).collect()
}

#[test]
fn a_dump_is_the_same_in_other_words() {
    let folder = scratch("waves/rewritten");
    let mut random = Random::new(1);
    let mut as_fst = 0;
    for (file, words) in dumps() {
        let rewritten = [
            ("words", words.clone()),
            ("codes", words.clone().with_other_codes(&mut random)),
            ("order", words.clone().in_another_order(&mut random)),
            ("bits", words.clone().in_bits(true)),
            ("close_bits", words.clone().in_bits(false)),
            (
                "all",
                words
                    .in_bits(random.below(2) == 0)
                    .with_other_codes(&mut random)
                    .in_another_order(&mut random),
            ),
        ];
        for (how, words) in rewritten {
            let new = folder.join(format!("{how}.vcd"));
            let text = words.text();
            fs::write(&new, &text).expect("written");
            let mut forms = vec![new];
            // FST has no strings, and a file without times has nothing to write. What was in bits there has lost which end is
            // the left one.
            if how == "order" && !text.contains("$var string") && text.contains("\n#") {
                let fst = folder.join("order.fst");
                let cut = format!("cut {} -o {}", forms[0].display(), fst.display());
                assert_eq!(run(&mut vcd(&folder, &cut)).code, 0, "{file:?}");
                forms.push(fst);
                as_fst += 1;
            }
            for new in forms {
                for [one, two] in [[&file, &new], [&new, &file]] {
                    let ran = diff(&folder, one, two);
                    let told = format!("{file:?} {how} {new:?}: {}{}", ran.stdout, ran.stderr);
                    assert_eq!(ran.code, 0, "{told}");
                    assert!(ran.stdout.starts_with("SAME"), "{told}");
                    // The library ends a name at a blank.
                    let names_end = new.extension().is_some_and(|it| it == "fst");
                    let whole = names_end || !ran.stdout.contains("only in");
                    assert!(whole, "{told}");
                }
            }
        }
    }
    assert!(as_fst > 50, "{as_fst}");
}

#[test]
fn a_ghw_dump_is_the_same_as_its_vcd_in_other_words() {
    let folder = scratch("waves/rewritten_ghw");
    let mut random = Random::new(3);
    for name in ["bus", "fifo", "kinds", "tree"] {
        for version in ["2.0", "5.0"] {
            let dump = crate::golden::dumps().join(format!("ghdl-{version}/{name}"));
            let (text, ghw) = (dump.with_extension("vcd"), dump.with_extension("ghw"));
            let words = Words::new(&fs::read_to_string(text).expect("a dump"));
            let words = words
                .in_bits(random.below(2) == 0)
                .with_other_codes(&mut random)
                .in_another_order(&mut random);
            let new = folder.join("new.vcd");
            fs::write(&new, words.text()).expect("written");
            let ran = diff(&folder, &new, &ghw);
            let told = format!("{ghw:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, 0, "{told}");
            assert!(ran.stdout.starts_with("SAME"), "{told}");
            assert!(!ran.stdout.contains("only in A"), "{told}");
        }
    }
}

#[test]
fn one_change_is_a_difference() {
    let folder = scratch("waves/planted");
    let mut random = Random::new(2);
    let dumps = dumps();
    let [one, two] = ["one", "two"].map(|name| folder.join(format!("{name}.vcd")));
    let (mut planted, mut of_events, mut of_bits) = (0, 0, 0);
    while planted < CHANGES {
        let (file, words) = &dumps[random.below(dumps.len())];
        let in_bits = random.below(2) == 1;
        let words = match in_bits {
            false => words.clone(),
            true => words.clone().in_bits(true),
        };
        let Some((changed, kind)) = words.clone().with_a_change(&mut random) else {
            continue;
        };
        planted += 1;
        of_events += usize::from(kind == "event");
        of_bits += usize::from(in_bits && kind != "event");
        fs::write(&one, words.text()).expect("written");
        let changed = match random.below(2) {
            0 => changed,
            _ => changed.with_other_codes(&mut random),
        };
        fs::write(&two, changed.text()).expect("written");
        let ran = diff(&folder, &one, &two);
        let told = format!("{file:?}, change {planted}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 1, "{told}");
        assert!(ran.stdout.starts_with("DIFFERENT"), "{told}");
    }
    assert!(of_events >= 10 && of_bits >= 100, "{of_events} {of_bits}");
}

#[test]
fn every_form_of_a_dump_is_the_same() {
    let folder = crate::golden::dumps().join("split");
    for form in ["questa", "vcs", "riviera", "gtkwave", "pieces", "mixed"] {
        let ran = diff(
            &folder,
            Path::new("whole.vcd"),
            Path::new(&format!("{form}.vcd")),
        );
        assert!(
            ran.stdout.starts_with("SAME  9 signals at 40 times"),
            "{form}: {}",
            ran.stdout
        );
    }
}
