//! The cycles around a divergence as signals: what the model expected and what the design showed, side by side.
//!
//! [`Waves`] is made once; the waveform of the HTML report draws it, [`merge`] puts it into the design's dump, and
//! [`gtkwave`] and [`surfer`] name the part of it that matters to a viewer, and [`wcp`] shows it in one that is running.

mod collect;
pub mod gtkwave;
pub mod merge;
pub mod surfer;
pub mod wcp;

pub use collect::collect;

/// Ticks of a dump in a cycle: cycle *k* begins with the rising edge at 10 *k*.
pub const CYCLE_TICKS: u64 = 10;

/// The signals of a window.
#[derive(Clone, Debug, Default)]
pub struct Waves {
    /// Number of the first cycle.
    pub first: u64,
    /// Number of the cycle in which the difference shows.
    pub divergent: u64,
    /// Number of the cycle whose outputs differ in it: an earlier one of a design with a latency.
    pub about: u64,
    /// How much later than its cycle each output is, in words; empty for a design that shows all of them in it.
    pub delays: String,
    /// Ticks at which the cycles begin in the dump, and that after the last one; empty where that is at multiples of
    /// [`CYCLE_TICKS`].
    pub times: Vec<u64>,
    /// Every signal.
    pub signals: Vec<Signal>,
    /// Those that a person wants to see first.
    pub groups: Vec<Group>,
}

/// Signals that are shown together.
#[derive(Clone, Debug)]
pub struct Group {
    /// What they are about.
    pub title: String,
    /// Indices into [`Waves::signals`].
    pub signals: Vec<usize>,
}

/// Whose value a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The stimulus, or a mark: neither model nor design.
    Common,
    /// The model's.
    Expected,
    /// The design's.
    Rtl,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One bit, drawn as a line.
    Bit,
    /// A decimal number of so many bits.
    Decimal(u32),
    /// A hexadecimal number of so many bits.
    Hexadecimal(u32),
    /// Words.
    Words,
}

impl Form {
    /// Bits of a number; words have none.
    pub fn width(self) -> Option<u32> {
        match self {
            Self::Bit => Some(1),
            Self::Decimal(width) | Self::Hexadecimal(width) => Some(width),
            Self::Words => None,
        }
    }
}

/// A signal.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Scopes that it is in, outermost first.
    pub scope: Vec<String>,
    /// Name in its scope.
    pub name: String,
    /// Name in reports.
    pub label: String,
    /// Whose value it is.
    pub side: Side,
    /// How values are written.
    pub form: Form,
    /// One value a cycle; `None` where there is none.
    pub values: Vec<Option<Value>>,
    /// The signal that this one should be like.
    pub expected: Option<usize>,
}

impl Signal {
    /// Bytes of its longest word in a dump.
    pub fn longest_word(&self) -> usize {
        let words = self.values.iter().map(|value| merge::word(value.as_ref()));
        words.map(|word| word.len()).max().unwrap_or(1).max(1)
    }

    /// The path in a dump.
    pub fn path(&self) -> String {
        format!("{}.{}", self.scope.join("."), self.name)
    }
}

/// A value in one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The number; for words whatever tells two of them apart.
    pub bits: u64,
    /// The bits of it that the architecture leaves UNKNOWN.
    pub unknown: u64,
    /// As reports print it.
    pub text: String,
}

/// The format of the dump that a viewer is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Words are strings.
    Vcd,
    /// Words are vectors of their characters.
    Fst,
}

impl Format {
    /// The name of the dump.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vcd => "window.vcd",
            Self::Fst => "window.fst",
        }
    }
}

impl Waves {
    /// Cycles in the window.
    pub fn len(&self) -> usize {
        let cycles = self.signals.iter().map(|signal| signal.values.len());
        cycles.max().unwrap_or(0)
    }

    /// Whether there is no cycle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `signal` is not what it should be in the cycle of this index.
    pub fn differs(&self, signal: &Signal, cycle: usize) -> bool {
        let expected = signal
            .expected
            .and_then(|expected| self.signals.get(expected));
        let (Some(Some(expected)), Some(Some(value))) = (
            expected.and_then(|expected| expected.values.get(cycle)),
            signal.values.get(cycle),
        ) else {
            return false;
        };
        (expected.bits ^ value.bits) & !expected.unknown != 0
    }

    /// The signals of a group.
    pub fn of<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Signal> {
        group
            .signals
            .iter()
            .filter_map(|&signal| self.signals.get(signal))
    }

    /// Time at which a cycle begins: its rising edge.
    pub fn time(&self, cycle: u64) -> u64 {
        let index = cycle.checked_sub(self.first);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let known = index.and_then(|index| self.times.get(index));
        known.copied().unwrap_or(CYCLE_TICKS * cycle)
    }

    /// Ticks of the divergent cycle.
    pub fn cycle_ticks(&self) -> u64 {
        self.time(self.divergent + 1)
            .saturating_sub(self.time(self.divergent))
            .max(1)
    }
}
