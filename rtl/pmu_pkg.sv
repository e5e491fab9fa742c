// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Constants of the DUT contract: byte layouts as bit positions, System register encodings, field
// positions and the codes of an access.

package pmu_pkg;

  // parameters_o (contract, section 4)
  localparam logic [31:0] Magic = 32'h554D_504C;
  localparam logic [15:0] ContractVersion = 16'd1;
  localparam logic [15:0] LayoutVersion = 16'd1;

  // cycle_input_i and cycle_output_o (contract, sections 2 and 3), in bits
  localparam int InputWidth = 1152;
  localparam int OutputWidth = 640;
  localparam int ParametersWidth = 256;

  // Every event has a lane of 16 bits, of which EventWidth are used; so has every increment.
  localparam int MaxEvents = 64;
  localparam int LaneWidth = 16;
  localparam int EventsWidth = MaxEvents * LaneWidth;
  localparam int IncrementsWidth = 32 * LaneWidth;

  localparam int InAccessDataLsb = 1024;
  localparam int InCountingAllowedLsb = 1088;
  localparam int InAccessAddressLsb = 1120;
  localparam int InAccessKindLsb = 1136;
  localparam int InResetLsb = 1144;

  // The cycle counter has bit 31 of the enable, overflow and counting_allowed vectors.
  localparam int CycleCounter = 31;

  // access_kind
  localparam logic [7:0] KindRead = 8'd1;
  localparam logic [7:0] KindWrite = 8'd2;

  // access_outcome; the traps 3, 4, 5 and NOP 6 do not occur in this contract version
  localparam logic [7:0] OutcomeNone = 8'd0;
  localparam logic [7:0] OutcomeOk = 8'd1;
  localparam logic [7:0] OutcomeUndefined = 8'd2;

  // System register encodings {op0, op1, CRn, CRm, op2}
  localparam logic [15:0] AddrPmcr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd0};
  localparam logic [15:0] AddrPmcntenset = {2'd3, 3'd3, 4'd9, 4'd12, 3'd1};
  localparam logic [15:0] AddrPmcntenclr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd2};
  localparam logic [15:0] AddrPmovsclr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd3};
  localparam logic [15:0] AddrPmselr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd5};
  localparam logic [15:0] AddrPmccntr = {2'd3, 3'd3, 4'd9, 4'd13, 3'd0};
  localparam logic [15:0] AddrPmxevtyper = {2'd3, 3'd3, 4'd9, 4'd13, 3'd1};
  localparam logic [15:0] AddrPmxevcntr = {2'd3, 3'd3, 4'd9, 4'd13, 3'd2};
  localparam logic [15:0] AddrPmovsset = {2'd3, 3'd3, 4'd9, 4'd14, 3'd3};
  localparam logic [15:0] AddrPmmir = {2'd3, 3'd0, 4'd9, 4'd14, 3'd6};

  // PMEVCNTR<n> and PMEVTYPER<n> (ETY-01): the encoding without n, which is in bits [4:0]
  localparam logic [10:0] BasePmevcntr = {2'd3, 3'd3, 4'd14, 2'b10};
  localparam logic [10:0] BasePmevtyper = {2'd3, 3'd3, 4'd14, 2'b11};

  // PMCR_EL0
  localparam int PmcrE = 0;
  localparam int PmcrP = 1;
  localparam int PmcrC = 2;
  localparam int PmcrLp = 7;

  // PMEVTYPER<n>_EL0 (ETY-02), the fields that the datapath reads
  localparam int TypeTcLsb = 61;
  localparam int TypeTe = 60;
  localparam int TypeTlcLsb = 54;
  localparam int TypeThLsb = 32;
  localparam int TypeThWidth = 12;
  localparam int TypeEventWidth = 16;

  // The event CHAIN (DUT-17)
  localparam logic [15:0] EventChain = 16'h001E;

endpackage
