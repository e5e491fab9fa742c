//! The model of a dump's declarations: scopes, variables, signals, time scale.

use std::collections::BTreeMap;
use std::fmt;

/// Widest variable. Far above what simulators take, and small enough for a value in memory.
pub(crate) const MAX_WIDTH: u32 = 1 << 24;

/// A signal: what changes. Several variables may name one signal (aliases).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SignalId(pub(crate) u32);

impl SignalId {
    /// The signal's number, dense from 0 in the order of declaration; below
    /// [`Header::signal_count`].
    ///
    /// ```
    /// # let dump = lockstep_vcd::Slice::new(b"$var wire 1 ! a $end $enddefinitions $end\n")?;
    /// # use lockstep_vcd::Source;
    /// assert_eq!(dump.header().variables()[0].signal().index(), 0);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A scope, by its place in [`Header::scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub(crate) u32);

impl ScopeId {
    /// The scope's place in [`Header::scopes`].
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$scope module top $end $var wire 1 ! a $end $upscope $end \
    ///     $enddefinitions $end\n")?;
    /// let top = dump.header().variables()[0].scope().expect("`a` is in a scope");
    /// assert_eq!(dump.header().scopes()[top.index()].name(), "top");
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a scope: those of IEEE 1364, and those that tools of other languages write.
///
/// ```
/// # use lockstep_vcd::{Slice, Source};
/// let dump = Slice::new(b"$scope struct pair $end $enddefinitions $end\n")?;
/// assert_eq!(*dump.header().scopes()[0].kind(), lockstep_vcd::ScopeKind::Other("struct".into()));
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScopeKind {
    /// A module instance.
    Module,
    /// A task.
    Task,
    /// A function.
    Function,
    /// A named sequential block.
    Begin,
    /// A named parallel block.
    Fork,
    /// Any other word, as written.
    Other(Box<str>),
}

/// A scope of the hierarchy.
///
/// ```
/// # use lockstep_vcd::{Slice, Source};
/// let dump = Slice::new(b"$scope module top $end $scope task run $end $enddefinitions $end\n")?;
/// let scopes = dump.header().scopes();
/// assert_eq!(scopes[1].name(), "run");
/// assert_eq!(*scopes[1].kind(), lockstep_vcd::ScopeKind::Task);
/// assert_eq!(scopes[1].parent().map(|parent| parent.index()), Some(0));
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    pub(crate) kind: ScopeKind,
    pub(crate) name: Box<str>,
    pub(crate) parent: Option<ScopeId>,
    pub(crate) escaped: bool,
}

impl Scope {
    /// What the scope is.
    #[must_use]
    pub const fn kind(&self) -> &ScopeKind {
        &self.kind
    }

    /// Its own name, without the backslash of an escaped one. Some tools leave it empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its name stands in the dump with a backslash before it.
    #[must_use]
    pub const fn is_escaped(&self) -> bool {
        self.escaped
    }

    /// The scope around it. None at the top.
    #[must_use]
    pub const fn parent(&self) -> Option<ScopeId> {
        self.parent
    }
}

/// The kind of a variable: those of IEEE 1364 and IEEE 1800, and those that GTKWave adds.
///
/// ```
/// # use lockstep_vcd::{Slice, Source};
/// let dump = Slice::new(b"$var trireg 1 ! a $end $enddefinitions $end\n")?;
/// assert_eq!(dump.header().variables()[0].kind(), lockstep_vcd::VarKind::Trireg);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VarKind {
    /// `event`: something that happens at a time, without a value.
    Event,
    /// `integer`.
    Integer,
    /// `parameter`.
    Parameter,
    /// `real`: its values are [`ValueRef::Real`](crate::ValueRef::Real).
    Real,
    /// `real_parameter`.
    RealParameter,
    /// `realtime`.
    Realtime,
    /// `reg`.
    Reg,
    /// `supply0`.
    Supply0,
    /// `supply1`.
    Supply1,
    /// `time`.
    Time,
    /// `tri`.
    Tri,
    /// `triand`.
    Triand,
    /// `trior`.
    Trior,
    /// `trireg`.
    Trireg,
    /// `tri0`.
    Tri0,
    /// `tri1`.
    Tri1,
    /// `wand`.
    Wand,
    /// `wire`.
    Wire,
    /// `wor`.
    Wor,
    /// `port`, of GTKWave.
    Port,
    /// `sparray`, of GTKWave.
    SparseArray,
    /// `string`, of GTKWave: its values are [`ValueRef::Text`](crate::ValueRef::Text).
    String,
    /// `bit`, of SystemVerilog, as those that follow.
    Bit,
    /// `logic`.
    Logic,
    /// `int`.
    Int,
    /// `shortint`.
    ShortInt,
    /// `longint`.
    LongInt,
    /// `byte`.
    Byte,
    /// `enum`.
    Enum,
    /// `shortreal`.
    ShortReal,
    /// A word that is none of these.
    Other,
}

impl VarKind {
    /// The keyword, as a dump has it; `wire` for one that is unknown here.
    ///
    /// ```
    /// assert_eq!(lockstep_vcd::VarKind::RealParameter.word(), "real_parameter");
    /// ```
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Integer => "integer",
            Self::Parameter => "parameter",
            Self::Real => "real",
            Self::RealParameter => "real_parameter",
            Self::Realtime => "realtime",
            Self::Reg => "reg",
            Self::Supply0 => "supply0",
            Self::Supply1 => "supply1",
            Self::Time => "time",
            Self::Tri => "tri",
            Self::Triand => "triand",
            Self::Trior => "trior",
            Self::Trireg => "trireg",
            Self::Tri0 => "tri0",
            Self::Tri1 => "tri1",
            Self::Wand => "wand",
            Self::Wire | Self::Other => "wire",
            Self::Wor => "wor",
            Self::Port => "port",
            Self::SparseArray => "sparray",
            Self::String => "string",
            Self::Bit => "bit",
            Self::Logic => "logic",
            Self::Int => "int",
            Self::ShortInt => "shortint",
            Self::LongInt => "longint",
            Self::Byte => "byte",
            Self::Enum => "enum",
            Self::ShortReal => "shortreal",
        }
    }

    pub(crate) fn from_word(word: &[u8]) -> Self {
        match word {
            b"event" => Self::Event,
            b"integer" => Self::Integer,
            b"parameter" => Self::Parameter,
            b"real" => Self::Real,
            b"real_parameter" => Self::RealParameter,
            b"realtime" => Self::Realtime,
            b"reg" => Self::Reg,
            b"supply0" => Self::Supply0,
            b"supply1" => Self::Supply1,
            b"time" => Self::Time,
            b"tri" => Self::Tri,
            b"triand" => Self::Triand,
            b"trior" => Self::Trior,
            b"trireg" => Self::Trireg,
            b"tri0" => Self::Tri0,
            b"tri1" => Self::Tri1,
            b"wand" => Self::Wand,
            b"wire" => Self::Wire,
            b"wor" => Self::Wor,
            b"port" => Self::Port,
            b"sparray" => Self::SparseArray,
            b"string" => Self::String,
            b"bit" => Self::Bit,
            b"logic" => Self::Logic,
            b"int" => Self::Int,
            b"shortint" => Self::ShortInt,
            b"longint" => Self::LongInt,
            b"byte" => Self::Byte,
            b"enum" => Self::Enum,
            b"shortreal" => Self::ShortReal,
            _ => Self::Other,
        }
    }
}

/// The bit range of a variable as declared: `[msb:lsb]`, or `[bit]` with both the same.
///
/// ```
/// use lockstep_vcd::BitRange;
/// assert_eq!(BitRange { msb: 7, lsb: 0 }.to_string(), "[7:0]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// Index of the leftmost bit.
    pub msb: i64,
    /// Index of the rightmost bit.
    pub lsb: i64,
}

impl BitRange {
    /// Lowest and highest index.
    ///
    /// ```
    /// use lockstep_vcd::BitRange;
    /// assert_eq!(BitRange { msb: 0, lsb: 7 }.ends(), (0, 7));
    /// ```
    #[must_use]
    pub const fn ends(self) -> (i64, i64) {
        match self.msb < self.lsb {
            true => (self.msb, self.lsb),
            false => (self.lsb, self.msb),
        }
    }
}

impl fmt::Display for BitRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.msb == self.lsb {
            true => write!(f, "[{}]", self.msb),
            false => write!(f, "[{}:{}]", self.msb, self.lsb),
        }
    }
}

/// A variable: a name in a scope for a signal.
///
/// ```
/// # use lockstep_vcd::{Slice, Source};
/// let dump = Slice::new(b"$scope module top $end $var reg 8 ! bus [7:0] $end $enddefinitions $end\n")?;
/// let bus = &dump.header().variables()[0];
/// assert_eq!((bus.name(), bus.width(), bus.code()), ("bus", 8, "!"));
/// assert_eq!(bus.range().unwrap().msb, 7);
/// assert_eq!(bus.kind(), lockstep_vcd::VarKind::Reg);
/// assert_eq!(bus.scope().unwrap().index(), 0);
/// assert_eq!(dump.header().signal_width(bus.signal()), 8);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub(crate) kind: VarKind,
    pub(crate) width: u32,
    pub(crate) signal: SignalId,
    pub(crate) code: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) range: Option<BitRange>,
    pub(crate) scope: Option<ScopeId>,
    /// Joined of single bits.
    pub(crate) bits: bool,
    pub(crate) escaped: bool,
}

/// The parts of a signal whose bits have codes of their own, the leftmost first.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    pub(crate) parts: Vec<Part>,
}

/// A signal of the file as some bits of a joined one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) signal: SignalId,
    pub(crate) width: u32,
    /// Its lowest bit, counted from the right of the joined value.
    pub(crate) low: u32,
}

impl Variable {
    /// What the variable is.
    #[must_use]
    pub const fn kind(&self) -> VarKind {
        self.kind
    }

    /// Width in bits as declared. For reals and strings it means nothing.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// The signal that it names.
    #[must_use]
    pub const fn signal(&self) -> SignalId {
        self.signal
    }

    /// The identifier code of the signal in the dump; of a signal that is joined of several, the code
    /// of the leftmost bits.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Indices of its bits, lowest and highest: those of its range, or from 0.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var reg 8 ! bus [1:8] $end $var reg 8 ! a $end $enddefinitions $end\n")?;
    /// let variables = dump.header().variables();
    /// assert_eq!((variables[0].indices(), variables[1].indices()), ((1, 8), (0, 7)));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn indices(&self) -> (i64, i64) {
        let all = (0, i64::from(self.width) - 1);
        self.range.map_or(all, BitRange::ends)
    }

    /// Its own name, without bit range and without the backslash of an escaped one.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its name stands in the dump with a backslash before it, so that brackets in it mean nothing.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! \\a+b[1] $end $enddefinitions $end\n")?;
    /// let variable = &dump.header().variables()[0];
    /// assert_eq!((variable.name(), variable.is_escaped()), ("a+b[1]", true));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn is_escaped(&self) -> bool {
        self.escaped
    }

    /// The bit range that stood with the name, or of a joined variable, all of its range.
    #[must_use]
    pub const fn range(&self) -> Option<BitRange> {
        self.range
    }

    /// The scope in which it was declared. None outside of all scopes.
    #[must_use]
    pub const fn scope(&self) -> Option<ScopeId> {
        self.scope
    }

    /// Whether it is joined of single bits, so that the dump does not tell which end is the left one.
    /// The highest index is taken for it.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! q [1] $end $var wire 1 \" q [0] $end $enddefinitions $end\n")?;
    /// let variables = dump.header().variables();
    /// assert_eq!((variables.len(), variables[0].width()), (1, 2));
    /// assert!(variables[0].is_of_bits());
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn is_of_bits(&self) -> bool {
        self.bits
    }
}

/// What one tick of a dump's time is: `number` times 10 to the `exponent` seconds.
///
/// ```
/// # use lockstep_vcd::{Slice, Source};
/// let dump = Slice::new(b"$timescale 10 ps $end $enddefinitions $end\n")?;
/// let timescale = dump.header().timescale().unwrap();
/// assert_eq!((timescale.number, timescale.exponent), (10, -12));
/// assert_eq!(timescale.to_string(), "10 ps");
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timescale {
    /// Usually 1, 10 or 100.
    pub number: u32,
    /// 0 for s, -3 for ms, down to -15 for fs.
    pub exponent: i8,
}

impl Timescale {
    /// Ticks as seconds.
    ///
    /// ```
    /// use lockstep_vcd::Timescale;
    /// assert_eq!(Timescale { number: 10, exponent: -9 }.seconds(5), 50e-9);
    /// ```
    #[must_use]
    pub fn seconds(self, ticks: u64) -> f64 {
        // Division by an exact power is rounded once.
        ticks as f64 * f64::from(self.number) / 10_f64.powi(-i32::from(self.exponent))
    }
}

impl fmt::Display for Timescale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS
            .iter()
            .find(|(_, exponent)| *exponent == self.exponent);
        match unit {
            Some((unit, _)) => write!(f, "{} {unit}", self.number),
            None => write!(f, "{}e{} s", self.number, self.exponent),
        }
    }
}

/// Units of time; the last two are an extension of GTKWave.
pub(crate) const UNITS: [(&str, i8); 8] = [
    ("s", 0),
    ("ms", -3),
    ("us", -6),
    ("ns", -9),
    ("ps", -12),
    ("fs", -15),
    ("as", -18),
    ("zs", -21),
];

/// All that stands before `$enddefinitions`.
///
/// ```
/// # use lockstep_vcd::{Slice, Source};
/// let dump = Slice::new(b"$date today $end $version a tool $end $comment no $end $var wire 1 ! a $end $var wire 1 ! b $end $enddefinitions $end\n")?;
/// let header = dump.header();
/// assert_eq!((header.date(), header.version()), (Some("today"), Some("a tool")));
/// assert_eq!(header.comments(), ["no"]);
/// assert_eq!((header.variables().len(), header.signal_count()), (2, 1));
/// assert_eq!((header.scopes().len(), header.timescale()), (0, None));
/// assert_eq!(header.end(), 117);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Header {
    pub(crate) date: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) comments: Vec<String>,
    pub(crate) timescale: Option<Timescale>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) variables: Vec<Variable>,
    /// Width of each signal, the greatest of its variables.
    pub(crate) widths: Vec<u32>,
    /// The last signals, which are joined of others.
    pub(crate) joined: Vec<Joined>,
    /// Codes of signals that are parts, of which there may be no variable.
    pub(crate) codes_of_parts: BTreeMap<SignalId, Box<str>>,
    pub(crate) start: u64,
}

impl Header {
    /// The text of `$date`, trimmed.
    #[must_use]
    pub fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// The text of `$version`, trimmed: the tool that wrote the dump.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The texts of all `$comment`s among the declarations, trimmed.
    #[must_use]
    pub fn comments(&self) -> &[String] {
        &self.comments
    }

    /// What one tick of time is. None if the dump does not say.
    #[must_use]
    pub const fn timescale(&self) -> Option<Timescale> {
        self.timescale
    }

    /// All scopes in the order of declaration; a parent stands before its children. A scope that
    /// the dump opens twice stands here twice.
    #[must_use]
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// All variables in the order of declaration. Those that are bits and pieces of one vector, as
    /// several simulators write them, are one: `q [1]` and `q [0]` are `q` with range `[1:0]`.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Number of signals: the different identifier codes, and the signals that are joined of several.
    #[must_use]
    pub const fn signal_count(&self) -> usize {
        self.widths.len()
    }

    /// The signal of a number, see [`SignalId::index`]. None if there is no such signal.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! a $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// assert_eq!(header.signal(0), Some(header.variables()[0].signal()));
    /// assert_eq!(header.signal(1), None);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn signal(&self, index: usize) -> Option<SignalId> {
        let id = u32::try_from(index).ok()?;
        (index < self.widths.len()).then_some(SignalId(id))
    }

    /// Width of a signal in bits: the greatest that a variable declares for it.
    #[must_use]
    pub fn signal_width(&self, signal: SignalId) -> u32 {
        self.widths.get(signal.index()).copied().unwrap_or(0)
    }

    /// Whether a signal is joined of several that have codes of their own.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! q [1] $end $var wire 1 \" q [0] $end \
    ///     $var wire 1 # a $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// let joined = |name| header.find(name).map(|probe| header.is_joined(probe.signal()));
    /// assert!(joined("q")? && !joined("q[1]")? && !joined("a")?);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn is_joined(&self, signal: SignalId) -> bool {
        self.parts(signal).is_some()
    }

    /// The signals of the file whose changes make those of a signal: itself, or the parts of a joined one.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! q [1] $end $var wire 1 \" q [0] $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// let file_signals = header.file_signals(header.find("q")?.signal());
    /// assert_eq!(file_signals.map(|signal| signal.index()).collect::<Vec<_>>(), [0, 1]);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    pub fn file_signals(&self, signal: SignalId) -> impl Iterator<Item = SignalId> {
        let parts = self.parts(signal);
        let itself = parts.is_none().then_some(signal);
        let parts = parts.unwrap_or_default().iter().map(|part| part.signal);
        itself.into_iter().chain(parts)
    }

    /// The parts of a joined signal.
    pub(crate) fn parts(&self, signal: SignalId) -> Option<&[Part]> {
        let first = self.widths.len() - self.joined.len();
        let joined = self.joined.get(signal.index().checked_sub(first)?)?;
        Some(&joined.parts)
    }

    /// Byte of the uncompressed dump at which the declarations end.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.start
    }

    /// The scopes around a scope and itself, innermost first.
    fn scope_chain(&self, scope: Option<ScopeId>) -> impl Iterator<Item = &Scope> {
        let get = |id: ScopeId| &self.scopes[id.index()];
        std::iter::successors(scope.map(get), move |scope| scope.parent.map(get))
    }

    /// Full path of a scope: names joined by dots, empty ones left out.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// # let dump = Slice::new(b"$scope module top $end $scope module dut $end \
    /// #     $var wire 1 ! a $end $upscope $end $upscope $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// assert_eq!(header.scope_path(header.variables()[0].scope().unwrap()), "top.dut");
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn scope_path(&self, scope: ScopeId) -> String {
        self.join(Some(scope), None)
    }

    /// Full path of a variable: names joined by dots, without bit range.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// # let dump = Slice::new(b"$scope module top $end $scope module dut $end \
    /// #     $var wire 8 ! a [7:0] $end $upscope $end $upscope $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// assert_eq!(header.path(&header.variables()[0]), "top.dut.a");
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn path(&self, variable: &Variable) -> String {
        self.join(variable.scope, Some(&variable.name))
    }

    fn join(&self, scope: Option<ScopeId>, name: Option<&str>) -> String {
        let mut parts: Vec<&str> = name.into_iter().collect();
        parts.extend(
            self.scope_chain(scope)
                .map(Scope::name)
                .filter(|name| !name.is_empty()),
        );
        parts.reverse();
        parts.join(".")
    }
}
