// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Register port of Statistical Profiling: MRS and MSR alone, with full privilege (DUT-35). Every
// register it sees is the state at the start of the cycle (DUT-13).

module pmu_access_spe #(
  parameter bit SpeExc = 1'b1
) (
  // KindNone in reset, and without a Processor cycle
  input  logic [7:0] kind_i,
  input  logic [15:0] address_i,

  // The encoding is of a register that there is; without it the other outputs are zero
  output logic hit_o,
  output logic [7:0] outcome_o,
  output logic [63:0] data_o,

  // Write strobes; those of PMBSR_EL1, PMBSR_EL2, PMBSR_EL3 in bits 0, 1, 2
  output logic pmsicr_we_o,
  output logic pmsirr_we_o,
  output logic [2:0] pmbsr_we_o,

  // Registers; PMBSR_EL1 is in the low lane
  input  logic [63:0] pmsicr_i,
  input  logic [63:0] pmsirr_i,
  input  logic [63:0] pmsidr_i,
  input  logic [3*64-1:0] pmbsr_i
);

  logic read, write;
  logic is_pmsicr, is_pmsirr, is_pmsidr;
  logic is_pmbsr_el1, is_pmbsr_el2, is_pmbsr_el3;
  logic [63:0] pmbsr_el1, pmbsr_el2, pmbsr_el3;

  assign read = kind_i == pmu_pkg::KindMrs;
  assign write = kind_i == pmu_pkg::KindMsr;

  assign is_pmsicr = address_i == pmu_pkg::AddrPmsicr;
  assign is_pmsirr = address_i == pmu_pkg::AddrPmsirr;
  assign is_pmsidr = address_i == pmu_pkg::AddrPmsidr;
  assign is_pmbsr_el1 = address_i == pmu_pkg::AddrPmbsrEl1;
  assign is_pmbsr_el2 = SpeExc && address_i == pmu_pkg::AddrPmbsrEl2;
  assign is_pmbsr_el3 = SpeExc && address_i == pmu_pkg::AddrPmbsrEl3;

  assign hit_o = (read || write) && (is_pmsicr || is_pmsirr || is_pmsidr || is_pmbsr_el1 ||
                                     is_pmbsr_el2 || is_pmbsr_el3);

  // DUT-30
  always_comb begin
    outcome_o = pmu_pkg::OutcomeNone;
    if (hit_o) begin
      outcome_o = (write && is_pmsidr) ? pmu_pkg::OutcomeUndefined : pmu_pkg::OutcomeOk;
    end
  end

  assign pmsicr_we_o = write && is_pmsicr;
  assign pmsirr_we_o = write && is_pmsirr;
  assign pmbsr_we_o = write ? {is_pmbsr_el3, is_pmbsr_el2, is_pmbsr_el1} : '0;
  assign {pmbsr_el3, pmbsr_el2, pmbsr_el1} = pmbsr_i;

  always_comb begin
    data_o = '0;
    if (read) begin
      case (1'b1)
        is_pmsicr:    data_o = pmsicr_i;
        is_pmsirr:    data_o = pmsirr_i;
        is_pmsidr:    data_o = pmsidr_i;
        is_pmbsr_el1: data_o = pmbsr_el1;
        is_pmbsr_el2: data_o = pmbsr_el2;
        is_pmbsr_el3: data_o = pmbsr_el3;
        default:      data_o = '0;
      endcase
    end
  end

endmodule
