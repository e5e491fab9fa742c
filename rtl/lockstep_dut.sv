// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The wrapper of the DUT contract: registers CycleInput at the rising edge and drives CycleOutput
// of that cycle from registers alone, so that no output depends combinationally on an input.

// An illegal parameter is an elaboration error. Icarus Verilog 11 has none, and Verilator turns it
// into a warning by -Wno-fatal: there, simulation ends at time 0.
`ifdef YOSYS
`define PMU_ILLEGAL(Message) $error(Message);
`elsif __ICARUS__
`define PMU_ILLEGAL(Message) initial $fatal(1, Message);
`else
`define PMU_ILLEGAL(Message) $fatal(1, Message); initial $fatal(1, Message);
`endif

module lockstep_dut #(
  // All of type int, so that a tool's command line can set any of them to a plain number. The
  // features are 0 or 1.

  // Event counters, 0 to 31; width of each, 64 with FEAT_PMUv3p5 and else 32
  parameter int Counters = 31,
  parameter int CounterBits = 64,
  // Events, 1 to 64, and the bits of their values, 1 to 16
  parameter int EventCount = 64,
  parameter int EventWidth = 16,
  // PMMIR_EL1.THWIDTH, 1 to 12; without meaning if Th is 0
  parameter int ThWidth = 12,
  // FEAT_PMUv3_TH, FEAT_PMUv3_EDGE, FEAT_PMUv3_TH2
  parameter int Th = 1,
  parameter int Edge = 1,
  parameter int Th2 = 1,
  // Event CHAIN
  parameter int Chain = 1,
  // Features that decide which bits of PMEVTYPER<n>_EL0 and PMCCFILTR_EL0 exist (ETY-02)
  parameter int Pmuv3p1 = 1,
  parameter int El2 = 1,
  parameter int El3 = 1,
  parameter int Sel2 = 1,
  parameter int Rme = 1,
  parameter int Sebep = 1,
  parameter int Sme = 1,
  parameter int Mt = 1,
  parameter int Tme = 0,
  // PMMIR_EL1[19:0]: SLOTS, BUS_SLOTS, BUS_WIDTH
  parameter int Pmmir = 0
) (
  input  logic clk_i,

  input  logic [pmu_pkg::InputWidth-1:0] cycle_input_i,
  output logic [pmu_pkg::OutputWidth-1:0] cycle_output_o,
  output logic [pmu_pkg::ParametersWidth-1:0] parameters_o
);

  ////////////////////////
  // Illegal parameters //
  ////////////////////////

  if (Counters < 0 || Counters > 31) begin : gen_check_counters
    `PMU_ILLEGAL("Counters must be 0 to 31")
  end
  if (CounterBits != 32 && CounterBits != 64) begin : gen_check_counter_bits
    `PMU_ILLEGAL("CounterBits must be 32 or 64")
  end
  if (EventCount < 1 || EventCount > 64) begin : gen_check_event_count
    `PMU_ILLEGAL("EventCount must be 1 to 64")
  end
  if (EventWidth < 1 || EventWidth > 16) begin : gen_check_event_width
    `PMU_ILLEGAL("EventWidth must be 1 to 16")
  end
  if (Pmmir < 0 || Pmmir > 32'h000F_FFFF) begin : gen_check_pmmir
    `PMU_ILLEGAL("Pmmir must be 0 to 0xFFFFF")
  end
  if (((Th | Edge | Th2 | Chain | Pmuv3p1 | El2 | El3 | Sel2 | Rme | Sebep | Sme | Mt | Tme) & ~1)
      != 0) begin : gen_check_features
    `PMU_ILLEGAL("Features must be 0 or 1")
  end
  if (ThWidth < 0 || ThWidth > 12 || (Th != 0 && ThWidth < 1)) begin : gen_check_th_width
    `PMU_ILLEGAL("ThWidth must be 1 to 12, or 0 without Th")
  end
  // TH-07
  if ((Edge != 0 && Th == 0) || (Th2 != 0 && Edge == 0)) begin : gen_check_th
    `PMU_ILLEGAL("Th2 needs Edge, and Edge needs Th")
  end

  ////////////
  // Inputs //
  ////////////

  logic [pmu_pkg::InputWidth-1:0] cycle_input_q;

  // DUT-01; DUT-03: no other reset than the one in CycleInput
  always_ff @(posedge clk_i) begin
    cycle_input_q <= cycle_input_i;
  end

  logic rst;

  assign rst = cycle_input_q[pmu_pkg::InResetLsb];

  /////////
  // PMU //
  /////////

  logic [pmu_pkg::IncrementsWidth-1:0] increment;
  logic [63:0] access_data;
  logic [7:0] access_outcome;

  pmu_event_counters #(
    .Counters   (Counters),
    .CounterBits(CounterBits),
    .EventCount (EventCount),
    .EventWidth (EventWidth),
    .ThWidth    (ThWidth),
    .Th         (Th != 0),
    .Edge       (Edge != 0),
    .Th2        (Th2 != 0),
    .Chain      (Chain != 0),
    .Pmuv3p1    (Pmuv3p1 != 0),
    .El2        (El2 != 0),
    .El3        (El3 != 0),
    .Sel2       (Sel2 != 0),
    .Rme        (Rme != 0),
    .Sebep      (Sebep != 0),
    .Sme        (Sme != 0),
    .Mt         (Mt != 0),
    .Tme        (Tme != 0),
    .Pmmir      (20'(Pmmir))
  ) u_event_counters (
    .clk_i,
    .rst_i             (rst),
    .event_i           (cycle_input_q[pmu_pkg::EventsWidth-1:0]),
    .counting_allowed_i(cycle_input_q[pmu_pkg::InCountingAllowedLsb +: 32]),
    .access_kind_i     (cycle_input_q[pmu_pkg::InAccessKindLsb +: 8]),
    .access_address_i  (cycle_input_q[pmu_pkg::InAccessAddressLsb +: 16]),
    .access_data_i     (cycle_input_q[pmu_pkg::InAccessDataLsb +: 64]),
    .increment_o       (increment),
    .access_data_o     (access_data),
    .access_outcome_o  (access_outcome)
  );

  /////////////
  // Outputs //
  /////////////

  // DUT-02, DUT-10
  assign cycle_output_o = {56'b0, access_outcome, access_data, increment};

  // Features from bit 0: TH, EDGE, TH2, CHAIN, PMUv3p1, EL2, EL3, SEL2, RME, SEBEP, SME, MT, TME
  localparam logic [12:0] Features = {
    1'(Tme), 1'(Mt), 1'(Sme), 1'(Sebep), 1'(Rme), 1'(Sel2), 1'(El3), 1'(El2), 1'(Pmuv3p1),
    1'(Chain), 1'(Th2), 1'(Edge), 1'(Th)
  };

  assign parameters_o = {
    64'b0,
    32'(Pmmir),
    19'b0, Features,
    8'b0,
    8'd0,  // latency_access
    8'd0,  // latency_increment
    (Th != 0) ? 8'(ThWidth) : 8'd0,
    8'(EventWidth),
    8'(EventCount),
    8'(CounterBits),
    8'(Counters),
    pmu_pkg::LayoutVersion,
    pmu_pkg::ContractVersion,
    pmu_pkg::Magic
  };

  logic unused_input;
  assign unused_input = ^cycle_input_q;

endmodule

`undef PMU_ILLEGAL
