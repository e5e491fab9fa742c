// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The bundled counters without Statistical Profiling and System PMUs, at the parameters of the
// netlists.

module netlist_dut (
  input  logic clk_i,
  input  logic [pmu_pkg::InputWidth-1:0] cycle_input_i,
  output logic [pmu_pkg::OutputWidth-1:0] cycle_output_o,
  output logic [pmu_pkg::ParametersWidth-1:0] parameters_o
);

  localparam int Counters = 4;
  localparam int CounterBits = 64;
  localparam int EventCount = 48;
  localparam int EventWidth = 8;
  localparam int ThWidth = 6;

  // DUT-01
  logic [pmu_pkg::InputWidth-1:0] in_q;
  always_ff @(posedge clk_i) in_q <= cycle_input_i;

  logic rst, hold;
  logic [7:0] kind, outcome;
  logic [15:0] address;
  logic [63:0] rdata;
  logic [pmu_pkg::IncrementsWidth-1:0] increment;

  // DUT-10, DUT-52
  assign rst = in_q[pmu_pkg::InResetLsb];
  assign hold = in_q[pmu_pkg::InClockStoppedLsb] && !rst;
  assign kind = (rst || hold) ? pmu_pkg::KindNone : in_q[pmu_pkg::InAccessKindLsb +: 8];
  assign address = in_q[pmu_pkg::InAccessAddressLsb +: 16];

  pmu_event_counters #(
    .Counters   (Counters),
    .CounterBits(CounterBits),
    .EventCount (EventCount),
    .EventWidth (EventWidth),
    .ThWidth    (ThWidth),
    .Mt         (1'b0),
    .Mtpmu      (1'b0),
    .Threads    (1)
  ) u_event_counters (
    .clk_i,
    .rst_i             (rst),
    .hold_i            (hold),
    .event_i           (in_q[pmu_pkg::EventsWidth-1:0]),
    .counting_allowed_i(in_q[pmu_pkg::InCountingAllowedLsb +: 32]),
    .driven_pe_i       (in_q[pmu_pkg::InDrivenLsb + pmu_pkg::DrivenPe]),
    .driven_threads_i  (in_q[pmu_pkg::InDrivenLsb + pmu_pkg::DrivenThreads]),
    .controls_i        (in_q[pmu_pkg::InControlsLsb +: 32]),
    .hpmn_i            (in_q[pmu_pkg::InHpmnLsb +: 5]),
    .pmuacr_i          (in_q[pmu_pkg::InPmuacrLsb +: 32]),
    .threads_i         (in_q[pmu_pkg::InThreadsLsb +: pmu_pkg::ThreadsWidth]),
    .sample_i          (32'd0),
    .access_kind_i     (kind),
    .access_address_i  (address),
    .access_data_i     (in_q[pmu_pkg::InAccessDataLsb +: 64]),
    .increment_o       (increment),
    .access_data_o     (rdata),
    .access_outcome_o  (outcome)
  );

  logic trapped;
  logic [31:0] trap_iss;

  // ETY-45, of MRS and MSR alone
  assign trapped = (kind == pmu_pkg::KindMrs || kind == pmu_pkg::KindMsr) &&
                   (outcome == pmu_pkg::OutcomeTrapEl1 || outcome == pmu_pkg::OutcomeTrapEl2 ||
                    outcome == pmu_pkg::OutcomeTrapEl3);
  assign trap_iss = !trapped ? '0 : {
    10'b0, address[15:14], address[2:0], address[13:11], address[10:7],
    in_q[pmu_pkg::InAccessRtLsb +: 5], address[6:3], kind == pmu_pkg::KindMrs
  };

  assign cycle_output_o = {192'b0, trap_iss, 24'b0, outcome, rdata, increment};

  assign parameters_o = {
    128'd0,
    128'd0, 32'd0,   // spmcfgr, pmsidr
    8'd0,
    8'd0, 8'd0,      // system_pmus, max_inflight
    8'd1,            // threads
    32'd0,           // pmmir
    32'h0007_C7FF,   // features: all but MT, TME, MTPMU, those of 2021 and SPE
    8'd0, 8'd0, 8'd0,
    8'(ThWidth),
    8'(EventWidth),
    8'(EventCount),
    8'(CounterBits),
    8'(Counters),
    pmu_pkg::LayoutVersion,
    pmu_pkg::ContractVersion,
    pmu_pkg::Magic
  };

  logic unused;
  assign unused = ^in_q;

endmodule
