//! The areas other than `threshold`: what is driven, and which scripts are begun.

use serde::{Deserialize, Serialize};

use super::weights::weights;
use super::{Profile, StimulusError};

weights! {
    /// Shares of the areas in the register accesses. The inputs of an area with share 0 are not driven.
    Areas, Area {
        threshold Threshold,
        spe Spe,
        access Access,
        cycles Cycles,
        spmu Spmu,
        audit Audit,
    }
}

/// Area `spe`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeArea {
    pub shortest: u16,
    pub longest: u16,
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
        none None,
        one One,
        few Few,
        many Many,
        full Full,
        burst Burst,
    }
}

weights! {
    /// Weights of how many samples complete in a cycle of a phase.
    Completions, CompletionKind {
        none None,
        rare Rare,
        even Even,
        many Many,
    }
}

weights! {
    /// Weights of the scripts of area `spe`.
    SpeAccesses, SpeScript {
        interval Interval,
        count Count,
        read Read,
        buffer Buffer,
        coincide Coincide,
        sample_type SampleType,
        restart Restart,
        unknown Unknown,
    }
}

/// Area `access`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessArea {
    pub shortest: u16,
    pub longest: u16,
    pub change: u16,
    pub wild: u16,
    /// Shares of the kinds of phases.
    pub kinds: AccessKinds,
    /// Shares of register accesses.
    pub accesses: AccessAccesses,
}

weights! {
    /// Weights of the kinds of phases of area `access`.
    AccessKinds, AccessMode {
        open Open,
        defect Defect,
        mixed Mixed,
        wild Wild,
        debug Debug,
        undriven Undriven,
    }
}

weights! {
    /// Weights of the scripts of area `access`. *n* is any of 0 to 30, implemented or not.
    AccessAccesses, TypeScript {
        read_type ReadType,
        write_type WriteType,
        select Select,
        aarch32 Aarch32,
        external External,
        cycle_filter CycleFilter,
    }
}

/// Area `cycles`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CyclesArea {
    pub shortest: u16,
    pub longest: u16,
    pub change: u16,
    pub stop: u16,
    /// Shares of the kinds of phases.
    pub kinds: CyclesKinds,
    /// Shares of register accesses.
    pub accesses: CyclesAccesses,
}

weights! {
    /// Weights of the kinds of phases of area `cycles`.
    CyclesKinds, CyclesMode {
        calm Calm,
        frontend Frontend,
        backend Backend,
        stalled Stalled,
        wild Wild,
        undriven Undriven,
    }
}

weights! {
    /// Weights of the scripts of area `cycles`.
    CyclesAccesses, CyclesScript {
        one_type OneType,
        same_event SameEvent,
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
        select Select,
        identity Identity,
        write_identity WriteIdentity,
        counter Counter,
        masks Masks,
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
        event Event,
        address Address,
        value Value,
        select Select,
        system System,
        limit Limit,
        control Control,
        reserved Reserved,
        interval Interval,
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
