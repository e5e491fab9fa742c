//! Batches of cycles, compiled for the widest vector instructions that the machine has.

use crate::contract::{CycleInput, CycleOutput, Unknown};
use crate::trace::NoTracer;

use super::Model;
use super::select::{OneByOne, Select};

impl Model {
    /// A batch of cycles, with the widest vector instructions that the machine has. `random` has a byte for
    /// each, see [`Model::step`]. Of slices of different lengths the shortest tells how many cycles are made.
    pub fn run(
        &mut self,
        inputs: &[CycleInput],
        random: &[u8],
        outputs: &mut [CycleOutput],
        unknowns: &mut [Unknown],
    ) {
        let batch = Batch {
            model: self,
            inputs,
            random,
            outputs,
            unknowns,
        };
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            pulp::Simd::vectorize(
                simd,
                WithSelect {
                    batch,
                    select: simd,
                },
            );
            return;
        }
        pulp::Arch::new().dispatch(WithSelect {
            batch,
            select: OneByOne,
        });
    }
}

/// A batch of cycles.
struct Batch<'a> {
    model: &'a mut Model,
    inputs: &'a [CycleInput],
    random: &'a [u8],
    outputs: &'a mut [CycleOutput],
    unknowns: &'a mut [Unknown],
}

/// A batch to be run by code that is compiled for some machine.
struct WithSelect<'a, S> {
    batch: Batch<'a>,
    select: S,
}

impl<S: Select> pulp::WithSimd for WithSelect<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        let Batch {
            model,
            inputs,
            random,
            outputs,
            unknowns,
        } = self.batch;
        let cycles = inputs.iter().zip(random).zip(outputs).zip(unknowns);
        for (((input, &random), output), unknown) in cycles {
            model.step_with(input, random, output, unknown, &mut NoTracer, self.select);
        }
    }
}
