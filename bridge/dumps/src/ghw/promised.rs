//! What the declarations of a GHW file promise: numbers of strings, types and signals, for which the library makes room
//! before it reads them, and types made of others, which it follows. A damaged file must not promise more than it has.

use std::io::Read;
use std::rc::Rc;

use super::error::GhwError;

/// Types within types that are followed.
const DEPTH: u32 = 64;

/// A type, as far as others depend on it.
#[derive(Debug)]
struct Type {
    shape: Shape,
    /// All arrays in it have bounds.
    is_bounded: bool,
    /// Types within it.
    depth: u32,
}

#[derive(Debug)]
enum Shape {
    /// A number, a letter, a name: whether it has bounds, so that it gives them to an array that it is the index of.
    Scalar(bool),
    /// An array of what.
    Array(Rc<Type>),
    /// The types of its fields.
    Record(Vec<Rc<Type>>),
}

impl Type {
    fn scalar(has_bounds: bool) -> Result<Rc<Self>, Stop> {
        Self::of(Shape::Scalar(has_bounds), true)
    }

    fn array(element: Rc<Self>, has_bounds: bool) -> Result<Rc<Self>, Stop> {
        Self::of(Shape::Array(element), has_bounds)
    }

    /// A type whose own arrays, if it is one, have bounds.
    fn of(shape: Shape, has_bounds: bool) -> Result<Rc<Self>, Stop> {
        let parts = match &shape {
            Shape::Scalar(_) => &[],
            Shape::Array(element) => std::slice::from_ref(element),
            Shape::Record(fields) => &fields[..],
        };
        let depth = parts.iter().map(|part| part.depth + 1).max().unwrap_or(0);
        if depth > DEPTH {
            return Err(Stop::Damaged(format!("{depth} types within each other")));
        }
        let is_bounded = has_bounds && parts.iter().all(|part| part.is_bounded);
        Ok(Rc::new(Self {
            shape,
            is_bounded,
            depth,
        }))
    }
}

/// Follows the declarations of a file of `length` bytes from its start on, up to its hierarchy; what the library refuses
/// anyway ends it.
///
/// # Errors
/// [`GhwError::Damaged`] with the number that cannot be.
pub(super) fn follow(input: impl Read, length: u64) -> Result<(), GhwError> {
    let mut declarations = Declarations {
        input,
        length,
        is_big: false,
        has_units: false,
        types: Vec::new(),
    };
    match declarations.follow() {
        Err(Stop::Damaged(found)) => Err(GhwError::Damaged {
            expected: "declarations",
            found,
        }),
        // The library tells what it does not find.
        Ok(()) | Err(Stop::Other) => Ok(()),
    }
}

/// Why declarations are followed no further.
enum Stop {
    /// What they promise cannot be.
    Damaged(String),
    /// They end, or are of another kind.
    Other,
}

impl From<std::io::Error> for Stop {
    fn from(_: std::io::Error) -> Self {
        Self::Other
    }
}

struct Declarations<R> {
    input: R,
    length: u64,
    is_big: bool,
    /// Version 0 of the format tells no units.
    has_units: bool,
    types: Vec<Rc<Type>>,
}

impl<R: Read> Declarations<R> {
    fn follow(&mut self) -> Result<(), Stop> {
        let header: [u8; 16] = self.bytes()?;
        if !header.starts_with(b"GHDLwave\n") {
            return Err(Stop::Other);
        }
        (self.has_units, self.is_big) = (header[11] > 0, header[12] == 2);
        loop {
            match &self.bytes::<8>()? {
                b"STR\0\0\0\0\0" => self.strings()?,
                b"TYP\0\0\0\0\0" => self.all_types()?,
                b"WKT\0\0\0\0\0" => {
                    while self.byte()? != 0 {
                        self.number()?;
                    }
                }
                b"HIE\0\0\0\0\0" => {
                    let [_scopes, _variables, signals] = [self.word()?, self.word()?, self.word()?];
                    return self.room("signals", signals.into());
                }
                _ => return Err(Stop::Other),
            }
        }
    }

    fn strings(&mut self) -> Result<(), Stop> {
        let (count, _size) = (self.word()?, self.word()?);
        self.room("strings", count.into())?;
        // What a string shares with the one before stands behind it, five bits a byte.
        for _ in 0..count {
            let mut byte = self.byte()?;
            while !matches!(byte, 0..=31 | 128..=159) {
                byte = self.byte()?;
            }
            while byte >= 128 {
                byte = self.byte()?;
            }
        }
        let end: [u8; 4] = self.bytes()?;
        match &end {
            b"EOS\0" => Ok(()),
            _ => Err(Stop::Other),
        }
    }

    fn all_types(&mut self) -> Result<(), Stop> {
        let count = self.word()?;
        self.room("types", count.into())?;
        for _ in 0..count {
            let (kind, _name) = (self.byte()?, self.number()?);
            let found = self.one_type(kind)?;
            self.types.push(found);
        }
        match self.byte()? {
            0 => Ok(()),
            _ => Err(Stop::Other),
        }
    }

    fn one_type(&mut self, kind: u8) -> Result<Rc<Type>, Stop> {
        match kind {
            // Enumerations: a name for each value.
            22 | 23 => {
                for _ in 0..self.counted("literals")? {
                    self.number()?;
                }
                Type::scalar(true)
            }
            // Integers and reals.
            25..=27 => Type::scalar(false),
            // Of physical types, `time`: a name and a number for each unit.
            29 => {
                let units = match self.has_units {
                    true => self.counted("units")?,
                    false => 0,
                };
                for _ in 0..2 * units {
                    self.number()?;
                }
                Type::scalar(false)
            }
            31 => {
                let element = self.earlier()?;
                let mut has_bounds = true;
                for _ in 0..self.counted("dimensions")? {
                    has_bounds &= matches!(self.earlier()?.shape, Shape::Scalar(true));
                }
                Type::array(element, has_bounds)
            }
            32 => {
                let mut fields = Vec::new();
                for _ in 0..self.counted("fields")? {
                    let _name = self.number()?;
                    fields.push(self.earlier()?);
                }
                Type::of(Shape::Record(fields), true)
            }
            34 => {
                self.earlier()?;
                self.range()?;
                Type::scalar(true)
            }
            35 | 38 => {
                let base = self.earlier()?;
                self.bounds(&base)
            }
            37 => match &self.earlier()?.shape {
                Shape::Array(element) => Type::array(Rc::clone(element), false),
                _ => Err(Stop::Other),
            },
            _ => Err(Stop::Other),
        }
    }

    /// `base` with the bounds that a subtype gives it, outer ones first.
    fn bounds(&mut self, base: &Type) -> Result<Rc<Type>, Stop> {
        match &base.shape {
            Shape::Scalar(_) => Err(Stop::Other),
            Shape::Array(element) => {
                let elements = self.range()?;
                self.room("elements of an array", elements)?;
                Type::array(self.bounded(element)?, true)
            }
            Shape::Record(fields) => {
                let fields = fields.iter().map(|field| self.bounded(field));
                Type::of(Shape::Record(fields.collect::<Result<_, _>>()?), true)
            }
        }
    }

    /// A part of a type, with the bounds that it lacks.
    fn bounded(&mut self, part: &Rc<Type>) -> Result<Rc<Type>, Stop> {
        match part.is_bounded {
            true => Ok(Rc::clone(part)),
            false => self.bounds(part),
        }
    }

    /// A type that stands before this one: counted from 1.
    fn earlier(&mut self) -> Result<Rc<Type>, Stop> {
        let number = self.number()?;
        let place = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        let found = place.and_then(|place| self.types.get(place)).cloned();
        found.ok_or_else(|| {
            let own = self.types.len() + 1;
            Stop::Damaged(format!("type {own}, which is made of type {number}"))
        })
    }

    /// How many values a range has.
    fn range(&mut self) -> Result<u64, Stop> {
        let kind = self.byte()?;
        let (left, right) = match kind & 0x7F {
            22 | 23 => (self.byte()?.into(), self.byte()?.into()),
            25 | 26 | 28 | 29 => (self.signed()?, self.signed()?),
            27 => {
                self.bytes::<16>()?;
                return Ok(0);
            }
            _ => return Err(Stop::Other),
        };
        let (low, high) = match kind & 0x80 {
            0 => (left, right),
            _ => (right, left),
        };
        let between = i128::from(high) - i128::from(low) + 1;
        Ok(u64::try_from(between.max(0)).unwrap_or(u64::MAX))
    }

    /// Each of `count` things needs a byte.
    fn room(&self, of: &str, count: u64) -> Result<(), Stop> {
        match count <= self.length {
            true => Ok(()),
            false => Err(Stop::Damaged(format!(
                "{count} {of} in a file of {} bytes",
                self.length
            ))),
        }
    }

    /// How many things follow.
    fn counted(&mut self, of: &str) -> Result<u64, Stop> {
        let count = self.number()?;
        self.room(of, count).map(|()| count)
    }

    /// LEB128.
    fn number(&mut self) -> Result<u64, Stop> {
        leb128::read::unsigned(&mut self.input).map_err(|_| Stop::Other)
    }

    fn signed(&mut self) -> Result<i64, Stop> {
        leb128::read::signed(&mut self.input).map_err(|_| Stop::Other)
    }

    fn word(&mut self) -> Result<u32, Stop> {
        let bytes = self.bytes()?;
        Ok(match self.is_big {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        })
    }

    fn byte(&mut self) -> Result<u8, Stop> {
        self.bytes().map(|[byte]| byte)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUS: &[u8] = include_bytes!("../../../../tests/vcd/ghdl-5.0/bus.ghw");

    fn found(at: usize, byte: u8) -> Option<String> {
        let mut file = BUS.to_vec();
        file[at] = byte;
        match follow(&file[..], file.len() as u64) {
            Err(GhwError::Damaged { found, .. }) => Some(found),
            _ => None,
        }
    }

    #[test]
    fn a_file_as_it_is_promises_what_it_has() {
        let kinds = include_bytes!("../../../../tests/vcd/ghdl-5.0/kinds.ghw");
        let tree = include_bytes!("../../../../tests/vcd/ghdl-5.0/tree.ghw");
        for file in [BUS, kinds, tree] {
            assert!(follow(file, file.len() as u64).is_ok());
        }
    }

    #[test]
    fn what_a_file_cannot_have_is_told() {
        let (types, signals) = (0xC8, 0x135);
        assert_eq!(BUS[types - 3..types + 1], [0, 12, 0, 0]);
        assert_eq!(
            found(types, 1).as_deref(),
            Some("65548 types in a file of 1392 bytes")
        );
        assert_eq!(
            found(signals, 0xFF).as_deref(),
            Some("16711731 signals in a file of 1392 bytes")
        );
        assert_eq!(
            found(0xE9, 0x0A).as_deref(),
            Some("type 5, which is made of type 10")
        );
    }
}
