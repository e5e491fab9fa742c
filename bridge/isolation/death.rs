//! How a process died.

use super::Facts;
use super::black_box::{Activity, Seen, at_work};

/// A signal that ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(pub i32);

impl Signal {
    /// Its name, such as `SIGSEGV`.
    pub fn name(self) -> String {
        use rustix::process::Signal;
        let names = [
            (Signal::SEGV, "SIGSEGV"),
            (Signal::BUS, "SIGBUS"),
            (Signal::FPE, "SIGFPE"),
            (Signal::ILL, "SIGILL"),
            (Signal::ABORT, "SIGABRT"),
            (Signal::TRAP, "SIGTRAP"),
            (Signal::SYS, "SIGSYS"),
            (Signal::KILL, "SIGKILL"),
            (Signal::INT, "SIGINT"),
            (Signal::TERM, "SIGTERM"),
            (Signal::HUP, "SIGHUP"),
            (Signal::QUIT, "SIGQUIT"),
            (Signal::XCPU, "SIGXCPU"),
        ];
        let named = names.iter().find(|(signal, _)| signal.as_raw() == self.0);
        named.map_or_else(|| format!("signal {}", self.0), |(_, name)| (*name).into())
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
            _ => "it was ended by a signal",
        }
    }

    /// Whether it is somebody's wish that the process ends.
    pub fn is_interrupt(self) -> bool {
        matches!(
            self.name().as_str(),
            "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT"
        )
    }

    /// Whether it tells of a mistake in the code that ran.
    pub fn is_crash(self) -> bool {
        matches!(
            self.name().as_str(),
            "SIGSEGV" | "SIGBUS" | "SIGFPE" | "SIGILL" | "SIGABRT" | "SIGTRAP" | "SIGSYS"
        )
    }
}

/// The end of a process by a signal.
#[derive(Clone, Debug)]
pub struct Death {
    /// The signal.
    pub signal: Signal,
    /// What its designs were doing.
    pub designs: Vec<Seen>,
    /// What was known of the run.
    pub facts: Facts,
    /// What its designs printed before, if the command has no folder for that.
    pub kept: Vec<u8>,
    /// The end of what it wrote to standard error, where that is not a terminal.
    pub stderr: String,
}

impl Death {
    /// The cycle in which it crashed, if it ran one.
    pub fn cycle(&self) -> Option<u64> {
        let mut running = self
            .designs
            .iter()
            .filter(|design| design.activity == Activity::Run);
        running.next().map(|design| design.cycles)
    }

    /// The first or the second of two designs, 0 or 1, if one of them was at work.
    pub fn side(&self) -> Option<usize> {
        self.facts.side(at_work(&self.designs)?)
    }

    /// The end of what its designs printed, as far as it was not in the file of the run yet.
    pub fn printed(&self) -> Vec<u8> {
        let texts = self.designs.iter().map(|design| design.printed.as_slice());
        let texts: Vec<_> = std::iter::once(self.kept.as_slice()).chain(texts).collect();
        texts.concat()
    }

    /// The crash in words.
    pub fn words(&self) -> String {
        let name = self.signal.name();
        let activity = at_work(&self.designs).map(|design| design.activity);
        let when = match (self.cycle(), activity) {
            (Some(cycle), _) => format!(" in cycle {cycle}"),
            (None, Some(Activity::Create)) => " while it was made, before the first cycle".into(),
            (None, Some(Activity::Finish)) => {
                " while it was taken down, after the last cycle".into()
            }
            (None, _) => " while none of its code ran: it may have damaged memory before".into(),
        };
        format!(
            "the design crashed: {name} ({}){when}{}",
            self.signal.words(),
            self.facts.during()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn death(signal: i32, designs: &[(Activity, u64)]) -> Death {
        Death {
            signal: Signal(signal),
            designs: designs
                .iter()
                .enumerate()
                .map(|(slot, &(activity, cycles))| Seen {
                    slot,
                    activity,
                    cycles,
                    printed: Vec::new(),
                })
                .collect(),
            facts: Facts::default(),
            kept: Vec::new(),
            stderr: String::new(),
        }
    }

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
        assert!(Signal(15).is_interrupt() && !Signal(11).is_interrupt());
        assert!(Signal(6).is_crash() && !Signal(9).is_crash() && !Signal(15).is_crash());
    }

    #[test]
    fn words_tell_what_the_design_was_doing() {
        let run = death(11, &[(Activity::Run, 2500)]);
        assert_eq!(run.cycle(), Some(2500));
        assert!(run.words().ends_with("in cycle 2500"), "{}", run.words());
        let make = death(6, &[(Activity::Create, 0)]);
        assert_eq!(make.cycle(), None);
        assert!(make.words().contains("while it was made"));
        assert!(death(6, &[]).words().contains("none of its code ran"));
    }

    #[test]
    fn of_two_designs_the_one_at_work_is_named() {
        let mut second = death(11, &[(Activity::Idle, 7), (Activity::Run, 7)]);
        assert_eq!(second.side(), None);
        second.facts.is_pair = true;
        assert_eq!(second.side(), Some(1));
        // Those of a re-run, beside the first two.
        second.designs[1].activity = Activity::Idle;
        assert_eq!(second.side(), None);
        second.designs[1].activity = Activity::Create;
        second.designs[1].slot = 2;
        assert_eq!(second.side(), Some(0));
    }
}
