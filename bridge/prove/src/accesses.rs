//! Which accesses do what: the model's own decoding, run for every access that may be driven, and its rules, run for
//! every state of the PE that they look at.

use std::sync::Arc;

use pmu_model::audit::{KINDS, is_driven};
use pmu_model::contract::{AccessKind, AccessOutcome};
use pmu_model::pmu::access::{Access, Decision, Decoded, Half, Port as Decoder, State, Write};
use pmu_model::pmu::registers::Registers;
use pmu_model::spe::SamplingUnit;
use pmu_model::spmu::SystemPmus;
use pmu_model::{CycleInput, Implementation, ImplementationError, SysReg};

use crate::access_rules::{self, AccessRules, Ruled};
use crate::circuit::{Circuit, Lit};
use crate::contract::{bit_of, field};
use crate::table::Table;

/// Bits of an address.
const ADDRESS: usize = 16;
/// Bits of PMSELR_EL0.SEL.
const SELECT: usize = 5;

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// PMCR_EL0.
    Control,
    /// PMCNTENSET_EL0.
    Enable,
    /// PMCNTENCLR_EL0.
    Disable,
    /// PMOVSSET_EL0.
    SetFlags,
    /// PMOVSCLR_EL0.
    ClearFlags,
    /// PMSELR_EL0.
    Select,
    /// The value of a counter, 31 for PMCCNTR_EL0.
    Counter(usize),
    /// The type of a counter, 31 for PMCCFILTR_EL0.
    Type(usize),
    /// PMSICR_EL1.
    Count,
    /// PMSIRR_EL1.
    Interval,
    /// `PMBSR_EL<x>`.
    Buffer(u8),
    /// A register of System PMUs.
    System(SysReg),
}

impl Effect {
    /// That of a write of a register, and the bits of its data that count, as it was made with all of them 1.
    fn of(register: SysReg, write: &Write) -> (Self, u64) {
        match *write {
            Write::Control(data) => (Self::Control, data),
            Write::Enable(counters) => (Self::Enable, counters.into()),
            Write::Disable(counters) => (Self::Disable, counters.into()),
            Write::SetFlags(flags) => (Self::SetFlags, flags.into()),
            Write::ClearFlags(flags) => (Self::ClearFlags, flags.into()),
            Write::Select(data) => (Self::Select, data),
            Write::Counter(n, data) => (Self::Counter(n), data),
            Write::Type(n, data) => (Self::Type(n), data),
            Write::Pmsicr(data) => (Self::Count, data),
            Write::Pmsirr(data) => (Self::Interval, data),
            Write::Pmbsr(x, data) => (Self::Buffer(x), data),
            Write::SystemPmu(data) => (Self::System(register), data),
        }
    }
}

/// What an access does if no rule keeps it from it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    /// It is UNDEFINED.
    Undefined,
    /// It reads a register, or half of it.
    Read(SysReg, Option<Half>),
    /// It writes these bits, in the upper half of which the data's lower one may be.
    Write(Effect, u64, bool),
}

/// An access that does something, or has rules.
#[derive(Clone, Debug)]
struct Found {
    kind: AccessKind,
    address: u16,
    /// SEL, where it is of matter.
    select: Option<u8>,
    does: Does,
    rules: Option<Ruled>,
}

/// The accesses of an implementation.
#[derive(Debug)]
pub struct Accesses {
    found: Vec<Found>,
    /// By kind, the addresses that may be driven; of `None` all may.
    legal: [(AccessKind, Table); KINDS.len()],
    rules: AccessRules,
}

impl Accesses {
    /// Those of `implementation`.
    ///
    /// # Errors
    /// It is impossible.
    pub fn of(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let decoder = Decoder::new(Arc::new(implementation.clone()));
        let sampling = SamplingUnit::new(implementation)?;
        let system_pmus = SystemPmus::new(implementation);
        let selected = (0..1u8 << SELECT).map(|select| {
            let mut registers = Registers::new(implementation);
            // What is not written is zero then.
            registers.types.fill(0);
            registers.select = select;
            registers
        });
        let selected: Vec<_> = selected.collect();
        let decode = |registers: &Registers, input: &CycleInput| {
            let mut decoded = Decoded::NONE;
            let state = State {
                registers,
                sampling: &sampling,
                system_pmus: &system_pmus,
            };
            decoder.decode(input, state, &mut decoded);
            does(&decoded)
        };
        let mut found = Vec::new();
        for kind in KINDS {
            for address in 0..=u16::MAX {
                // Without a state of the PE no rule keeps it from anything; and a write is of all ones.
                let input = CycleInput {
                    access_kind: kind as u8,
                    access_address: address,
                    access_data: u64::MAX,
                    ..CycleInput::default()
                };
                let all: Vec<_> = selected.iter().map(|of| decode(of, &input)).collect();
                let depends = all.iter().any(|does| *does != all[0]);
                for (select, does) in all.into_iter().enumerate() {
                    let Some((does, rules)) = does else {
                        continue;
                    };
                    if depends || select == 0 {
                        found.push(Found {
                            kind,
                            address,
                            select: depends.then_some(select as u8),
                            does,
                            rules,
                        });
                    }
                }
            }
        }
        let legal = KINDS.map(|kind| {
            let driven = |address| is_driven(kind, address as u16, implementation);
            (kind, Table::of(ADDRESS, driven))
        });
        Ok(Self {
            found,
            legal,
            rules: AccessRules::of(implementation),
        })
    }

    /// DUT-36, DUT-37: the access is one that may be driven.
    pub fn legal(&self, circuit: &mut Circuit, input: &[Lit]) -> Lit {
        let (kind, address) = (
            field(input, "access_kind", 8),
            field(input, "access_address", ADDRESS),
        );
        let mut all: Vec<_> = self
            .legal
            .iter()
            .map(|(of, addresses)| {
                let legal = addresses.on(circuit, address);
                let is = circuit.is(kind, *of as u64);
                circuit.and(is, legal)
            })
            .collect();
        all.push(circuit.is(kind, AccessKind::None as u64));
        circuit.any(all)
    }
}

/// What an access may be of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// It reads a register, or half of it.
    Read(SysReg),
    /// It has an effect.
    Write(Effect),
}

impl Accesses {
    /// What the access of a cycle is of if it may be taken; several where PMSELR_EL0 decides.
    pub fn targets(&self, input: &CycleInput) -> impl Iterator<Item = Target> {
        let (kind, address) = (input.access_kind, input.access_address);
        let found = self.found.iter();
        let found = found.filter(move |of| of.kind as u8 == kind && of.address == address);
        found.filter_map(|of| match of.does {
            Does::Undefined => None,
            Does::Read(register, _) => Some(Target::Read(register)),
            Does::Write(effect, ..) => Some(Target::Write(effect)),
        })
    }
}

/// What an access comes to, and the rules that decide about it; `None` where there is nothing to it but that a System
/// register instruction is UNDEFINED, and an external access without effect.
fn does(decoded: &Decoded) -> Option<(Does, Option<Ruled>)> {
    let does = match &decoded.access {
        Access::Read(register) => Does::Read(*register, None),
        Access::ReadHalf(register, half) => Does::Read(*register, Some(*half)),
        Access::Write(register, write) => {
            let (effect, data) = Effect::of(*register, write);
            Does::Write(effect, data, data != 0 && data as u32 == 0)
        }
        _ => Does::Undefined,
    };
    let rules = match decoded.decision {
        Decision::Unrestricted => None,
        Decision::Row(_, n) => Some(Ruled::Type(n)),
        Decision::System(..) => Some(Ruled::System(matches!(
            does,
            Does::Read(SysReg::Spmdevaff, _)
        ))),
    };
    (does != Does::Undefined || rules.is_some()).then_some((does, rules))
}

/// What accesses are decided with besides the input of their cycle.
#[derive(Clone, Debug)]
pub struct Selected<'a> {
    /// PMSELR_EL0.SEL.
    pub counter: &'a [Lit],
    /// SPMSELR_EL0.SYSPMUSEL; none without System PMUs.
    pub system: &'a [Lit],
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// Whether anything was.
    pub any: Lit,
    /// The bits that were.
    pub reached: Vec<Lit>,
    /// As what; 0 where they were not.
    pub data: Vec<Lit>,
}

/// The access of a cycle.
#[derive(Debug)]
pub struct Reached<'a> {
    accesses: &'a Accesses,
    /// Of those that do something: it is this one.
    is: Vec<Lit>,
    /// And nothing keeps it from what it does.
    takes: Vec<Lit>,
    data: Vec<Lit>,
    /// CycleOutput.access_outcome.
    pub outcome: Vec<Lit>,
    /// CycleOutput.trap_iss.
    pub syndrome: Vec<Lit>,
}

impl Accesses {
    /// The access of a cycle, where there is one: not in `none`.
    pub fn reached(
        &self,
        circuit: &mut Circuit,
        input: &[Lit],
        selected: &Selected<'_>,
        none: Lit,
    ) -> Reached<'_> {
        let kind = field(input, "access_kind", 8);
        let address = field(input, "access_address", ADDRESS);
        let driven = input[bit_of("driven")];
        let kinds = KINDS.map(|of| {
            let is = circuit.is(kind, of as u64);
            (of, circuit.and(is, !none))
        });
        let of_kind = |kind: AccessKind| kinds.iter().find(|&&(of, _)| of == kind).unwrap().1;
        let (mut is, mut takes) = (Vec::new(), Vec::new());
        // The codes of outcomes have three bits.
        let mut outcome = [Lit::FALSE; 3];
        let mut known = Lit::FALSE;
        let mut rows = [const { [None; 2] }; 32];
        let mut systems = [None; 2];
        for found in &self.found {
            let named = circuit.is(address, found.address.into());
            let mut this = circuit.and(of_kind(found.kind), named);
            if let Some(select) = found.select {
                let selected = circuit.is(selected.counter, select.into());
                this = circuit.and(this, selected);
            }
            let free = match found.does {
                Does::Undefined => access_rules::word(AccessOutcome::Undefined, false),
                _ => access_rules::word(AccessOutcome::Ok, true),
            };
            let free = access_rules::bits(free);
            let is_write = found.kind.is_write();
            let word = match found.rules {
                None => free,
                Some(rules) => {
                    let row = match rules {
                        Ruled::Type(n) => &mut rows[usize::from(n)][usize::from(is_write)],
                        Ruled::System(affinity) => &mut systems[usize::from(affinity)],
                    };
                    let decided = *row.get_or_insert_with(|| {
                        let of = (rules, is_write);
                        self.rules.decide(circuit, of, input, selected.system)
                    });
                    // A write of a register that describes a System PMU is UNDEFINED anyway.
                    let driven = match rules {
                        Ruled::System(_) if is_write => Lit::FALSE,
                        _ => driven,
                    };
                    std::array::from_fn(|bit| circuit.choose(driven, decided[bit], free[bit]))
                }
            };
            for (bit, outcome) in outcome.iter_mut().enumerate() {
                let own = circuit.and(this, word[bit]);
                *outcome = circuit.or(*outcome, own);
            }
            known = circuit.or(known, this);
            is.push(this);
            takes.push(circuit.and(this, word[access_rules::TAKES]));
        }
        // DUT-30; DUT-37: what is not there is RAZ/WI from outside.
        for (kind, of) in kinds {
            let other = circuit.and(of, !known);
            let code = match kind {
                AccessKind::ExternalRead | AccessKind::ExternalWrite => AccessOutcome::Ok,
                _ => AccessOutcome::Undefined,
            };
            for (bit, outcome) in outcome.iter_mut().enumerate() {
                if code as u8 >> bit & 1 == 1 {
                    *outcome = circuit.or(*outcome, other);
                }
            }
        }
        let mut outcome = outcome.to_vec();
        outcome.resize(8, Lit::FALSE);
        // ETY-45, DUT-36.
        let traps = [
            AccessOutcome::TrapEl1,
            AccessOutcome::TrapEl2,
            AccessOutcome::TrapEl3,
        ];
        let traps = traps.map(|trap| circuit.is(&outcome, trap as u64));
        let read = of_kind(AccessKind::Read);
        let instruction = circuit.or(read, of_kind(AccessKind::Write));
        let trapped = circuit.any(traps);
        let trapped = circuit.and(trapped, instruction);
        let rt = field(input, "access_rt", 5);
        let fields = [
            &[read][..],
            &address[3..7],
            rt,
            &address[7..11],
            &address[11..14],
            &address[0..3],
            &address[14..16],
        ];
        let syndrome = fields.concat().into_iter();
        let mut syndrome: Vec<_> = syndrome.map(|bit| circuit.and(bit, trapped)).collect();
        syndrome.resize(32, Lit::FALSE);
        Reached {
            accesses: self,
            is,
            takes,
            data: field(input, "access_data", 64).to_vec(),
            outcome,
            syndrome,
        }
    }
}

impl Reached<'_> {
    /// What is written by the effect in this cycle.
    pub fn written(&self, circuit: &mut Circuit, effect: Effect) -> Written {
        let mut all = Written {
            any: Lit::FALSE,
            reached: vec![Lit::FALSE; 64],
            data: vec![Lit::FALSE; 64],
        };
        for (found, &takes) in self.accesses.found.iter().zip(&self.takes) {
            let Does::Write(of, mask, is_upper) = found.does else {
                continue;
            };
            if of != effect {
                continue;
            }
            all.any = circuit.or(all.any, takes);
            for bit in (0..64).filter(|bit| mask >> bit & 1 == 1) {
                all.reached[bit] = circuit.or(all.reached[bit], takes);
                let one = circuit.and(takes, self.data[bit - 32 * usize::from(is_upper)]);
                all.data[bit] = circuit.or(all.data[bit], one);
            }
        }
        all
    }

    /// DUT-13: what a read returns, from what registers hold.
    pub fn read(
        &self,
        circuit: &mut Circuit,
        mut register: impl FnMut(&mut Circuit, SysReg) -> Vec<Lit>,
    ) -> Vec<Lit> {
        let mut data = vec![Lit::FALSE; 64];
        for (found, &takes) in self.accesses.found.iter().zip(&self.takes) {
            let Does::Read(of, half) = found.does else {
                continue;
            };
            if takes == Lit::FALSE {
                continue;
            }
            let value = register(circuit, of);
            let part = match half {
                None => &value[..],
                Some(Half::Low) => &value[..32],
                Some(Half::High) => &value[32..],
            };
            for (bit, &value) in part.iter().enumerate() {
                let one = circuit.and(takes, value);
                data[bit] = circuit.or(data[bit], one);
            }
        }
        data
    }

    /// The access is a read of one of some registers, whether it may be read or not.
    pub fn reads(&self, circuit: &mut Circuit, is_meant: impl Fn(SysReg) -> bool) -> Lit {
        let found = self.accesses.found.iter().zip(&self.is);
        let meant = found.filter(|(of, _)| matches!(of.does, Does::Read(of, _) if is_meant(of)));
        circuit.any(meant.map(|(_, &is)| is))
    }

    /// The access is a read, or a write, that does something.
    pub fn is_any(&self, circuit: &mut Circuit) -> Lit {
        circuit.any(self.is.iter().copied())
    }
}
