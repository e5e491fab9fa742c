//! {TC, TE, TLC}: which combinations are reserved.

/// {TC, TE, TLC}.
pub type ThresholdControl = (u8, bool, u8);

/// TH-30..33, on Effective values (TH-36).
pub fn is_reserved(tc: u8, te: bool, tlc: u8) -> bool {
    let th_30 = tlc == 0b11;
    let th_31 = tc & 1 == 1 && !te && tlc == 0b10;
    let th_32 = te && tlc == 0b01;
    let th_33 = tc & 0b11 == 0 && te;
    th_30 || th_31 || th_32 || th_33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_th_30_to_33() {
        let all = || (0..64).map(|i| (i >> 3, i >> 2 & 1 == 1, i & 3));
        assert_eq!(
            all()
                .filter(|&(tc, te, tlc)| is_reserved(tc, te, tlc))
                .count(),
            32
        );
        assert_eq!(
            all()
                .filter(|&(tc, te, tlc)| tlc == 0 && is_reserved(tc, te, tlc))
                .count(),
            2
        );
        assert_eq!(all().filter(|&(_, _, tlc)| tlc == 3).count(), 16);
    }
}
