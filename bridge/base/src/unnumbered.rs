//! Names without the numbers of counters, and of Exception levels.

/// The name of a field or register, with `n` for the number of the counter, and `x` for that of the Exception level where
/// several have such a register: `V[n]`, `PMEVCNTRn_EL0`, `PMBSR_ELx`.
pub fn unnumbered(name: &str) -> String {
    let mut out = String::new();
    let (head, tail) = match name.find("_EL") {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    let tail = match head {
        // SPE-04
        "PMBSR" => tail.replace(char::is_numeric, "x"),
        _ => tail.to_owned(),
    };
    let mut digits = head.chars().peekable();
    while let Some(letter) = digits.next() {
        if !letter.is_ascii_digit() {
            out.push(letter);
            continue;
        }
        while digits.next_if(char::is_ascii_digit).is_some() {}
        out.push('n');
    }
    out + &tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_no_numbers() {
        for (name, bare) in [
            ("V[12]", "V[n]"),
            ("PMEVCNTR31_EL0", "PMEVCNTRn_EL0"),
            ("PMCCFILTR_EL0", "PMCCFILTR_EL0"),
            ("SPMEVFILT2R13_EL0", "SPMEVFILTnRn_EL0"),
            ("PMSICR_EL1", "PMSICR_EL1"),
            ("PMBSR_EL3", "PMBSR_ELx"),
        ] {
            assert_eq!(unnumbered(name), bare);
        }
    }
}
