//! Large numbers for people.

/// A number in groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things, in groups of three digits.
pub fn counted(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(count))
}

/// `1 cycle`, `2 cycles`.
pub fn plural(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// Why fields were not compared, in words: the architecture leaves them UNKNOWN, and, where there are waivers, these may
/// accept whatever the RTL shows.
pub fn left_out(has_waivers: bool) -> &'static str {
    match has_waivers {
        true => "UNKNOWN or waived",
        false => "UNKNOWN",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn groups_of_three() {
        assert_eq!(super::grouped(0), "0");
        assert_eq!(super::grouped(999), "999");
        assert_eq!(super::grouped(1000), "1,000");
        assert_eq!(super::grouped(12_345_678), "12,345,678");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(super::counted(0, "cycle"), "0 cycles");
        assert_eq!(super::counted(1, "cycle"), "1 cycle");
        assert_eq!(super::counted(1000, "cycle"), "1,000 cycles");
    }
}
