//! Signals by their names.

/// A signal that ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(pub i32);

impl Signal {
    /// Its name, such as `SIGSEGV`.
    pub fn name(self) -> String {
        let known = signal_hook::low_level::signal_name(self.0);
        known.map_or_else(|| format!("signal {}", self.0), str::to_owned)
    }

    /// What it stands for, if that is a crash.
    pub fn words(self) -> &'static str {
        match self.name().as_str() {
            "SIGSEGV" => "it used memory that is not its own",
            "SIGBUS" => "it used memory that is not there",
            "SIGFPE" => "it divided by zero, or a number does not fit",
            "SIGILL" => {
                "it came to an instruction that does not exist, such as a trap of the compiler"
            }
            "SIGABRT" => "its C++ code gave up",
            "SIGKILL" | "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT" => {
                "its own code sends it, or sets a limit of its time"
            }
            "SIGXCPU" => "its own code sets a limit of its time",
            _ => "a signal that its own code raises, or a timer of its own",
        }
    }

    /// Whether it tells of a mistake in the code that ran: it is none of those that come from outside, of users, systems and
    /// limits.
    pub fn is_crash(self) -> bool {
        !matches!(
            self.name().as_str(),
            "SIGKILL" | "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT" | "SIGXCPU"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DUT-42: the numbers are those of Linux on x86 and Arm.
    #[test]
    fn crashes_have_names() {
        let names = [4, 6, 7, 8, 11, 64].map(|number| Signal(number).name());
        assert_eq!(
            names,
            [
                "SIGILL",
                "SIGABRT",
                "SIGBUS",
                "SIGFPE",
                "SIGSEGV",
                "signal 64"
            ]
        );
        assert!(Signal(6).is_crash() && !Signal(9).is_crash() && !Signal(15).is_crash());
    }
}
