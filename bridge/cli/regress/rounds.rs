//! Rounds of runs until coverage is reached.

use std::collections::BTreeSet;
use std::path::Path;

use super::designs::Designs;
use super::farm::{Farm, Harvest};
use super::order::Order;
use super::rtl_coverage::Shard as RtlCoverage;
use super::steer::steer;
use crate::cli::{Failure, output};
use crate::regress::course::{Aim, Course};
use crate::regress::coverage::File as CoverageFile;
use crate::regress::record::{Header, Record};
use crate::regress::results::{self, Writer};
use crate::regress::rounds::Why;
use crate::regress::steering::{Taken, round};
use crate::regress::totals::Totals;
use crate::report::grouped;

/// Runs round after round, with results in a file. What is `known` of an earlier start is not run again: the rounds are a
/// function of the suite and of what their runs took, and come to the same runs.
///
/// # Returns
/// Why runs were left out, if some were; none if the user did not want to wait.
///
/// # Errors
/// Results cannot be written, a process cannot be started, or no run can be steered.
pub(super) fn rounds(
    order: &mut Order<'_>,
    aim: Aim,
    designs: &Designs,
    covered: &RtlCoverage,
    header: &mut Header,
    (path, mut known): (&Path, Vec<Record>),
) -> Result<Option<Vec<String>>, Failure> {
    let first = order.plan.runs.clone();
    let mut course = Course::new(aim);
    let (why, taken, stopped) = loop {
        header.plan_runs = order.plan.runs.len();
        header
            .parts
            .iter_mut()
            .for_each(|part| part.runs = header.plan_runs);
        let done: BTreeSet<_> = known.iter().map(|record| record.id.as_str()).collect();
        let left = order.numbers();
        let left: Vec<_> = left
            .filter(|&number| !done.contains(order.plan.runs[number].id.as_str()))
            .collect();
        let failed = known.iter().filter(|record| record.has_failed()).count();
        let mut writer = Writer::create(path, header, &known).map_err(Failure::infrastructure)?;
        let harvest = Farm::new(order, designs, header, covered).run(&left, failed, &mut writer)?;
        drop(writer);
        let read = results::earlier(path).map_err(Failure::infrastructure)?;
        known = read.map_or_else(Vec::new, |read| read.records);
        let taken = taken(order, &known)?;
        match harvest {
            Harvest::Interrupted => return Ok(None),
            Harvest::Enough(why) => {
                course.ended(&taken);
                break (Why::Stopped, taken, vec![why]);
            }
            Harvest::All => {}
        }
        let ended = course.ended(&taken);
        for (part, share) in taken.shares() {
            output::tell(&format!(
                "round {}: {part} has taken {} of {} rules and points\n",
                course.next() - 1,
                grouped(share.hit as u64),
                grouped(share.of as u64)
            ));
        }
        if let Some(why) = ended {
            break (why, taken, Vec::new());
        }
        let mut plan = round(&first, course.next(), &course.open(&taken));
        if !order.args.unsteered {
            let steered = steer(&mut plan, &taken, &order.folder, &order.out, order.jobs())?;
            let Some(steered) = steered else {
                return Ok(None);
            };
            steered.write()?;
        }
        let names: BTreeSet<_> = order.plan.runs.iter().map(|run| run.id.clone()).collect();
        let new = plan.runs.into_iter().filter(|run| !names.contains(&run.id));
        order.plan.runs.extend(new);
    };
    // Runs of an earlier start that the rounds did not come to, as another run took another end.
    let names: BTreeSet<_> = order.plan.runs.iter().map(|run| run.id.as_str()).collect();
    known.retain(|record| names.contains(record.id.as_str()));
    let writer = Writer::create(path, header, &known).map_err(Failure::infrastructure)?;
    let writer = writer.with_rounds(course.end(why, &taken));
    writer
        .finish(vec![order.shard.index], stopped.clone())
        .map_err(Failure::infrastructure)?;
    Ok(Some(stopped))
}

/// What the runs of all rounds so far took.
fn taken(order: &Order<'_>, known: &[Record]) -> Result<Taken, Failure> {
    let names: BTreeSet<_> = order.plan.runs.iter().map(|run| run.id.as_str()).collect();
    let mut totals = Totals::default();
    for record in known
        .iter()
        .filter(|record| names.contains(record.id.as_str()))
    {
        totals.add(record);
    }
    let file = CoverageFile::of(&order.suite.name, &totals).map_err(Failure::infrastructure)?;
    let merged = file.map_or_else(Vec::new, |file| file.merged);
    Taken::of(&order.plan, &order.folder, merged).map_err(Failure::input)
}
