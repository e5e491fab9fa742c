// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Register port: decodes the encoding, decides the outcome, strobes the write of one register and
// selects the data of a read. Every register it sees is the state at the start of the cycle
// (DUT-12, DUT-13).

module pmu_access #(
  parameter int Counters = 31,
  parameter int ThWidth = 12,
  parameter bit Th = 1'b1,
  parameter bit Edge = 1'b1,
  parameter bit Th2 = 1'b1,
  parameter logic [19:0] Pmmir = 20'h0_0000
) (
  input  logic rst_i,
  input  logic [7:0] kind_i,
  input  logic [15:0] address_i,

  output logic [63:0] data_o,
  output logic [7:0] outcome_o,

  // The event counter that is accessed, directly or through PMSELR_EL0
  output logic [4:0] index_o,

  // Write strobes
  output logic pmcr_we_o,
  output logic pmcntenset_we_o,
  output logic pmcntenclr_we_o,
  output logic pmovsset_we_o,
  output logic pmovsclr_we_o,
  output logic pmselr_we_o,
  output logic pmccntr_we_o,
  output logic pmccfiltr_we_o,
  output logic pmevcntr_we_o,
  output logic pmevtyper_we_o,

  // Registers; PMEVCNTR and PMEVTYPER are those of index_o
  input  logic pmcr_e_i,
  input  logic pmcr_lp_i,
  input  logic [31:0] pmcnten_i,
  input  logic [31:0] pmovs_i,
  input  logic [4:0] pmselr_i,
  input  logic [63:0] pmccntr_i,
  input  logic [63:0] pmccfiltr_i,
  input  logic [63:0] pmevcntr_i,
  input  logic [63:0] pmevtyper_i
);

  // Implemented event counters. PMSELR_EL0.SEL == 31 and n == 31 are none of them.
  localparam logic [31:0] Implemented = 32'((64'd1 << Counters) - 64'd1);

  // TH-07
  localparam logic [3:0] PmmirEdge = Th2 ? 4'd2 : (Edge ? 4'd1 : 4'd0);
  localparam logic [3:0] PmmirThWidth = Th ? 4'(ThWidth) : 4'd0;

  ////////////
  // Decode //
  ////////////

  logic direct_evcntr, direct_evtyper;
  logic indirect_evcntr, indirect_evtyper;
  logic exists;

  assign direct_evcntr = address_i[15:5] == pmu_pkg::BasePmevcntr;
  assign direct_evtyper = address_i[15:5] == pmu_pkg::BasePmevtyper;
  assign indirect_evcntr = address_i == pmu_pkg::AddrPmxevcntr;
  assign indirect_evtyper = address_i == pmu_pkg::AddrPmxevtyper;

  // DUT-33
  assign index_o = (indirect_evcntr || indirect_evtyper) ? pmselr_i : address_i[4:0];
  assign exists = Implemented[index_o];

  logic is_pmcr, is_pmcntenset, is_pmcntenclr, is_pmovsset, is_pmovsclr, is_pmselr;
  logic is_pmccntr, is_pmccfiltr, is_pmmir, is_pmevcntr, is_pmevtyper;

  assign is_pmcr = address_i == pmu_pkg::AddrPmcr;
  assign is_pmcntenset = address_i == pmu_pkg::AddrPmcntenset;
  assign is_pmcntenclr = address_i == pmu_pkg::AddrPmcntenclr;
  assign is_pmovsset = address_i == pmu_pkg::AddrPmovsset;
  assign is_pmovsclr = address_i == pmu_pkg::AddrPmovsclr;
  assign is_pmselr = address_i == pmu_pkg::AddrPmselr;
  assign is_pmccntr = address_i == pmu_pkg::AddrPmccntr;
  assign is_pmmir = address_i == pmu_pkg::AddrPmmir;

  // n == 31 of PMEVTYPER<n> is PMCCFILTR_EL0 (ETY-01), directly and by PMSELR_EL0.SEL.
  assign is_pmccfiltr = (direct_evtyper || indirect_evtyper) && index_o == 5'd31;

  // DUT-31
  assign is_pmevcntr = (direct_evcntr || indirect_evcntr) && exists;
  assign is_pmevtyper = (direct_evtyper || indirect_evtyper) && exists;

  /////////////
  // Outcome //
  /////////////

  logic active, write;
  logic writable, defined;

  assign active = !rst_i && (kind_i == pmu_pkg::KindRead || kind_i == pmu_pkg::KindWrite);
  assign write = !rst_i && kind_i == pmu_pkg::KindWrite;

  assign writable = is_pmcr || is_pmcntenset || is_pmcntenclr || is_pmovsset || is_pmovsclr ||
                    is_pmselr || is_pmccntr || is_pmccfiltr || is_pmevcntr || is_pmevtyper;

  // DUT-30
  assign defined = writable || (is_pmmir && !write);

  // DUT-10, DUT-32
  always_comb begin
    outcome_o = pmu_pkg::OutcomeNone;
    if (active) outcome_o = defined ? pmu_pkg::OutcomeOk : pmu_pkg::OutcomeUndefined;
  end

  // DUT-32: without a register there is no strobe.
  assign pmcr_we_o = write && is_pmcr;
  assign pmcntenset_we_o = write && is_pmcntenset;
  assign pmcntenclr_we_o = write && is_pmcntenclr;
  assign pmovsset_we_o = write && is_pmovsset;
  assign pmovsclr_we_o = write && is_pmovsclr;
  assign pmselr_we_o = write && is_pmselr;
  assign pmccntr_we_o = write && is_pmccntr;
  assign pmccfiltr_we_o = write && is_pmccfiltr;
  assign pmevcntr_we_o = write && is_pmevcntr;
  assign pmevtyper_we_o = write && is_pmevtyper;

  ///////////////
  // Read data //
  ///////////////

  logic [63:0] pmcr;

  // N[15:11], LP[7], LC[6] RES1, E[0]; P and C read as zero (DUT-21).
  assign pmcr = {48'b0, 5'(Counters), 3'b0, pmcr_lp_i, 1'b1, 5'b0, pmcr_e_i};

  // DUT-13; zero for a write, an UNDEFINED access and no access
  always_comb begin
    data_o = '0;
    if (active && !write) begin
      case (1'b1)
        is_pmcr:                      data_o = pmcr;
        is_pmcntenset, is_pmcntenclr: data_o = {32'b0, pmcnten_i};
        is_pmovsset, is_pmovsclr:     data_o = {32'b0, pmovs_i};
        is_pmselr:                    data_o = {59'b0, pmselr_i};
        is_pmccntr:                   data_o = pmccntr_i;
        is_pmccfiltr:                 data_o = pmccfiltr_i;
        is_pmmir:                     data_o = {36'b0, PmmirEdge, PmmirThWidth, Pmmir};
        is_pmevcntr:                  data_o = pmevcntr_i;
        is_pmevtyper:                 data_o = pmevtyper_i;
        default:                      data_o = '0;
      endcase
    end
  end

endmodule
