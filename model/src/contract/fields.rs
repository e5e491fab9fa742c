//! The tables of the contract's fields: one row a field, and everything that knows fields derives from it. These are the
//! structs and the assertions of their layout, the SystemVerilog package and the tables of `docs/dut-contract.md`, the
//! maps of dumps, what is compared and delayed together, what the ledger counts, what shrinking leaves out.
//!
//! The comment of a field is its meaning in `docs/dut-contract.md`, sections 2 to 4.

use super::field::{Field, Form, Group, at, contract_struct, zero};
use super::{COUNTER_LANES, EVENT_LANES, MAX_OPERATIONS, SYSTEM_PMUS, THREADS, control};

/// Bits of a number of a counter or of a general-purpose register.
const FIVE_BITS: u8 = 0x1F;
/// Bits of `controls` that have a name.
const CONTROLS: u32 = (1 << control::NAMES.len()) - 1;

contract_struct! {
    /// Everything that happens to the design in one Processor cycle.
    pub struct CycleInput, 192 bytes {
        /// base value of event number *e*; only the low `event_width` bits are used, the others are ignored; *e* >= `event_count` is ignored
        event: [u16; EVENT_LANES] = at(0, Group::Cycle)
            .signal(1, "base values of the events").also(&["events", "ev", "event_base"]);
        /// data of a register write
        access_data: u64 = at(128, Group::Access)
            .signal(32, "data of a register write").also(&["access_wdata", "wdata"]).form(Form::Hexadecimal);
        /// bit *n*: nothing that this contract does not model (prohibition, freeze, Debug state) stops event counter *n* this cycle; bit 31: the same for the cycle counter
        counting_allowed: u32 = at(136, Group::Cycle)
            .signal(1, "by counter; bit 31: the cycle counter").bits(32).form(Form::Hexadecimal);
        /// System register encoding op0\[15:14\] op1\[13:11\] CRn\[10:7\] CRm\[6:3\] op2\[2:0\]; for AArch32 the same with op0 = 3, op1 = opc1, op2 = opc2 (DUT-36); for an external access the byte offset in the Performance Monitors frame, 0 to 0xFFF (DUT-37)
        access_address: u16 = at(140, Group::Access)
            .signal(16, "op0 op1 CRn CRm op2").also(&["access_addr"]).form(Form::Hexadecimal);
        /// 0 none, 1 MRS, 2 MSR, 3 MRC (AArch32), 4 MCR (AArch32), 5 external read, 6 external write
        access_kind: u8 = at(142, Group::Access)
            .signal(3, "0 none, 1 MRS, 2 MSR, 3 MRC, 4 MCR, 5, 6 external").most(6);
        /// bit 0: reset in this cycle; other bits are zero
        reset: u8 = at(143, Group::Cycle)
            .signal(1, "reset in this cycle").also(&["rst", "arst"]).bits(1).most(1);
        /// bit 0 (PE): `controls`, `hpmn`, `pmuacr`, `spmaccessr_*` and the states of the threads hold; bit 1 (threads): the conditions and counts of the threads hold
        driven: u8 = at(144, Group::Cycle)
            .signal(1, "bit 0 (PE), bit 1 (threads)").bits(2).most(3);
        /// bit 0: there is no Processor cycle (DUT-52)
        clock_stopped: u8 = at(145, Group::Cycle)
            .signal(1, "there is no Processor cycle").also(&["hold"]).bits(1).most(1);
        /// members of the sample population in this cycle, 0..15
        operations: u8 = at(146, Group::Sampling)
            .signal(4, "members of the sample population").most(MAX_OPERATIONS);
        /// samples that complete, 0..15
        complete: u8 = at(147, Group::Sampling)
            .signal(4, "samples that complete").most(MAX_OPERATIONS);
        /// of those that complete, how many filtering removes, 0..15
        filtered_out: u8 = at(148, Group::Sampling)
            .signal(4, "of those, how many filtering removes").most(MAX_OPERATIONS);
        /// bit 0 profiling is enabled (D17.4), bit 1 discard, \[3:2\] Effective MDCR_EL3.PMSEE, \[5:4\] Effective PMSCR_EL2.EE
        profiling: u8 = at(149, Group::Sampling)
            .signal(6, "enabled, discard, PMSEE, EE").only(0x3F).form(Form::Hexadecimal);
        /// MDCR_EL2.HPMN \[4:0\]
        hpmn: u8 = at(150, Group::Pe).signal(5, "MDCR_EL2.HPMN").most(FIVE_BITS);
        /// \[4:0\] number of the general-purpose register of the access, for the syndrome
        access_rt: u8 = at(151, Group::Access).signal(5, "register of the access").most(FIVE_BITS);
        /// see below
        controls: u32 = at(152, Group::Pe)
            .signal(1, "controls of accesses and filters").bits(32).only(CONTROLS).form(Form::Hexadecimal);
        /// PMUACR_EL1.`P<n>` in bit *n*
        pmuacr: u32 = at(156, Group::Pe).signal(1, "PMUACR_EL1").bits(32).form(Form::Hexadecimal);
        /// SPMACCESSR_EL2: `P<s>` in bits 2s+1:2s
        spmaccessr_el2: u64 = at(160, Group::Pe).signal(64, "SPMACCESSR_EL2").form(Form::Hexadecimal);
        /// SPMACCESSR_EL3: `P<s>` in bits 2s+1:2s
        spmaccessr_el3: u64 = at(168, Group::Pe).signal(64, "SPMACCESSR_EL3").form(Form::Hexadecimal);
        /// 4 bytes each; thread 0 is the PE that has these counters, and the one that is profiled
        threads: [Thread; THREADS] = at(176, Group::Threads).signal(32, "all of a thread");
    }
}

contract_struct! {
    /// State, conditions and counts of a thread in one Processor cycle.
    pub struct Thread, 4 bytes {
        /// \[1:0\] Exception level, \[3:2\] Security state (0 Non-secure, 1 Secure, 2 Realm, 3 Root; DUT-81), \[4\] Streaming mode
        state: u8 = at(0, Group::Pe)
            .signal(5, "Exception level, Security state, Streaming mode").also(&["thread_state"])
            .only(0x1F).form(Form::Hexadecimal);
        /// bit 0 active, 1 in WFI or WFE state, 2 condition of STALL, 3 of STALL_FRONTEND, 4 of STALL_BACKEND, 5 second condition of a stall event, 6 condition of another event that counts cycles
        conditions: u8 = at(1, Group::Threads)
            .signal(7, "active, WFx, stalls").also(&["thread_conditions"]).only(0x7F).form(Form::Hexadecimal);
        /// what event INST_RETIRED counts
        count: u16 = at(2, Group::Threads)
            .signal(1, "instructions retired").also(&["thread_count"]);
    }
}

contract_struct! {
    /// Everything the design shows of one Processor cycle.
    pub struct CycleOutput, 104 bytes {
        /// \[n\], n < 31: V\[n\]; \[31\]: increment of PMCCNTR_EL0, 0 or 1; unimplemented counters 0
        increment: [u16; COUNTER_LANES] = at(0, Group::Increment)
            .signal(1, "V by counter; [31]: the increment of PMCCNTR_EL0").also(&["increments", "v", "inc"]);
        /// data of a register read with outcome OK, otherwise 0
        access_data: u64 = at(64, Group::Access)
            .signal(32, "data of a register read").also(&["access_rdata", "rdata"]).form(Form::Hexadecimal);
        /// 0 no access, 1 OK, 2 UNDEFINED, 3 trap to EL1, 4 trap to EL2, 5 trap to EL3, 6 executed as NOP
        access_outcome: u8 = at(72, Group::Access)
            .signal(3, "0 none, 1 OK, 2 UNDEFINED, 3, 4, 5 trap, 6 NOP").form(Form::Outcome);
        /// zero
        reserved: [u8; 3] = zero(73);
        /// ISS of the exception (ETY-45) for an MRS or MSR with outcome 3, 4 or 5, otherwise 0
        trap_iss: u32 = at(76, Group::Access).signal(25, "ISS of the trap").form(Form::Hexadecimal);
        /// PMSICR_EL1 after the cycle
        pmsicr: u64 = at(80, Group::Sampling).signal(32, "PMSICR_EL1 after the cycle").form(Form::Hexadecimal);
        /// samples in flight after the cycle
        in_flight: u8 = at(88, Group::Sampling).signal(1, "samples in flight after the cycle");
        /// operations selected for sampling in this cycle
        selected: u8 = at(89, Group::Sampling).signal(1, "operations selected");
        /// place of the first of them among the operations of this cycle, from 0; 0 if none. Operations of a cycle are taken one by one, in program order (A-SPE-7)
        first_selected: u8 = at(90, Group::Sampling).signal(1, "place of the first of them");
        /// how many of the selected collided
        collided: u8 = at(91, Group::Sampling).signal(1, "how many of them collided");
        /// PMBSR_EL1.COLL, PMBSR_EL2.COLL, PMBSR_EL3.COLL after the cycle, in bits 0, 1, 2
        coll: u8 = at(92, Group::Sampling)
            .signal(1, "COLL of PMBSR_EL1, EL2, EL3 after the cycle").bits(3).form(Form::Binary(3));
        /// bytes drawn from the random number generator
        random_drawn: u8 = at(93, Group::Sampling).signal(1, "random bytes drawn");
        /// the first byte drawn, 0 if none
        random_byte: u8 = at(94, Group::Sampling).signal(8, "the first of them").form(Form::Hexadecimal);
        /// zero
        zeros: [u8; 9] = zero(95);
    }
}

contract_struct! {
    /// The parameters that a design states of itself.
    pub struct DutParameters, 64 bytes {
        /// 0x554D504C (`LPMU`)
        magic: u32 = at(0, Group::Parameters);
        /// 2
        contract_version: u16 = at(4, Group::Parameters);
        /// 2
        layout_version: u16 = at(6, Group::Parameters);
        /// 0..31
        counters: u8 = at(8, Group::Parameters);
        /// 32 or 64 (FEAT_PMUv3p5)
        counter_bits: u8 = at(9, Group::Parameters);
        /// 1..64
        event_count: u8 = at(10, Group::Parameters);
        /// 1..16
        event_width: u8 = at(11, Group::Parameters);
        /// PMMIR_EL1.THWIDTH, 0..12; 0 exactly when FEAT_PMUv3_TH is not implemented
        thwidth: u8 = at(12, Group::Parameters);
        /// cycles, of group `increment`
        latency_increment: u8 = at(13, Group::Parameters);
        /// cycles, of group access
        latency_access: u8 = at(14, Group::Parameters);
        /// cycles, of group SPE; where SPE is implemented, at most `latency_increment` and `latency_access` (DUT-61)
        latency_spe: u8 = at(15, Group::Parameters);
        /// the bits of [`FEATURES`](crate::features::FEATURES)
        features: u32 = at(16, Group::Parameters);
        /// bits \[19:0\] of PMMIR_EL1 (SLOTS, BUS_SLOTS, BUS_WIDTH), IMPLEMENTATION DEFINED
        pmmir: u32 = at(20, Group::Parameters);
        /// threads of the processor, 1..4
        threads: u8 = at(24, Group::Parameters);
        /// samples that can be in flight, 1..255; 0 without SPE
        max_inflight: u8 = at(25, Group::Parameters);
        /// System PMUs implemented, 0..4: those with SYSPMUSEL 0 and up
        system_pmus: u8 = at(26, Group::Parameters);
        /// zero
        zero: u8 = zero(27);
        /// PMSIDR_EL1, 0 without SPE
        pmsidr: u32 = at(28, Group::Parameters);
        /// SPMCFGR_EL1 of each System PMU, 0 if not implemented
        spmcfgr: [u32; SYSTEM_PMUS] = at(32, Group::Parameters);
        /// DUT-70; 0 is 1
        access_interval: u8 = at(48, Group::Parameters);
        /// 0 V\[n\], 1 hidden, 2 counters: DUT-71
        increment_form: u8 = at(49, Group::Parameters);
        /// what the design does not have: DUT-72
        lacks: u16 = at(50, Group::Parameters);
        /// zero
        zeros: [u8; 12] = zero(52);
    }
}

/// The outputs that are compared as a whole, by the names of reports. What follows from another one comes after it.
macro_rules! outputs {
    ($($variant:ident = $field:ident, $name:literal;)+) => {
        /// A field of [`CycleOutput`] that is compared as a whole.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Output {
            $(
                #[doc = concat!("`", stringify!($field), "`")]
                $variant,
            )+
        }

        impl Output {
            /// All of them: what follows from another one comes after it.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its row of the table.
            pub const fn field(self) -> &'static Field {
                const FIELDS: &[&Field] =
                    &[$(Field::named(CycleOutput::FIELDS, stringify!($field))),+];
                FIELDS[self as usize]
            }

            /// The name in reports.
            pub const fn name(self) -> &'static str {
                [$($name),+][self as usize]
            }

            /// The value in `output`.
            pub fn of(self, output: &CycleOutput) -> u64 {
                match self {
                    $(Self::$variant => output.$field.into(),)+
                }
            }
        }

        const _: () = assert!(
            $(CycleOutput::is_whole(stringify!($field)) &&)+ Output::ALL.len() == CycleOutput::WHOLE
        );
    };
}

outputs! {
    AccessOutcome = access_outcome, "access outcome";
    AccessData = access_data, "access data";
    TrapIss = trap_iss, "ISS of the trap";
    RandomDrawn = random_drawn, "random bytes drawn";
    RandomByte = random_byte, "random byte";
    Selected = selected, "operations selected";
    FirstSelected = first_selected, "first operation selected";
    Collided = collided, "collisions";
    InFlight = in_flight, "samples in flight";
    Pmsicr = pmsicr, "PMSICR_EL1 after the cycle";
    Coll = coll, "COLL after the cycle";
}

impl CycleOutput {
    /// How many fields are compared as a whole.
    const WHOLE: usize = {
        let (mut count, mut n) = (0, 0);
        while n < Self::FIELDS.len() {
            count += Self::is_whole(Self::FIELDS[n].name) as usize;
            n += 1;
        }
        count
    };

    /// Whether a field is compared as a whole: it is no array, and not zero.
    const fn is_whole(name: &str) -> bool {
        let field = Field::named(Self::FIELDS, name);
        field.count == 1 && !matches!(field.group, Group::Zero)
    }
}
