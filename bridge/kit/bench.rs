//! A test bench for other simulators.

use std::path::Path;

/// The files of a bench that plays stimulus into the wrapper module `top` with these parameters, by their names. The
/// design is that of `filelist`, of the implementation in `implementation`, both from the folder of the bench.
pub fn bench(
    top: &str,
    parameters: &[(String, String)],
    filelist: &Path,
    implementation: Option<&Path>,
) -> [(&'static str, String); 3] {
    let implementation = implementation.map(|path| path.display().to_string());
    let parameters = match parameters {
        [] => String::new(),
        _ => {
            let lines = parameters.iter();
            let lines: Vec<_> = lines
                .map(|(name, value)| format!("\n    .{name}({value})"))
                .collect();
            format!("#({}\n  ) ", lines.join(","))
        }
    };
    let fill = |text: &str| {
        text.replace("@TOP@", top)
            .replace("@PARAMETERS@", &parameters)
            .replace("@FILELIST@", &filelist.display().to_string())
            .replace(
                "@IMPLEMENTATION@",
                implementation.as_deref().unwrap_or_default(),
            )
    };
    [
        ("bench.sv", fill(include_str!("bench/bench.sv"))),
        ("map.toml", fill(include_str!("bench/map.toml"))),
        ("Makefile", fill(include_str!("bench/Makefile"))),
    ]
}
