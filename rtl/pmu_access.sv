// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Register port of the PMU, in the AArch64, AArch32 and external views: decodes the address,
// decides the outcome, strobes the write of one register and selects the data of a read. Every
// register it sees is the state at the start of the cycle (DUT-12, DUT-13).

module pmu_access #(
  parameter int Counters = 31,
  parameter int ThWidth = 12,
  parameter bit Th = 1'b1,
  parameter bit Edge = 1'b1,
  parameter bit Th2 = 1'b1,
  parameter bit El2 = 1'b1,
  parameter bit El3 = 1'b1,
  parameter bit Vhe = 1'b1,
  parameter bit Fgt = 1'b1,
  parameter bit Pmuv3p9 = 1'b1,
  parameter bit Access2021 = 1'b0,
  parameter logic [19:0] Pmmir = 20'h0_0000
) (
  // KindNone in reset, and without a Processor cycle
  input  logic [7:0] kind_i,
  input  logic [15:0] address_i,
  input  logic [63:0] wdata_i,

  // The state that decides about an access to PMEVTYPER<n>_EL0
  input  logic driven_pe_i,
  input  logic [1:0] level_i,
  input  logic [31:0] controls_i,
  input  logic [4:0] hpmn_i,
  input  logic [31:0] pmuacr_i,

  // UNDEFINED for a register that is not of the PMU
  output logic [63:0] data_o,
  output logic [7:0] outcome_o,

  // The event counter that is accessed, directly or through PMSELR_EL0; 31 for PMCCFILTR_EL0
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

  // PMEVCNTR is read; without it pmevcntr_i is not looked at
  output logic pmevcntr_re_o,

  // Write of PMEVTYPER and PMCCFILTR: which halves, and the data in its place
  output logic [1:0] half_o,
  output logic [63:0] half_wdata_o,

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

  ////////////////////////
  // View and direction //
  ////////////////////////

  logic aarch64, aarch32, external;
  logic read, write;

  assign aarch64 = kind_i == pmu_pkg::KindMrs || kind_i == pmu_pkg::KindMsr;
  assign aarch32 = kind_i == pmu_pkg::KindMrc || kind_i == pmu_pkg::KindMcr;
  assign external = kind_i == pmu_pkg::KindExternalRead || kind_i == pmu_pkg::KindExternalWrite;
  assign read = kind_i == pmu_pkg::KindMrs || kind_i == pmu_pkg::KindMrc ||
                kind_i == pmu_pkg::KindExternalRead;
  assign write = kind_i == pmu_pkg::KindMsr || kind_i == pmu_pkg::KindMcr ||
                 kind_i == pmu_pkg::KindExternalWrite;

  ////////////////////////////////
  // Decode of System registers //
  ////////////////////////////////

  logic [2:0] op1;
  logic [15:0] encoding;
  logic direct_evcntr, direct_evtyper;
  logic indirect_evcntr, indirect_evtyper;

  // DUT-36: AArch32 has op1 == 0 where AArch64 has op1 == 3. No register of the PMU has op1 == 7.
  assign op1 = !aarch32 ? address_i[13:11] : ((address_i[13:11] == 3'd0) ? 3'd3 : 3'd7);
  assign encoding = {address_i[15:14], op1, address_i[10:0]};

  assign direct_evcntr = aarch64 && encoding[15:5] == pmu_pkg::BasePmevcntr;
  assign direct_evtyper = !external && encoding[15:5] == pmu_pkg::BasePmevtyper;
  assign indirect_evcntr = aarch64 && encoding == pmu_pkg::AddrPmxevcntr;
  assign indirect_evtyper = !external && encoding == pmu_pkg::AddrPmxevtyper;

  logic is_pmcr, is_pmcntenset, is_pmcntenclr, is_pmovsset, is_pmovsclr, is_pmselr;
  logic is_pmccntr, is_pmmir;

  // DUT-36: MRC and MCR reach PMSELR, PMEVTYPER<n>, PMXEVTYPER and PMCCFILTR alone.
  assign is_pmcr = aarch64 && encoding == pmu_pkg::AddrPmcr;
  assign is_pmcntenset = aarch64 && encoding == pmu_pkg::AddrPmcntenset;
  assign is_pmcntenclr = aarch64 && encoding == pmu_pkg::AddrPmcntenclr;
  assign is_pmovsset = aarch64 && encoding == pmu_pkg::AddrPmovsset;
  assign is_pmovsclr = aarch64 && encoding == pmu_pkg::AddrPmovsclr;
  assign is_pmselr = !external && encoding == pmu_pkg::AddrPmselr;
  assign is_pmccntr = aarch64 && encoding == pmu_pkg::AddrPmccntr;
  assign is_pmmir = aarch64 && encoding == pmu_pkg::AddrPmmir;

  ////////////////////////////////////////////////
  // Decode of the external view, and the index //
  ////////////////////////////////////////////////

  logic external_low, external_high;

  // DUT-37
  assign external_low = external && address_i[15:7] == pmu_pkg::ExternalLow &&
                        address_i[1:0] == 2'b00;
  assign external_high = external && address_i[15:7] == pmu_pkg::ExternalHigh &&
                         address_i[1:0] == 2'b00;

  logic evtyper, exists;
  logic is_pmccfiltr, is_pmevcntr, is_pmevtyper;

  // DUT-33
  assign index_o = external ? address_i[6:2] :
                   ((indirect_evcntr || indirect_evtyper) ? pmselr_i : address_i[4:0]);
  assign exists = Implemented[index_o];

  // n == 31 of PMEVTYPER<n> is PMCCFILTR_EL0 (ETY-01), directly and by PMSELR_EL0.SEL.
  assign evtyper = direct_evtyper || indirect_evtyper || external_low || external_high;
  assign is_pmccfiltr = evtyper && index_o == 5'd31;
  assign is_pmevtyper = evtyper && index_o != 5'd31;

  // DUT-31
  assign is_pmevcntr = (direct_evcntr || indirect_evcntr) && exists;

  /////////////
  // Outcome //
  /////////////

  logic [7:0] rules_outcome;
  logic rules_ignored;

  pmu_access_rules #(
    .El2       (El2),
    .El3       (El3),
    .Vhe       (Vhe),
    .Fgt       (Fgt),
    .Pmuv3p9   (Pmuv3p9),
    .Access2021(Access2021)
  ) u_rules (
    .index_i    (index_o),
    .exists_i   (exists),
    .write_i    (write),
    .driven_pe_i,
    .level_i,
    .controls_i,
    .hpmn_i,
    .pmuacr_i,
    .outcome_o  (rules_outcome),
    .ignored_o  (rules_ignored)
  );

  logic writable, defined;

  assign writable = is_pmcr || is_pmcntenset || is_pmcntenclr || is_pmovsset || is_pmovsclr ||
                    is_pmselr || is_pmccntr || is_pmccfiltr || is_pmevcntr;

  // DUT-30
  assign defined = writable || (is_pmmir && !write);

  // DUT-32, DUT-35; no trap applies to an external access, and what is not there is RAZ/WI (DUT-37)
  always_comb begin
    outcome_o = pmu_pkg::OutcomeNone;
    if (external) outcome_o = pmu_pkg::OutcomeOk;
    else if (aarch64 || aarch32) begin
      if (is_pmevtyper) outcome_o = rules_outcome;
      else outcome_o = defined ? pmu_pkg::OutcomeOk : pmu_pkg::OutcomeUndefined;
    end
  end

  ////////////
  // Writes //
  ////////////

  logic reaches_pmevtyper;

  assign reaches_pmevtyper =
      is_pmevtyper && exists &&
      (external || (rules_outcome == pmu_pkg::OutcomeOk && !rules_ignored));

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
  assign pmevtyper_we_o = write && reaches_pmevtyper;

  assign pmevcntr_re_o = read && is_pmevcntr;

  // DUT-36, DUT-37
  assign half_o = {aarch64 || external_high, aarch64 || aarch32 || external_low};
  assign half_wdata_o = {external ? wdata_i[31:0] : wdata_i[63:32], wdata_i[31:0]};

  ///////////////
  // Read data //
  ///////////////

  logic [63:0] pmcr;
  logic [63:0] data;

  // N[15:11], LP[7], LC[6] RES1, E[0]; P and C read as zero (DUT-21).
  assign pmcr = {48'b0, 5'(Counters), 3'b0, pmcr_lp_i, 1'b1, 5'b0, pmcr_e_i};

  // DUT-13; zero for a write, a refused access and no access
  always_comb begin
    data = '0;
    if (read) begin
      case (1'b1)
        is_pmcr:                      data = pmcr;
        is_pmcntenset, is_pmcntenclr: data = {32'b0, pmcnten_i};
        is_pmovsset, is_pmovsclr:     data = {32'b0, pmovs_i};
        is_pmselr:                    data = {59'b0, pmselr_i};
        is_pmccntr:                   data = pmccntr_i;
        is_pmccfiltr:                 data = pmccfiltr_i;
        is_pmmir:                     data = {36'b0, PmmirEdge, PmmirThWidth, Pmmir};
        is_pmevcntr:                  data = pmevcntr_i;
        reaches_pmevtyper:            data = pmevtyper_i;
        default:                      data = '0;
      endcase
    end
  end

  // DUT-36, DUT-37: 32 bits, in the low half
  assign data_o = aarch64 ? data : {32'b0, external_high ? data[63:32] : data[31:0]};

endmodule
