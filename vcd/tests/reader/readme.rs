//! What README.md says of the package is what Cargo.toml says.

const README: &str = include_str!("../../README.md");
const MANIFEST: &str = include_str!("../../Cargo.toml");

#[test]
fn the_readme_names_the_oldest_rust() {
    let rust = concat!("Rust ", env!("CARGO_PKG_RUST_VERSION"), " or later");
    assert!(README.contains(rust), "{rust}");
}

#[test]
fn the_readme_has_a_row_for_each_feature() {
    let features = |text: &'static str, from: &str, to: &str| {
        let (_, after) = text.split_once(from).expect("the start of the features");
        let (features, _) = after.split_once(to).expect("their end");
        features.lines()
    };
    let of_manifest: Vec<_> = features(MANIFEST, "[features]\n", "\n[")
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .collect();
    let of_readme: Vec<_> = features(README, "## Features\n", "\n## ")
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0))
        .collect();
    assert_eq!(of_readme, of_manifest);
}
