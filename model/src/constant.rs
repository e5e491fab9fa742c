//! What constants need and the library has for values alone.

/// Whether two names are one.
pub(crate) const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut k = 0;
    while k < one.len() {
        if one[k] != other[k] {
            return false;
        }
        k += 1;
    }
    true
}
