//! Prints where Verilator is, as assignments for `env`: `find TOOLS_DIR`. Fetches it if there is none.

use std::process::ExitCode;

use verilator_sys::find::Search;

fn main() -> ExitCode {
    let tools = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| ".tools".into());
    match Search::from_env(tools).find() {
        Ok(verilator) => {
            let absolute = |path: &std::path::Path| {
                std::path::absolute(path)
                    .unwrap_or_else(|_| path.into())
                    .display()
                    .to_string()
            };
            println!("VERILATOR={}", absolute(&verilator.bin));
            println!("VERILATOR_ROOT={}", absolute(&verilator.root));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(5)
        }
    }
}
