//! XXH3 of 128 bits of bytes that come in pieces.
//!
//! The loop of `twox-hash` is generic, so that it is compiled where it is used; in a large crate it came out three times
//! slower whenever the compiler happened to put its parts into different units. Here it is in one.
#![forbid(unsafe_code)]

use twox_hash::XxHash3_128;

/// Hashes bytes as they come.
///
/// ```
/// use content_hash::ContentHasher;
///
/// let (mut whole, mut pieces) = (ContentHasher::default(), ContentHasher::default());
/// whole.update(b"stimulus");
/// pieces.update(b"stim");
/// pieces.update(b"ulus");
/// assert_eq!(whole.hash(), pieces.hash());
/// ```
#[derive(Clone, Default)]
pub struct ContentHasher(XxHash3_128);

impl ContentHasher {
    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// The hash of the bytes taken so far.
    pub fn hash(&self) -> u128 {
        self.0.finish_128()
    }
}
