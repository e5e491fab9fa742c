//! `lockstep bisect`.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use clap::Args;
use serde_json::Value;

use super::args::RtlArgs;
use crate::cli::output;
use crate::lockstep::Verdict;
use crate::regress::capsule::{self, Capsule};
use crate::regress::signature::Signature;
use crate::scratch::ScratchFolder;

/// Arguments of `bisect`.
#[derive(Args)]
pub struct BisectArgs {
    /// The capsule of a failure
    #[arg(value_name = "CAPSULE")]
    capsule: PathBuf,
    #[command(flatten)]
    rtl: RtlArgs,
    /// What makes the design: a command, run before; where it fails, the failure cannot be told
    #[arg(last = true, value_name = "BUILD")]
    build: Vec<String>,
}

/// Tells whether a design has the failure of a capsule: agreement (0) without it, divergence (1) with it.
pub(super) fn bisect(args: &BisectArgs) -> Verdict {
    match told(args) {
        Ok(verdict) => verdict,
        Err(why) => {
            output::tell(&format!("lockstep: it cannot be told: {why}\n"));
            Verdict::Untold
        }
    }
}

/// # Errors
/// Why it cannot be told.
fn told(args: &BisectArgs) -> Result<Verdict, String> {
    let capsule = capsule::manifest(&args.capsule).map_err(|error| error.to_string())?;
    if let Some((program, words)) = args.build.split_first() {
        let built = Command::new(program).args(words).status();
        let built = built.map_err(|error| format!("{program}: cannot be started: {error}"))?;
        if !built.success() {
            return Err(format!("{program}: {built}"));
        }
    }
    let scratch = ScratchFolder::new().map_err(|error| error.to_string())?;
    let ended = replayed(args, &scratch).map_err(|error| error.to_string())?;
    if ended.status.code() == Some(i32::from(Verdict::Interrupted.exit_code())) {
        return Ok(Verdict::Interrupted);
    }
    let found: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    let verdict: Option<Verdict> = serde_json::from_value(found["verdict"].clone()).ok();
    match verdict {
        Some(Verdict::Agree | Verdict::UnusedWaiver) => {
            output::tell("lockstep: the failure of the capsule is gone\n");
            Ok(Verdict::Agree)
        }
        Some(verdict) if is_it(&capsule, verdict, &found) => {
            output::tell("lockstep: the failure of the capsule is there\n");
            Ok(Verdict::Divergence)
        }
        Some(verdict) if verdict.is_finding() => {
            Err("the design fails, and not as in the capsule".into())
        }
        _ => Err(format!("the replay ended with {}", ended.status)),
    }
}

/// Replays the capsule in a process of its own.
fn replayed(args: &BisectArgs, scratch: &ScratchFolder) -> std::io::Result<Output> {
    let mut command = Command::new(env::current_exe()?);
    command
        .arg("replay")
        .arg(&args.capsule)
        .args(args.rtl.words())
        .arg("--out")
        .arg(scratch.path().join("out"))
        .arg("--json")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    command.output()
}

/// Whether a failure is that of the capsule: in its place, or of its kind.
fn is_it(capsule: &Capsule, verdict: Verdict, found: &Value) -> bool {
    let end = &capsule.end;
    if verdict != end.verdict {
        return false;
    }
    let report = &found["divergence"];
    if !report.is_object() {
        // How it ended is its kind.
        return true;
    }
    let is_there = report["headline"]["field"].as_str() == end.field.as_deref()
        && report["cycle"].as_u64() == capsule.cycle();
    is_there || Signature::of_run(&capsule.design.name, found) == capsule.signature
}
