//! Files of vectors on the model and on a design.

use std::path::PathBuf;

use crate::rtl::{self, Designs, Expression, OnRtlError};
use crate::{Failure, Side, Summary, Vector};
use crate::{cyc, ety, spe, spmu, th};

/// A vector in terms of the ports.
fn express(vector: Vector) -> Expression {
    match vector {
        Vector::Th(vector) => th::rtl::express(vector),
        Vector::Spe(vector) => spe::rtl::express(vector),
        Vector::Ety(vector) => ety::rtl::express(*vector),
        Vector::Cyc(vector) => cyc::rtl::express(vector),
        Vector::Spmu(vector) => spmu::rtl::express(*vector),
    }
}

/// Runs every line of every file on the model, and those that the ports of a design can express on the RTL.
///
/// # Errors
/// As [`run_files`](crate::run_files), or a design cannot be had, or ended its process.
pub fn run_files_on_rtl<E>(
    paths: &[PathBuf],
    mut designs: Designs<'_, E>,
) -> Result<Summary, OnRtlError<E>> {
    let mut summary = Summary::default();
    let mut places = Vec::new();
    let mut vectors = Vec::new();
    for path in paths {
        let run = summary.for_each_vector(path, |line, area, vector| {
            places.push((path, line));
            vectors.push((area, express(vector)));
        });
        run.map_err(OnRtlError::File)?;
    }
    let (mut tallies, differences) = rtl::run(&vectors, &mut designs)?;
    for tally in &mut summary.areas {
        tally.rtl = tallies.remove(&tally.area);
    }
    for (index, message) in differences {
        let (path, line) = places[index];
        summary.failures.push(Failure {
            side: Side::Rtl,
            file: path.clone(),
            line,
            message,
        });
    }
    Ok(summary)
}
