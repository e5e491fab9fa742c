//! Area `cyc` on the RTL: as on the model, every kind of event has two counters, with MT 0 and MT 1.

use pmu_model::cycles::Event;
use pmu_model::features::Feature;

use super::{Vector, run_threads};
use crate::rtl::{Expression, Requirements, Values};

/// A vector in terms of the ports.
pub fn express(vector: Vector) -> Expression {
    let mut requirements = Requirements {
        counters: Values::from(2 * Event::ALL.len()),
        threads: Values::from(vector.threads()),
        ..Requirements::default()
    };
    requirements.fix(Feature::Pmuv3p1, true);
    requirements.fix(Feature::Mt, true);
    let mut expression = Expression::default();
    expression.add(requirements, move |bench| run_threads(&vector, bench));
    expression
}
