//! The areas other than `threshold`: what is driven, and which scripts are begun.

use serde::{Deserialize, Serialize};

use super::weights::weights;
use super::{Profile, StimulusError};

weights! {
    /// Shares of the areas in the register accesses. The inputs of an area with share 0 are not driven.
    Areas, Area {
        /// Base values, `counting_allowed`, the registers of the event counters.
        threshold Threshold,
        /// Statistical Profiling.
        spe Spe,
        /// State and controls of the PE, and accesses to event types from everywhere.
        access Access,
        /// Conditions and counts of the threads.
        cycles Cycles,
        /// System PMUs.
        spmu Spmu,
        /// The constants that rules compare with, and the values around them.
        audit Audit,
    }
}

/// Area `spe`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeArea {
    /// Shortest length of a phase in cycles, at least 1.
    pub shortest: u16,
    /// Longest length of a phase in cycles, at least `shortest`.
    pub longest: u16,
    /// Out of 1024 cycles, how many change `profiling`.
    pub change: u16,
    /// Shares of the rates of operations.
    pub rates: Rates,
    /// Shares of the rates of completing samples.
    pub completions: Completions,
    /// Shares of register accesses.
    pub accesses: SpeAccesses,
}

weights! {
    /// Weights of how many operations there are in a cycle of a phase.
    Rates, RateKind {
        /// None, or seldom one.
        none None,
        /// 0 or 1.
        one One,
        /// 0 to 3.
        few Few,
        /// 0 to 15.
        many Many,
        /// 15, seldom fewer.
        full Full,
        /// 0 mostly, now and then 15.
        burst Burst,
    }
}

weights! {
    /// Weights of how many samples complete in a cycle of a phase.
    Completions, CompletionKind {
        /// None.
        none None,
        /// One, seldom.
        rare Rare,
        /// One, in a quarter of the cycles.
        even Even,
        /// 0 to 15.
        many Many,
    }
}

weights! {
    /// Weights of the scripts of area `spe`.
    SpeAccesses, SpeScript {
        /// PMSIRR_EL1: INTERVAL mostly 1 to 4, RND.
        interval Interval,
        /// PMSICR_EL1: zero, or soon zero.
        count Count,
        /// A read of any register of Statistical Profiling.
        read Read,
        /// PMBSR_ELx.COLL, set or cleared.
        buffer Buffer,
        /// An access in the cycle of a selection or of a collision.
        coincide Coincide,
        /// A counter of SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE or SAMPLE_COLLISION.
        sample_type SampleType,
        /// Profiling is disabled, then enabled.
        restart Restart,
        /// INTERVAL = 0, and soon a reset.
        unknown Unknown,
    }
}

/// Area `access`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessArea {
    /// Shortest length of a phase in cycles, at least 1.
    pub shortest: u16,
    /// Longest length of a phase in cycles, at least `shortest`.
    pub longest: u16,
    /// Out of 1024 cycles, how many change the state of a thread or a control.
    pub change: u16,
    /// Out of 1024 cycles of phases `wild`, how many change all of them.
    pub wild: u16,
    /// Shares of the kinds of phases.
    pub kinds: AccessKinds,
    /// Shares of register accesses.
    pub accesses: AccessAccesses,
}

weights! {
    /// Weights of the kinds of phases of area `access`.
    AccessKinds, AccessMode {
        /// Every level has access.
        open Open,
        /// One control, or two, that something is trapped or refused by.
        defect Defect,
        /// Any controls, which change one by one.
        mixed Mixed,
        /// Any state and any controls, all changing at once.
        wild Wild,
        /// Debug state: nothing counts.
        debug Debug,
        /// The inputs of the area are not driven, and are to be ignored.
        undriven Undriven,
    }
}

weights! {
    /// Weights of the scripts of area `access`. *n* is any of 0 to 30, implemented or not.
    AccessAccesses, TypeScript {
        /// MRS of PMEVTYPER\<n\>_EL0.
        read_type ReadType,
        /// MSR of PMEVTYPER\<n\>_EL0, then a read by any way.
        write_type WriteType,
        /// PMSELR_EL0, then PMXEVTYPER_EL0.
        select Select,
        /// MRC and MCR.
        aarch32 Aarch32,
        /// Reads and writes from outside.
        external External,
        /// PMCCFILTR_EL0 by any way.
        cycle_filter CycleFilter,
    }
}

/// Area `cycles`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CyclesArea {
    /// Shortest length of a phase in cycles, at least 1.
    pub shortest: u16,
    /// Longest length of a phase in cycles, at least `shortest`.
    pub longest: u16,
    /// Out of 1024 cycles, how many put threads into WFI or WFE state, or take them out of it.
    pub change: u16,
    /// Out of 1024 cycles, how many stop the clock.
    pub stop: u16,
    /// Shares of the kinds of phases.
    pub kinds: CyclesKinds,
    /// Shares of register accesses.
    pub accesses: CyclesAccesses,
}

weights! {
    /// Weights of the kinds of phases of area `cycles`.
    CyclesKinds, CyclesMode {
        /// Few stalls.
        calm Calm,
        /// Stalls of the frontend.
        frontend Frontend,
        /// Stalls of the backend.
        backend Backend,
        /// Stalls of all threads at once.
        stalled Stalled,
        /// Any conditions.
        wild Wild,
        /// The inputs of the area are not driven, and are to be ignored.
        undriven Undriven,
    }
}

weights! {
    /// Weights of the scripts of area `cycles`.
    CyclesAccesses, CyclesScript {
        /// A counter of an event of the threads.
        one_type OneType,
        /// The same event in some counters, with MT 0 and 1.
        same_event SameEvent,
        /// A read of an event counter or of PMCCNTR_EL0.
        read Read,
    }
}

/// Area `spmu`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpmuArea {
    /// Shares of register accesses.
    pub accesses: SpmuAccesses,
}

weights! {
    /// Weights of the scripts of area `spmu`.
    SpmuAccesses, SpmuScript {
        /// SPMSELR_EL0.
        select Select,
        /// A read of a register that describes the System PMU.
        identity Identity,
        /// A write of one.
        write_identity WriteIdentity,
        /// SPMEVCNTR, SPMEVTYPER, SPMEVFILTR, SPMEVFILT2R of a counter, implemented or not.
        counter Counter,
        /// SPMCNTEN, SPMINTEN, SPMOVS.
        masks Masks,
        /// A read of any register of System PMUs.
        read Read,
    }
}

/// Area `audit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditArea {
    /// Shares of register accesses.
    pub accesses: AuditAccesses,
}

weights! {
    /// Weights of the scripts of area `audit`. Each goes on where the last one of its kind ended.
    AuditAccesses, AuditScript {
        /// An event number that may be taken for another one.
        event Event,
        /// Accesses that are refused or ignored, wherever they may be taken for others.
        address Address,
        /// Values of counters that carry when they are counted up.
        value Value,
        /// PMSELR_EL0, then what it selects.
        select Select,
        /// SPMSELR_EL0, then what it selects.
        system System,
        /// The counters around HPMN.
        limit Limit,
        /// PMCR_EL0.
        control Control,
        /// A reserved {TC, TE, TLC} for a few cycles.
        reserved Reserved,
        /// INTERVAL, loaded.
        interval Interval,
        /// COUNT or ECOUNT, counted down.
        count Count,
    }
}

impl Profile {
    /// Checks what the areas other than `threshold` say.
    pub(super) fn validate_areas(&self) -> Result<(), StimulusError> {
        let Self {
            areas,
            spe,
            access,
            cycles,
            spmu,
            audit,
            ..
        } = self;
        for (key, weights) in [
            ("areas", areas.weights()),
            ("spe.rates", spe.rates.weights()),
            ("spe.completions", spe.completions.weights()),
            ("spe.accesses", spe.accesses.weights()),
            ("access.kinds", access.kinds.weights()),
            ("access.accesses", access.accesses.weights()),
            ("cycles.kinds", cycles.kinds.weights()),
            ("cycles.accesses", cycles.accesses.weights()),
            ("spmu.accesses", spmu.accesses.weights()),
            ("audit.accesses", audit.accesses.weights()),
        ] {
            if weights.iter().all(|&weight| weight == 0) {
                return Err(StimulusError::Profile(format!(
                    "{key}: every weight is 0, expected one that is not"
                )));
            }
        }
        for (name, shortest, longest) in [
            ("spe", spe.shortest, spe.longest),
            ("access", access.shortest, access.longest),
            ("cycles", cycles.shortest, cycles.longest),
        ] {
            if shortest == 0 || longest < shortest {
                return Err(StimulusError::Profile(format!(
                    "{name}.shortest = {shortest}, longest = {longest}: expected 1 <= shortest <= longest"
                )));
            }
        }
        for (key, share) in [
            ("spe.change", spe.change),
            ("access.change", access.change),
            ("access.wild", access.wild),
            (
                "cycles.change + cycles.stop",
                cycles.change.saturating_add(cycles.stop),
            ),
        ] {
            if share > 1024 {
                return Err(StimulusError::Profile(format!(
                    "{key} = {share}: expected at most 1024"
                )));
            }
        }
        Ok(())
    }
}
