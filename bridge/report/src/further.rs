//! Divergences after the first one, in words.

use lockstep_base::counted::{counted, grouped};
use lockstep_engine::lockstep::{Further, FurtherDivergence};

/// What came after the first divergence, in a sentence.
pub fn sentence(further: &Further) -> String {
    let found = match (further.stretches, further.diverged) {
        (0, _) => "no reset after it: nothing more was compared".to_owned(),
        (all, 0) => format!("none in {} from a reset on", stretches(all)),
        (all, diverged) => format!(
            "in {} of {} from a reset on, {} of them in the field of the first one",
            grouped(diverged),
            stretches(all),
            grouped(further.like_the_first)
        ),
    };
    let ended = further.ended.as_ref();
    let ended = ended.map_or(String::new(), |why| {
        format!("; the run did not come to its end: {why}")
    });
    format!(
        "{found}; {} not compared, from each divergence to the next reset{ended}",
        counted(further.cycles_not_compared, "cycle")
    )
}

/// A line of the list.
pub fn line(one: &FurtherDivergence) -> String {
    let late = match one.about == one.cycle {
        true => String::new(),
        false => format!(", which shows the outputs of cycle {}", one.about),
    };
    format!(
        "{}: expected {}, RTL {}, in cycle {}{late}, in {}",
        one.field,
        one.expected,
        one.rtl,
        one.cycle,
        stretches(one.stretches)
    )
}

/// What the list has no place for, if there is such.
pub fn not_listed(further: &Further) -> Option<String> {
    let more = further.not_listed;
    (more > 0).then(|| format!("and in other fields in {}", stretches(more)))
}

/// `1 stretch`, `2 stretches`.
pub fn stretches(count: u64) -> String {
    match count {
        1 => "1 stretch".into(),
        _ => format!("{} stretches", grouped(count)),
    }
}
