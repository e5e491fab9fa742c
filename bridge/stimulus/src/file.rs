//! The stimulus file: a header, the raw cycles, a checksum for each chunk of them. `docs/stimulus.md` has the offsets.

use std::path::Path;

use pmu_model::contract::{CONTRACT_VERSION, INPUT_BYTES_OF_LAYOUT_1, LAYOUT_VERSION};
use pmu_model::{CycleInput, Implementation};
use twox_hash::XxHash3_64;

use super::{GENERATOR_VERSION, Generator, Profile, StimulusError, StimulusHash};
use lockstep_base::plain::of_toml;

/// The first bytes of every stimulus file.
pub const MAGIC: &[u8; 8] = b"PMUSTIM\n";
/// Version of the file format.
pub const FILE_VERSION: u16 = 1;
/// Cycles of a chunk, which has a checksum of its own.
pub const CHUNK_CYCLES: usize = 1024;

/// Bytes of the header before its texts.
pub(super) const FIXED: usize = 72;
/// The first version of the generator with area audit; profiles of older ones have no key of it.
const AUDIT_VERSION: u16 = 4;
/// Longest implementation or profile text that is accepted.
pub(super) const TEXT_LIMIT: u32 = 1 << 20;

/// What the cycles were generated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Version of the generator.
    pub generator_version: u16,
    /// Seed.
    pub seed: u64,
    /// Profile.
    pub profile: Profile,
}

impl Origin {
    /// Cycles that `generator` makes.
    pub fn of(generator: &Generator) -> Self {
        Self {
            generator_version: GENERATOR_VERSION,
            seed: generator.seed(),
            profile: generator.profile().clone(),
        }
    }

    /// Other stimulus for designs of `implementation`, mixed alike: that of the next seed. None if it was another generator.
    pub fn other(&self, implementation: &Implementation) -> Option<Generator> {
        if self.generator_version != GENERATOR_VERSION {
            return None;
        }
        Generator::new(self.seed.wrapping_add(1), implementation, &self.profile).ok()
    }
}

/// Layout of the cycles of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Layout 1, of 144 bytes: a prefix of the present one. What it does not have is zero, which is "not driven".
    One,
    /// The present one.
    Present,
}

impl Layout {
    /// The number in the header. The contract of a layout has the same number.
    pub const fn version(self) -> u16 {
        match self {
            Self::One => 1,
            Self::Present => LAYOUT_VERSION,
        }
    }

    /// Bytes of a cycle.
    pub const fn cycle_bytes(self) -> usize {
        match self {
            Self::One => INPUT_BYTES_OF_LAYOUT_1,
            Self::Present => size_of::<CycleInput>(),
        }
    }
}

/// PMSIDR_EL1 of the default implementation, before reserved values were refused.
const EARLIER_PMSIDR: u32 = 0x0005_0220;

const _: () = assert!(LAYOUT_VERSION == 2 && CONTRACT_VERSION == 2);

/// What a stimulus file says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the cycles were generated from; `None` if they were not, or are of another source.
    pub origin: Option<Origin>,
    /// The implementation that the stimulus was made for.
    pub implementation: Implementation,
    /// Layout of the cycles.
    pub layout: Layout,
    /// Number of cycles.
    pub cycles: u64,
    /// Hash of all cycles, as they are in the file.
    pub hash: StimulusHash,
}

impl Header {
    /// The header as bytes; its length depends on nothing but the origin and the implementation.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let implementation =
            toml::to_string(&self.implementation).expect("an implementation has a TOML form");
        let profile = self
            .origin
            .as_ref()
            .map(|o| o.profile.to_toml())
            .unwrap_or_default();
        let (version, seed) = self
            .origin
            .as_ref()
            .map_or((0, 0), |o| (o.generator_version, o.seed));
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(FILE_VERSION.to_le_bytes());
        bytes.extend(self.layout.version().to_le_bytes());
        bytes.extend(self.layout.version().to_le_bytes());
        bytes.extend(version.to_le_bytes());
        bytes.extend(seed.to_le_bytes());
        bytes.extend(self.cycles.to_le_bytes());
        bytes.extend(self.hash.0.to_be_bytes());
        bytes.extend((CHUNK_CYCLES as u32).to_le_bytes());
        bytes.extend((implementation.len() as u32).to_le_bytes());
        bytes.extend((profile.len() as u32).to_le_bytes());
        bytes.extend(0u32.to_le_bytes());
        let texts = [implementation.as_bytes(), profile.as_bytes()].concat();
        let checksum = XxHash3_64::oneshot(&[&bytes, &texts[..]].concat());
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(texts);
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        bytes
    }

    /// Reads the fixed part of a header: the layout of the cycles, and the lengths of the texts that follow it.
    pub(super) fn layout_and_text_lengths(
        path: &Path,
        fixed: &[u8],
    ) -> Result<(Layout, [u32; 2]), StimulusError> {
        if !fixed.starts_with(MAGIC) {
            return Err(StimulusError::Foreign {
                path: path.into(),
                found: beginning(fixed),
            });
        }
        let version = |what, expected, at: usize, advice| {
            let found = u16::from_le_bytes(take(fixed, at));
            match found == expected {
                true => Ok(()),
                false => Err(StimulusError::Version {
                    path: path.into(),
                    what,
                    expected,
                    found,
                    advice,
                }),
            }
        };
        if fixed.len() < FIXED {
            return Err(StimulusError::Header {
                path: path.into(),
                expected: "at least 72 bytes",
                found: format!("{} bytes", fixed.len()),
            });
        }
        version(
            "file format",
            FILE_VERSION,
            8,
            "read it with the version of lockstep that made it",
        )?;
        let layout = if u16::from_le_bytes(take(fixed, 10)) == 1 {
            Layout::One
        } else {
            version(
                "layout",
                LAYOUT_VERSION,
                10,
                "make it again for this layout of CycleInput",
            )?;
            Layout::Present
        };
        version(
            "contract",
            layout.version(),
            12,
            "make it again for this contract",
        )?;
        let lengths = [52, 56].map(|at| u32::from_le_bytes(take(fixed, at)));
        match lengths.iter().find(|&&length| length > TEXT_LIMIT) {
            Some(length) => Err(StimulusError::Header {
                path: path.into(),
                expected: "texts of at most 1 MiB",
                found: format!("one of {length} bytes"),
            }),
            None => Ok((layout, lengths)),
        }
    }

    /// Reads a header.
    pub(super) fn from_bytes(
        path: &Path,
        fixed: &[u8],
        texts: &[u8],
    ) -> Result<Self, StimulusError> {
        let (layout, [implementation_length, _]) = Self::layout_and_text_lengths(path, fixed)?;
        let error = |expected, found| StimulusError::Header {
            path: path.into(),
            expected,
            found,
        };
        let announced = u64::from_le_bytes(take(fixed, 64));
        let checksum = XxHash3_64::oneshot(&[&fixed[..64], texts].concat());
        if checksum != announced {
            return Err(error(
                "a checksum that fits",
                format!("{announced:016x} where its bytes give {checksum:016x}"),
            ));
        }
        let chunk = u32::from_le_bytes(take(fixed, 48));
        if chunk as usize != CHUNK_CYCLES {
            return Err(error("chunks of 1024 cycles", format!("chunks of {chunk}")));
        }
        let (implementation, profile) = texts.split_at(implementation_length as usize);
        let text = |bytes| std::str::from_utf8(bytes).map_err(|e| error("UTF-8", e.to_string()));
        let implementation = text(implementation)?;
        let mut implementation: Implementation = toml::from_str(implementation).map_err(|e| {
            error(
                "an implementation that this version knows",
                of_toml(implementation, &e).message,
            )
        })?;
        // SPE-03: what earlier versions wrote by default is reserved.
        if implementation.spe.pmsidr == EARLIER_PMSIDR {
            implementation.spe.pmsidr = Implementation::default().spe.pmsidr;
        }
        implementation.validate()?;
        let generator_version = u16::from_le_bytes(take(fixed, 14));
        let origin = match generator_version {
            0 => None,
            generator_version => Some(Origin {
                generator_version,
                seed: u64::from_le_bytes(take(fixed, 16)),
                profile: profile_of(generator_version, text(profile)?)?,
            }),
        };
        Ok(Self {
            origin,
            implementation,
            layout,
            cycles: u64::from_le_bytes(take(fixed, 24)),
            hash: StimulusHash(u128::from_be_bytes(take(fixed, 32))),
        })
    }
}

/// The profile of a file that a generator of `version` made.
fn profile_of(version: u16, text: &str) -> Result<Profile, StimulusError> {
    let mut profile = Profile::from_toml(text)?;
    if version < AUDIT_VERSION {
        profile.areas.audit = 0;
    }
    Ok(profile)
}

/// Where the cycles begin in a file whose texts have these lengths.
pub(super) fn body_offset(text_lengths: [u32; 2]) -> u64 {
    let texts: u64 = text_lengths.iter().map(|&length| u64::from(length)).sum();
    (FIXED as u64 + texts).next_multiple_of(16)
}

/// Bytes of a file, given where its cycles begin; `None` if no file can have so many.
pub(super) fn file_length(body: u64, layout: Layout, cycles: u64) -> Option<u64> {
    let checksums = cycles.div_ceil(CHUNK_CYCLES as u64).checked_mul(8)?;
    cycles
        .checked_mul(layout.cycle_bytes() as u64)?
        .checked_add(checksums)?
        .checked_add(body)
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the slice has N bytes")
}

/// What a foreign file begins with, for a message.
fn beginning(bytes: &[u8]) -> String {
    match &bytes[..bytes.len().min(8)] {
        [] => "an empty file".into(),
        bytes => format!("\"{}\"", bytes.escape_ascii()),
    }
}
