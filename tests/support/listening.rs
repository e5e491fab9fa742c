//! Commands that listen to Ctrl-C, also where the tests are a job in the background, which starts with it ignored.

use std::process::Command;

/// `plain`, with SIGINT as it is in the foreground.
pub fn listening(plain: &Command) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(plain.get_program());
    command.args(plain.get_args());
    let variables = plain.get_envs();
    command.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    command
}
