//! From a path, or the end of one, to the bits of a signal.

use crate::error::Error;
use crate::header::{BitRange, Header, Part, SignalId, VarKind, Variable};
use crate::value::{Value, ValueRef};

/// Bits of a signal to look at: all of a variable's, or some of them. Made by [`Header::find`].
///
/// ```
/// # use lockstep_vcd::{Slice, Source};
/// let dump = Slice::new(b"$var reg 8 ! a [7:0] $end $enddefinitions $end\n")?;
/// let header = dump.header();
/// let probe = header.find("a[5:4]")?;
/// assert_eq!((probe.width(header), probe.variable_index()), (2, 0));
/// assert_eq!(probe.signal(), header.variables()[0].signal());
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Probe {
    signal: SignalId,
    variable: u32,
    /// Highest and lowest bit, counted from the right; None for all bits of the signal.
    bits: Option<(u32, u32)>,
}

impl Probe {
    /// All of a variable, by its place in [`Header::variables`]. None if there is no such place.
    ///
    /// ```
    /// use lockstep_vcd::{Probe, Slice, Source};
    ///
    /// let dump = Slice::new(b"$var reg 8 ! a $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// assert_eq!(Probe::variable(header, 0).unwrap(), header.find("a")?);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn variable(header: &Header, index: usize) -> Option<Self> {
        let variable = header.variables.get(index)?;
        let narrower = variable.width < header.signal_width(variable.signal);
        let bits = (narrower && variable.width > 0).then(|| (variable.width - 1, 0));
        Some(Self {
            signal: variable.signal,
            variable: u32::try_from(index).ok()?,
            bits,
        })
    }

    /// The probe as probes of signals of the file: of a joined signal its parts, else itself.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! q [1] $end $var wire 1 \" q [0] $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// assert_eq!(header.find("q")?.parts(header), [header.find("q[1]")?, header.find("q[0]")?]);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn parts(&self, header: &Header) -> Vec<Self> {
        let Some(parts) = header.parts(self.signal) else {
            return vec![*self];
        };
        let (hi, lo) = self.bits.unwrap_or((u32::MAX, 0));
        let seen = parts
            .iter()
            .filter(|part| part.low <= hi && lo < part.low + part.width);
        seen.map(|part| Self::of_part(header, *self, part))
            .collect()
    }

    /// All of a part of the joined variable that `of` looks at.
    pub(crate) fn of_part(header: &Header, of: Self, part: &Part) -> Self {
        let narrower = part.width < header.signal_width(part.signal);
        Self {
            signal: part.signal,
            variable: of.variable,
            bits: narrower.then(|| (part.width - 1, 0)),
        }
    }

    /// The identifier code of what it looks at. None for a joined signal.
    pub(crate) fn code<'h>(&self, header: &'h Header) -> Option<&'h str> {
        if header.parts(self.signal).is_some() {
            return None;
        }
        if let Some(code) = header.codes_of_parts.get(&self.signal) {
            return Some(code);
        }
        let variable = header.variables.get(self.variable_index())?;
        Some(variable.code())
    }

    /// The signal.
    #[must_use]
    pub const fn signal(&self) -> SignalId {
        self.signal
    }

    /// Place of the variable in [`Header::variables`].
    #[must_use]
    pub const fn variable_index(&self) -> usize {
        self.variable as usize
    }

    /// The same bits, whatever variable names them: what two probes have in common that see the same.
    ///
    /// ```
    /// # use lockstep_vcd::{Probe, Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! a $end $var wire 1 ! b $end $enddefinitions $end\n")?;
    /// let [a, b] = [0, 1].map(|place| Probe::variable(dump.header(), place).unwrap());
    /// assert_eq!((a == b, a.anonymous() == b.anonymous()), (false, true));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn anonymous(mut self) -> Self {
        self.variable = 0;
        self
    }

    /// Highest and lowest bit that are looked at, counted from the right of the signal's value.
    /// None for all of them.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var reg 8 ! a [8:1] $end $enddefinitions $end\n")?;
    /// assert_eq!(dump.header().find("a[5:4]")?.bits(), Some((4, 3)));
    /// assert_eq!(dump.header().find("a")?.bits(), None);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn bits(&self) -> Option<(u32, u32)> {
        self.bits
    }

    /// Whether the probe looks at an event: every change of it is a trigger.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var event 1 ! e $end $enddefinitions $end\n")?;
    /// assert!(dump.header().find("e")?.is_event(dump.header()));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn is_event(&self, header: &Header) -> bool {
        let variable = header.variables.get(self.variable_index());
        variable.is_some_and(|variable| variable.kind == VarKind::Event)
    }

    /// Number of bits that are looked at.
    #[must_use]
    pub fn width(&self, header: &Header) -> u32 {
        match self.bits {
            Some((hi, lo)) => hi - lo + 1,
            None => header.signal_width(self.signal),
        }
    }

    /// The probe's part of a value of its signal, owned.
    ///
    /// ```
    /// use lockstep_vcd::{BitsRef, Slice, Source, ValueRef};
    ///
    /// let dump = Slice::new(b"$var reg 8 ! a [7:0] $end $enddefinitions $end\n")?;
    /// let probe = dump.header().find("a[7:4]")?;
    /// let value = ValueRef::Bits(BitsRef::new(b"10100000", 8).unwrap());
    /// assert_eq!(probe.value(value).to_u64(), Some(0xa));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn value(&self, value: ValueRef<'_>) -> Value {
        match (value, self.bits) {
            (ValueRef::Bits(bits), Some((hi, lo))) => match bits.slice(hi, lo) {
                Some(part) => Value::Bits(part),
                None => Value::Bits(bits.to_bits()),
            },
            _ => value.to_value(),
        }
    }
}

/// How many alternatives an error names.
const CANDIDATES: usize = 4;

impl Header {
    /// The variable with this path, or with some bits of it.
    ///
    /// `path` is a full path (`TOP.lockstep_dut.clk_i`) or the end of one, from the start of a
    /// name (`lockstep_dut.clk_i`, `clk_i`). A full path is preferred to a longer one that ends
    /// like it. Several variables of one signal count as one. After the path, `[hi:lo]` or
    /// `[bit]` chooses bits, by the indices of the declaration, or from 0 on the right if it has
    /// none. Backslashes of escaped names may be left out. Of several variables with one path, `\\a.b` is the one of
    /// that name and `a.b` a `b` in a scope `a`; of those that are alike it is the first, see [`Header::twins`].
    ///
    /// ```
    /// use lockstep_vcd::{Slice, Source};
    ///
    /// let dump = Slice::new(b"$scope module TOP $end $scope module dut $end \
    ///     $var wire 64 ! count [63:0] $end $upscope $end $upscope $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// assert_eq!(header.find("TOP.dut.count")?, header.find("count")?);
    /// assert_eq!(header.find("dut.count[15:0]")?.width(header), 16);
    /// assert_eq!(
    ///     header.find("TOP.count").unwrap_err().to_string(),
    ///     "[vcd] expected a variable `TOP.count`, found none; there is `TOP.dut.count`",
    /// );
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Ambiguous`], and [`Error::Bits`] if the variable has not the
    /// bits asked for.
    pub fn find(&self, path: &str) -> Result<Probe, Error> {
        let asked = path.trim();
        if asked.contains('\\') {
            // A backslash may be one of the name, or the one before it.
            let without_first = asked
                .strip_prefix('\\')
                .unwrap_or(asked)
                .replace(".\\", ".");
            for plain in [asked, &without_first] {
                match self.find_plain(plain, path) {
                    Err(Error::NotFound { .. }) => {}
                    found => return found,
                }
            }
        }
        self.find_plain(&asked.replace('\\', ""), path)
    }

    /// Other variables with the path, the name and the bits of the one that `probe` looks at, and a signal of their own.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source};
    /// let dump = Slice::new(b"$var wire 1 ! a $end $var wire 1 \" a $end $enddefinitions $end\n")?;
    /// let header = dump.header();
    /// assert_eq!(header.twins(header.find("a")?).collect::<Vec<_>>(), [1]);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    pub fn twins(&self, probe: Probe) -> impl Iterator<Item = usize> {
        let this = probe.variable_index();
        let about = self.variables.get(this).map(|of| (of, self.path(of)));
        let all = self.variables.iter().enumerate();
        all.filter_map(move |(index, other)| {
            let (of, path) = about.as_ref()?;
            let is_other = other.signal != of.signal || other.width != of.width;
            let may_be = index != this && is_other && other.name == of.name;
            (may_be && other.indices() == of.indices() && self.path(other) == *path)
                .then_some(index)
        })
    }

    fn find_plain(&self, plain: &str, path: &str) -> Result<Probe, Error> {
        let plain = without_blanks(plain.to_owned());
        if let Some(index) = self.search(&plain, None, path)? {
            return Ok(self.probe(index));
        }
        if let Some((name, asked)) = split_bits(&plain)
            && let Some(index) = self.search(name, Some(asked), path)?
        {
            return self.part(index, asked);
        }
        Err(Error::NotFound {
            path: path.to_owned(),
            candidates: self.like(&plain),
        })
    }

    fn probe(&self, index: usize) -> Probe {
        Probe::variable(self, index).unwrap_or(Probe {
            signal: SignalId(0),
            variable: 0,
            bits: None,
        })
    }

    /// Index of the one variable whose path is `path` or ends with it, and that has the bits, if some
    /// are sought.
    fn search(
        &self,
        path: &str,
        bits: Option<BitRange>,
        asked: &str,
    ) -> Result<Option<usize>, Error> {
        let mut exact = Vec::new();
        let mut longer = Vec::new();
        for (index, variable) in self.variables.iter().enumerate() {
            if !path.ends_with(&*variable.name) {
                continue;
            }
            let full = self.path(variable);
            match full.strip_suffix(path) {
                Some("") => exact.push(index),
                Some(before) if before.ends_with('.') => longer.push((index, full)),
                _ => {}
            }
        }
        if !exact.is_empty() {
            return self.choose(&exact, bits, asked);
        }
        let Some((first, full)) = longer.first() else {
            return Ok(None);
        };
        let here: Vec<_> = longer
            .iter()
            .filter(|(_, other)| other == full)
            .map(|(index, _)| *index)
            .collect();
        let mut others = longer
            .iter()
            .filter(|(index, other)| other != full && !self.same(*first, *index))
            .map(|(_, other)| other)
            .peekable();
        if others.peek().is_none() {
            return self.choose(&here, bits, asked);
        }
        let mut candidates = vec![full.clone()];
        candidates.extend(others.take(CANDIDATES - 1).cloned());
        Err(Error::Ambiguous {
            path: asked.to_owned(),
            candidates,
        })
    }

    /// The one of the variables of a path that has the bits, or else all bits that the others have.
    fn choose(
        &self,
        indices: &[usize],
        bits: Option<BitRange>,
        asked: &str,
    ) -> Result<Option<usize>, Error> {
        let has = |index: usize, (low, high): (i64, i64)| {
            let range = self.variables[index].range.map(BitRange::ends);
            range.is_none_or(|(lowest, highest)| lowest <= low && high <= highest)
        };
        // A name with dots in it has the path of a scope and a name.
        let own = asked.trim().trim_end_matches('\\').rsplit_once('\\');
        let is_own = |name: &str| own.is_some_and(|(_, own)| own.starts_with(name));
        let mut indices = indices.to_vec();
        indices.sort_by_key(|&index| {
            let name = &*self.variables[index].name;
            (!is_own(name), name.matches('.').count())
        });
        let chosen = match bits {
            Some(bits) => indices.iter().find(|&&index| {
                let ((lowest, highest), (low, high)) =
                    (self.variables[index].indices(), bits.ends());
                lowest <= low && high <= highest
            }),
            None => indices.iter().find(|&&index| {
                let ranges = indices.iter().map(|&other| self.variables[other].range);
                ranges.flatten().all(|range| has(index, range.ends()))
            }),
        };
        match (chosen, bits) {
            (Some(&index), _) => Ok(Some(index)),
            // The error tells the bits that there are.
            (None, Some(_)) => Ok(indices.first().copied()),
            (None, None) => Err(Error::Ambiguous {
                path: asked.to_owned(),
                candidates: indices
                    .iter()
                    .take(CANDIDATES)
                    .map(|&index| self.path_with_range(index))
                    .collect(),
            }),
        }
    }

    fn path_with_range(&self, index: usize) -> String {
        let variable = &self.variables[index];
        let range = variable.range.map(|range| range.to_string());
        self.path(variable) + &range.unwrap_or_default()
    }

    fn same(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.variables[one], &self.variables[other]);
        one.signal == other.signal && one.width == other.width && one.range == other.range
    }

    /// Paths of variables with the same last name.
    fn like(&self, path: &str) -> Vec<String> {
        let path = split_bits(path).map_or(path, |(name, _)| name);
        let name = path.rsplit('.').next().unwrap_or(path).to_lowercase();
        let alike =
            |variable: &&Variable| !name.is_empty() && variable.name.to_lowercase().contains(&name);
        let mut paths: Vec<_> = self
            .variables
            .iter()
            .filter(alike)
            .map(|variable| self.path(variable))
            .collect();
        // The closest names are those with the least around what was asked for.
        paths.sort_by_key(String::len);
        paths.truncate(CANDIDATES);
        paths
    }

    /// Some bits of a variable. Those within a part of a joined signal are looked at there, where every
    /// change is seen, and can be sought.
    fn bits_of(&self, index: usize, (hi, lo): (u32, u32)) -> Probe {
        let whole = self.probe(index);
        let parts = self.parts(whole.signal).unwrap_or_default();
        // The leftmost part stands first.
        let place = parts.partition_point(|part| part.low > lo);
        match parts.get(place) {
            Some(part) if hi < part.low + part.width => {
                let all = (hi - lo + 1) == self.signal_width(part.signal);
                Probe {
                    signal: part.signal,
                    bits: (!all).then(|| (hi - part.low, lo - part.low)),
                    ..whole
                }
            }
            _ => Probe {
                bits: Some((hi, lo)),
                ..whole
            },
        }
    }

    fn part(&self, index: usize, asked: BitRange) -> Result<Probe, Error> {
        let variable = &self.variables[index];
        let whole = variable.range.unwrap_or(BitRange {
            msb: i64::from(variable.width) - 1,
            lsb: 0,
        });
        let place = |index: i64| match whole.msb >= whole.lsb {
            true => index.checked_sub(whole.lsb),
            false => whole.lsb.checked_sub(index),
        };
        let bits = place(asked.msb).zip(place(asked.lsb)).and_then(|(hi, lo)| {
            let (hi, lo) = (u32::try_from(hi).ok()?, u32::try_from(lo).ok()?);
            (lo <= hi && hi < variable.width).then_some((hi, lo))
        });
        match bits {
            Some(bits) => Ok(self.bits_of(index, bits)),
            None => Err(Error::Bits {
                path: self.path(variable),
                msb: whole.msb,
                lsb: whole.lsb,
                asked: asked.to_string().trim_matches(['[', ']']).to_owned(),
            }),
        }
    }
}

/// `mem [1]` as `mem[1]`, which it is also in the declarations.
fn without_blanks(path: String) -> String {
    match path.contains(" [") {
        true => path
            .split('[')
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("["),
        false => path,
    }
}

/// `name[hi:lo]` or `name[bit]` in two.
fn split_bits(path: &str) -> Option<(&str, BitRange)> {
    let (name, bits) = path.strip_suffix(']')?.rsplit_once('[')?;
    let (msb, lsb) = bits.split_once(':').unwrap_or((bits, bits));
    let range = BitRange {
        msb: msb.trim().parse().ok()?,
        lsb: lsb.trim().parse().ok()?,
    };
    (!name.is_empty()).then(|| (name.trim_end(), range))
}

#[cfg(test)]
mod tests {
    use crate::{Error, Slice, Source};

    const DUMP: &str = "
        $scope module top $end
          $var reg 8 ! bus [7:0] $end
          $var reg 8 \" up [0:7] $end
          $var reg 8 # plain $end
          $var reg 4 $ off [5:2] $end
          $var reg 1 % mem[3] $end
          $var reg 4 & \\a.b[1] [3:0] $end
          $scope module a $end $var reg 8 ! bus [7:0] $end $var reg 1 ( en $end $upscope $end
          $scope module b $end $var reg 8 ' bus [7:0] $end $var reg 1 ) en $end $upscope $end
        $upscope $end
        $enddefinitions $end\n";

    type Bits = Option<(u32, u32)>;

    fn code_and_bits(path: &str) -> Result<(String, u32, Bits), Error> {
        let dump = Slice::new(DUMP.as_bytes())?;
        let probe = dump.header().find(path)?;
        let variable = &dump.header().variables()[probe.variable_index()];
        Ok((
            variable.code().to_owned(),
            probe.width(dump.header()),
            probe.bits,
        ))
    }

    fn message(path: &str) -> String {
        code_and_bits(path).unwrap_err().to_string()
    }

    #[test]
    fn full_paths_and_ends_of_paths_are_found() {
        for (path, code) in [
            ("top.bus", "!"),
            ("top.a.bus", "!"),
            ("a.bus", "!"),
            ("b.bus", "'"),
            ("plain", "#"),
            ("top.mem[3]", "%"),
            ("top.a.b[1]", "&"),
            ("top.\\a.b[1]", "&"),
            ("b.en", ")"),
        ] {
            assert_eq!(code_and_bits(path).unwrap().0, code, "{path}");
        }
    }

    #[test]
    fn bits_are_chosen_by_their_declared_indices() {
        for (path, bits) in [
            ("top.bus[7:4]", (7, 4)),
            ("top.bus[3]", (3, 3)),
            ("up[0:3]", (7, 4)),
            ("up[7]", (0, 0)),
            ("plain[6:1]", (6, 1)),
            ("off[5:3]", (3, 1)),
            ("a.b[1][2:1]", (2, 1)),
        ] {
            assert_eq!(code_and_bits(path).unwrap().2, Some(bits), "{path}");
        }
    }

    #[test]
    fn what_is_not_there_is_explained() {
        assert_eq!(
            message("nothing"),
            "[vcd] expected a variable `nothing`, found none"
        );
        assert_eq!(
            message("a.PLAIN"),
            "[vcd] expected a variable `a.PLAIN`, found none; there is `top.plain`"
        );
        assert_eq!(
            message("en"),
            "[vcd] expected one variable `en`, found several; there is `top.a.en`, `top.b.en`"
        );
        assert_eq!(
            message("off[1:0]"),
            "[vcd] expected bits of `top.off` within [5:2], found [1:0]"
        );
        assert_eq!(
            message("up[7:0]"),
            "[vcd] expected bits of `top.up` within [0:7], found [7:0]"
        );
    }

    #[test]
    fn a_name_is_not_found_within_another() {
        assert!(code_and_bits("us").is_err());
        assert!(code_and_bits("").is_err());
    }
}
