//! What a row of the tables in [`fields`](super::fields) says of a field, and the macro that makes structs of them.

use crate::constant::is_same;

/// A field of one of the contract's structs.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name, in Rust and in `docs/dut-contract.md`.
    pub name: &'static str,
    /// What it means: the words of the contract.
    pub meaning: &'static str,
    /// Its first byte.
    pub byte: usize,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Elements, 1 for a field that is no array.
    pub count: usize,
    /// The type of its elements.
    pub element: &'static str,
    /// What it belongs to.
    pub group: Group,
    /// What a cycle may have in it (DUT-80).
    pub limit: Limit,
    /// What it is, in a few words: for tables and proposals.
    pub about: &'static str,
    /// Other names by which designs call it.
    pub also: &'static [&'static str],
    /// Bits of a signal that is all of an element, at least.
    pub least_width: u32,
    /// Bits that a signal of an element may have.
    pub width: u32,
    /// The bits are elements: how many there are.
    pub bits: Option<u32>,
    /// How reports write the value.
    pub form: Form,
}

/// The fields that belong together: they have one latency, are driven together, and are left out together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Outputs: `increment`.
    Increment,
    /// Outputs: what became of the access. Inputs: the access.
    Access,
    /// What is for or of Statistical Profiling.
    Sampling,
    /// Inputs: state and controls of the PE, which hold where `driven` bit 0 is set.
    Pe,
    /// Inputs: what the threads do, which holds where `driven` bit 1 is set.
    Threads,
    /// Inputs: the others.
    Cycle,
    /// Bytes that are zero.
    Zero,
    /// What a design states of itself.
    Parameters,
}

/// What a field of an input may have (DUT-80).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Anything.
    None,
    /// 0 to this.
    Most(u8),
    /// No bit outside of these.
    Bits(u32),
}

/// How reports write a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a decimal number.
    Decimal,
    /// With `0x`.
    Hexadecimal,
    /// With `0b`, of this many bits.
    Binary(usize),
    /// In words: the outcome of an access.
    Outcome,
}

/// A type that a field can have.
pub trait FieldType {
    /// Bytes of an element.
    const ELEMENT_BYTES: usize;
    /// Elements.
    const COUNT: usize;
    /// Name of an element's type.
    const ELEMENT: &'static str;
}

macro_rules! field_types {
    ($($type:ty)+) => {
        $(impl FieldType for $type {
            const ELEMENT_BYTES: usize = size_of::<$type>();
            const COUNT: usize = 1;
            const ELEMENT: &'static str = stringify!($type);
        })+
    };
}

field_types!(u8 u16 u32 u64);

impl FieldType for super::Thread {
    const ELEMENT_BYTES: usize = size_of::<Self>();
    const COUNT: usize = 1;
    const ELEMENT: &'static str = "Thread";
}

impl<T: FieldType, const N: usize> FieldType for [T; N] {
    const ELEMENT_BYTES: usize = T::ELEMENT_BYTES;
    const COUNT: usize = N;
    const ELEMENT: &'static str = T::ELEMENT;
}

/// A row of a table: a field at this byte, of a group.
pub(super) const fn at(byte: usize, group: Group) -> Field {
    Field {
        name: "",
        meaning: "",
        byte,
        element_bytes: 0,
        count: 0,
        element: "",
        group,
        limit: Limit::None,
        about: "",
        also: &[],
        least_width: 0,
        width: 0,
        bits: None,
        form: Form::Decimal,
    }
}

/// A row of bytes that are zero.
pub(super) const fn zero(byte: usize) -> Field {
    at(byte, Group::Zero)
}

impl Field {
    /// What it is in a few words, and the bits of a signal that is all of it, at least.
    pub(super) const fn signal(mut self, least_width: u32, about: &'static str) -> Self {
        self.least_width = least_width;
        self.about = about;
        self
    }

    /// Other names by which designs call it.
    pub(super) const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
    }

    /// Its lowest bits are elements.
    pub(super) const fn bits(mut self, count: u32) -> Self {
        self.bits = Some(count);
        self
    }

    /// 0 to this.
    pub(super) const fn most(mut self, most: u8) -> Self {
        self.limit = Limit::Most(most);
        self
    }

    /// No bit outside of these.
    pub(super) const fn only(mut self, mask: u32) -> Self {
        self.limit = Limit::Bits(mask);
        self
    }

    /// How reports write it.
    pub(super) const fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// The row with what the struct says of the field.
    pub(super) const fn of<T: FieldType>(
        mut self,
        name: &'static str,
        meaning: &'static str,
    ) -> Self {
        self.name = name;
        self.meaning = meaning;
        self.element_bytes = T::ELEMENT_BYTES;
        self.count = T::COUNT;
        self.element = T::ELEMENT;
        self.width = match self.bits {
            Some(_) => 1,
            None => 8 * T::ELEMENT_BYTES as u32,
        };
        self
    }

    /// Bytes of all of it.
    pub const fn bytes(&self) -> usize {
        self.element_bytes * self.count
    }

    /// The value of an element, or of the whole field if its bits are its elements, among the bytes of its struct.
    ///
    /// # Panics
    /// Where the bytes are not those of the struct, or there is no such element.
    pub fn value(&self, of: &[u8], element: usize) -> u64 {
        let from = self.byte + element * self.element_bytes;
        let mut bytes = [0; 8];
        bytes[..self.element_bytes].copy_from_slice(&of[from..from + self.element_bytes]);
        u64::from_le_bytes(bytes)
    }

    /// The value as reports write it.
    pub fn text(&self, value: u64) -> String {
        match self.form {
            Form::Decimal => value.to_string(),
            Form::Hexadecimal => format!("{value:#x}"),
            Form::Binary(bits) => format!("{value:#0width$b}", width = bits + 2),
            Form::Outcome => super::AccessOutcome::name_of(value as u8),
        }
    }

    /// The field of this name among those of a struct.
    ///
    /// # Panics
    /// There is none: an error of compilation where the name is a constant.
    pub const fn named(fields: &'static [Self], name: &str) -> &'static Self {
        let mut n = 0;
        while n < fields.len() {
            if is_same(fields[n].name, name) {
                return &fields[n];
            }
            n += 1;
        }
        panic!("no field of this name");
    }
}

/// The bytes of a struct of `BYTES` bytes that belong to a group: all bits of each.
pub(super) const fn mask<const BYTES: usize>(fields: &[Field], group: Group) -> [u8; BYTES] {
    let mut mask = [0; BYTES];
    let mut n = 0;
    while n < fields.len() {
        let field = &fields[n];
        let mut byte = field.byte;
        while byte < field.byte + field.bytes() && field.group as u8 == group as u8 {
            mask[byte] = 0xFF;
            byte += 1;
        }
        n += 1;
    }
    mask
}

/// A struct of the contract from the table of its fields: its definition, its layout's assertions, and `FIELDS`.
macro_rules! contract_struct {
    (
        $(#[$about:meta])+
        pub struct $name:ident, $bytes:literal bytes {
            $($(#[doc = $meaning:literal])+ $field:ident: $type:ty = $row:expr;)+
        }
    ) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub struct $name {
            $($(#[doc = $meaning])+ pub $field: $type,)+
        }

        impl $name {
            /// Its fields, in the order of their bytes, without a gap.
            pub const FIELDS: &'static [$crate::contract::field::Field] =
                &[$($row.of::<$type>(stringify!($field), concat!($($meaning, "\n"),+))),+];
        }

        impl Default for $name {
            fn default() -> Self {
                bytemuck::Zeroable::zeroed()
            }
        }

        const _: () = {
            assert!(size_of::<$name>() == $bytes);
            let mut end = 0;
            $(
                assert!(std::mem::offset_of!($name, $field) == $row.byte && $row.byte == end);
                end += size_of::<$type>();
            )+
            assert!(end == $bytes);
        };
    };
}

pub(super) use contract_struct;
