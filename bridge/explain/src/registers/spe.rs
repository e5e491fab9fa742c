//! Registers of Statistical Profiling.

use pmu_model::pmu::event_type::Field;
use pmu_model::spe::registers::{Pmsicr, Pmsirr, pmsidr_ernd, recommended_minimum};
use pmu_model::spe::{Select, ZeroInterval};
use pmu_model::sysreg::fields::{PMBSR, PMSICR, PMSIDR, PMSIRR, named};

use super::{Words, field_of};

const ECOUNT: Field = named(PMSICR, "ECOUNT");
const COUNT: Field = named(PMSICR, "COUNT");
const INTERVAL: Field = named(PMSIRR, "INTERVAL");
const RND: Field = named(PMSIRR, "RND");

/// PMSICR_EL1.
pub(super) fn pmsicr(words: &mut Words) {
    let spe = &words.implementation.spe;
    let ernd = spe.ernd;
    let to_zero = words.implementation.knobs.spe.select == Select::ToZero;
    let register = Pmsicr::written(words.value, ernd);
    let (count, ecount) = (u64::from(register.count), register.ecount);
    if register.is_zero() {
        words.say(
            "zero: COUNT is loaded from PMSIRR_EL1 when profiling becomes enabled",
            &["SPE-10", "SPE-12"],
        );
    } else {
        words.say(
            "not zero: sampling goes on from these values when profiling becomes enabled",
            &["SPE-10", "SPE-26"],
        );
    }
    let next = if to_zero { count } else { count + 1 };
    if count == 0 && ecount != 0 {
        words.say("COUNT is 0: the next operation loads it", &["SPE-21"]);
    } else if count != 0 {
        words.say(
            format!("COUNT expires on operation {next} from here, which is selected unless a random number is counted after it"),
            &["SPE-20", "SPE-21"],
        );
    }
    if ecount != 0 {
        words.say(
            format!("ECOUNT counts beside COUNT: operation {ecount} from here makes it zero and is selected"),
            &["SPE-23"],
        );
    }
    words.field_with(
        ECOUNT,
        ecount.into(),
        if ernd {
            format!("{ecount} operations to the selected one")
        } else {
            "RES0: FEAT_SPE_ERnd is not implemented".into()
        },
    );
    words.field(COUNT, format!("{count} operations to zero"));
    if words.of(ECOUNT) != 0 && !ernd {
        words.warn(
            "ECOUNT is set where it is RES0: FEAT_SPE_ERnd is not implemented",
            &["SPE-01"],
        );
    }
    warn_without_spe(words);
    words.warn_of_res0(&["SPE-01"]);
}

/// PMSIRR_EL1.
pub(super) fn pmsirr(words: &mut Words) {
    let implementation = words.implementation;
    let register = Pmsirr::written(words.value);
    let operations = u64::from(register.interval) * 256;
    let ernd = implementation.spe.ernd;
    let exact = operations + 1;
    if register.interval == 0 {
        words.say("the sampling interval is UNKNOWN", &["SPE-29"]);
    } else if !register.rnd {
        words.say(
            format!("one operation in exactly {exact} is selected"),
            &["SPE-24"],
        );
        words.say(
            format!("from PMSICR_EL1 = 0 the first is operation {exact}"),
            &["SPE-25"],
        );
    } else if ernd {
        words.say(
            format!(
                "one operation in {} to {} is selected, {exact} on average: a random byte is counted after each interval",
                exact - 255,
                exact + 255
            ),
            &["SPE-24", "SPE-22"],
        );
        words.say(
            format!(
                "from PMSICR_EL1 = 0 the first is operation {exact} to {}",
                exact + 255
            ),
            &["SPE-25"],
        );
    } else {
        words.say(
            format!(
                "one operation in {exact} to {} is selected, {operations} + 128.5 on average: a random byte is loaded with each interval",
                exact + 255
            ),
            &["SPE-24", "SPE-12"],
        );
        words.say(
            format!(
                "from PMSICR_EL1 = 0 the first is operation {exact} to {}",
                exact + 255
            ),
            &["SPE-25"],
        );
    }
    let interval = words.of(INTERVAL);
    words.field(
        INTERVAL,
        format!("{interval} * 256 = {operations} operations"),
    );
    words.field(
        RND,
        match (register.rnd, ernd) {
            (false, _) => "no random numbers",
            (true, true) => "a random byte after each interval (PMSIDR_EL1.ERnd is 1)",
            (true, false) => "a random byte in COUNT[7:0] of each interval (PMSIDR_EL1.ERnd is 0)",
        },
    );
    if register.interval == 0 {
        let taken = match implementation.knobs.spe.zero_interval {
            ZeroInterval::Literal => "every operation is selected",
            ZeroInterval::Min256 => "as if it were 1",
        };
        words.warn(
            format!("INTERVAL is 0: in the model {taken}, and sampling is not compared until the next reset"),
            &["SPE-29"],
        );
    }
    let minimum = recommended_minimum(implementation.pmsidr().into());
    if let Some(minimum) = minimum.filter(|&minimum| operations < minimum.into() && operations != 0)
    {
        words.warn(
            format!("{operations} operations are fewer than PMSIDR_EL1.Interval recommends, {minimum}: legal, with more collisions"),
            &["SPE-03", "SPE-29"],
        );
    }
    warn_without_spe(words);
    words.warn_of_res0(&["SPE-02"]);
}

/// PMSIDR_EL1.
pub(super) fn pmsidr(words: &mut Words) {
    let value = words.value;
    let minimum = recommended_minimum(value);
    match minimum {
        Some(minimum) => words.say(
            format!("software is advised to sample at most one operation in {minimum}; hardware counts any interval"),
            &["SPE-03"],
        ),
        None => words.say("software gets no advice: Interval is reserved", &["SPE-03"]),
    }
    words.say(
        if pmsidr_ernd(value) {
            "a random number is counted after the interval, while the next one runs"
        } else {
            "a random number is part of the interval, from its start"
        },
        &["SPE-03", "SPE-31"],
    );
    let (count, max) = (named(PMSIDR, "CountSize"), named(PMSIDR, "MaxSize"));
    words.field(
        count,
        format!("{}, of the counters in a record", words.of(count)),
    );
    words.field(max, format!("{}, of a record", words.of(max)));
    let interval = named(PMSIDR, "Interval");
    words.field(
        interval,
        match (words.of(interval), minimum) {
            (0, _) => "256 operations, or no recommendation".into(),
            (_, Some(minimum)) => format!("{minimum} operations"),
            (_, None) => "reserved".into(),
        },
    );
    words.field(
        named(PMSIDR, "ERnd"),
        if pmsidr_ernd(value) {
            "the random number comes after the interval"
        } else {
            "the random number comes with the interval"
        },
    );
    let arch = named(PMSIDR, "ArchInst");
    words.field(
        arch,
        match words.of(arch) {
            0 => "samples micro-operations",
            _ => "samples architectural instructions",
        },
    );
    if minimum.is_none() {
        words.warn(
            format!("Interval = {:04b} is reserved", words.of(interval)),
            &["SPE-03"],
        );
    }
    let others = value & !0x000F_FF28;
    if others != 0 {
        words.warn(
            format!(
                "{} set, which the requirements do not name",
                super::bits(others)
            ),
            &["SPE-03"],
        );
    }
    let expected = u64::from(words.implementation.pmsidr());
    if value != expected {
        words.warn(
            format!("the implementation has PMSIDR_EL1 = {expected:#x}"),
            &["SPE-03"],
        );
    }
}

/// `PMBSR_EL<level>`.
pub(super) fn pmbsr(words: &mut Words, level: u8) {
    let coll = named(PMBSR, "COLL");
    let collided = words.of(coll) == 1;
    words.say(
        if collided {
            "a sample collided since COLL was last cleared, by a write"
        } else {
            "no sample collided since COLL was last cleared, by a write"
        },
        &["SPE-42", "SPE-43"],
    );
    let stopped = named(PMBSR, "S");
    if words.of(stopped) == 1 {
        words.say(
            "profiling is stopped, by another event than a collision",
            &["SPE-43"],
        );
    }
    words.field(named(PMBSR, "MSS2"), "syndrome of the event, second part");
    words.field(named(PMBSR, "EC"), "class of the event");
    for (name, bit, zero, one) in [
        ("DL", 19, "no data were lost", "data were lost"),
        ("EA", 18, "no External abort", "an External abort"),
        ("S", 17, "profiling is not stopped", "profiling is stopped"),
        (
            "COLL",
            16,
            "no collision",
            "a collision; stays until it is written",
        ),
    ] {
        let field = field_of(name, bit, bit);
        words.field(field, if words.of(field) == 0 { zero } else { one });
    }
    words.field(named(PMBSR, "MSS"), "syndrome of the event");
    if level > 1 && !words.implementation.spe.exc {
        words.warn(
            format!("PMBSR_EL{level} does not exist: FEAT_SPE_EXC is not implemented"),
            &["SPE-42"],
        );
    }
    warn_without_spe(words);
    words.warn_of_res0(&[]);
}

fn warn_without_spe(words: &mut Words) {
    if !words.implementation.spe.implemented {
        let register = words.explanation.register.clone();
        words.warn(
            format!("{register} does not exist: FEAT_SPE is not implemented"),
            &["DUT-30"],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Explanation, explain};
    use pmu_model::Implementation;
    use pmu_model::SysReg;

    fn explained(register: SysReg, value: u64, ernd: bool) -> Explanation {
        let mut implementation = Implementation::default();
        implementation.spe.ernd = ernd;
        explain(register, value, &implementation).expect("consistent")
    }

    #[test]
    fn spe_24_interval_and_mean() {
        let first = |value, ernd| {
            explained(SysReg::Pmsirr, value, ernd).summary[0]
                .text
                .clone()
        };
        assert_eq!(
            first(0x400, true),
            "one operation in exactly 1025 is selected"
        );
        assert!(
            first(0x401, true)
                .starts_with("one operation in 770 to 1280 is selected, 1025 on average")
        );
        assert!(
            first(0x401, false)
                .starts_with("one operation in 1025 to 1280 is selected, 1024 + 128.5 on average")
        );
        assert_eq!(first(1, true), "the sampling interval is UNKNOWN");
    }

    #[test]
    fn spe_03_short_intervals_are_legal() {
        // The default advises 512.
        let explanation = explained(SysReg::Pmsirr, 0x100, true);
        assert!(
            explanation.warnings[0]
                .text
                .contains("fewer than PMSIDR_EL1.Interval recommends, 512")
        );
        assert!(explained(SysReg::Pmsirr, 0x200, true).warnings.is_empty());
    }

    #[test]
    fn spe_26_the_first_selection_from_a_nonzero_pmsicr() {
        let explanation = explained(SysReg::Pmsicr, 7, true);
        assert!(
            explanation.summary[1]
                .text
                .starts_with("COUNT expires on operation 8 ")
        );
    }

    #[test]
    fn spe_01_ecount_needs_ernd() {
        assert!(
            explained(SysReg::Pmsicr, 5 << 56 | 1, true)
                .warnings
                .is_empty()
        );
        let explanation = explained(SysReg::Pmsicr, 5 << 56 | 1, false);
        assert_eq!(explanation.warnings[0].rules, ["SPE-01"]);
    }
}
