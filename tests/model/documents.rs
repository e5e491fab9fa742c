//! Documents lead somewhere: every link within the checkout, and every page of the book.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Markdown files of a folder.
fn documents(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// Lines that are no code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where the links of a text lead to.
fn links(text: &str) -> Vec<String> {
    let targets = prose(text).flat_map(|line| line.split("](").skip(1));
    targets
        .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
        .collect()
}

/// What a link calls a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.collect::<String>().replace(' ', "-")
}

#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    for document in [".", "docs", "rtl", "vcd", "bridge/verilator-sys"]
        .map(documents)
        .concat()
    {
        let text = fs::read_to_string(&document).expect("a document");
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => document.clone(),
                path => document.parent().expect("a folder").join(path),
            };
            assert!(target.exists(), "{}: {link}", document.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).expect("a document");
                let mut headings = prose(&text)
                    .filter(|line| line.starts_with('#'))
                    .map(anchor);
                let found = headings.any(|found| found == heading);
                assert!(found, "{}: {link}", document.display());
            }
        }
    }
    assert!(count > 200, "{count} links");
}

#[test]
fn every_page_is_in_the_book() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the summary");
    let listed: BTreeSet<_> = links(&summary).into_iter().collect();
    let pages = documents("docs").into_iter().map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.into_owned()
    });
    let pages: BTreeSet<_> = pages.filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, pages);
}
