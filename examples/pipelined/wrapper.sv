// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Puts the pipeline between the ports of the DUT contract. What is about cycle k is in the first
// stage in cycle k, and in the third, which all outputs come from, in cycle k+2: both latencies
// are 2. A reset goes down the pipeline like everything else, so that the outputs of the cycles
// before it still come.

module lockstep_dut
  import pipe_pkg::*;
(
  input  logic                                     clk_i,
  input  logic [lockstep_pkg::InputWidth-1:0]      cycle_input_i,
  output logic [lockstep_pkg::OutputWidth-1:0]     cycle_output_o,
  output logic [lockstep_pkg::ParametersWidth-1:0] parameters_o
);

  // DUT-01
  logic [lockstep_pkg::InputWidth-1:0] in;
  always_ff @(posedge clk_i) in <= cycle_input_i;

  // DUT-10, DUT-52
  wire reset = in[lockstep_pkg::InResetLsb];
  wire clock_stopped = in[lockstep_pkg::InClockStoppedLsb] && !reset;
  wire access = !reset && !clock_stopped;
  wire [7:0] kind = in[lockstep_pkg::InAccessKindLsb +: 8];

  value_t [NumEvents-1:0]   events;
  value_t [NumCounters-1:0] values;
  logic                     cycle_counted;
  logic [7:0]               outcome;
  logic [63:0]              read_data;

  for (genvar e = 0; e < NumEvents; e++) begin : gen_event
    assign events[e] = in[lockstep_pkg::LaneWidth*e +: ValueBits];
  end

  pipe_top u_pipe (
    .clk             (clk_i),
    .reset           (reset),
    .clock_stopped   (clock_stopped),
    .events          (events),
    .counting_allowed(in[lockstep_pkg::InCountingAllowedLsb +: 32]),
    .read            (access && kind == lockstep_pkg::KindMrs),
    .write           (access && kind == lockstep_pkg::KindMsr),
    .address         (in[lockstep_pkg::InAccessAddressLsb +: 16]),
    .write_data      (in[lockstep_pkg::InAccessDataLsb +: 64]),
    .values          (values),
    .cycle_counted   (cycle_counted),
    .outcome         (outcome),
    .read_data       (read_data)
  );

  logic [31:0][lockstep_pkg::LaneWidth-1:0] increment;

  always_comb begin
    increment = '0;
    for (int n = 0; n < NumCounters; n++) begin
      increment[n] = lockstep_pkg::LaneWidth'(values[n]);
    end
    increment[31] = lockstep_pkg::LaneWidth'(cycle_counted);
  end

  assign cycle_output_o = {248'd0, outcome, read_data, increment};

  assign parameters_o = {
    96'd0,
    16'h000F,        // lacks: PE state, conditions of threads, AArch32 and external accesses
    8'd0,            // increment_form: V[n]
    8'd1,            // access_interval
    128'd0, 32'd0,   // spmcfgr, pmsidr
    8'd0,
    8'd0, 8'd0,      // system_pmus, max_inflight
    8'd1,            // threads
    32'd0,           // pmmir
    32'h0000_0077,   // features: TH, EDGE, TH2, PMUv3p1, EL2, EL3
    8'd0,            // latency_spe
    8'd2,            // latency_access
    8'd2,            // latency_increment
    8'(ThBits),
    8'(ValueBits),
    8'(NumEvents),
    8'd64,           // counter_bits
    8'(NumCounters),
    lockstep_pkg::LayoutVersion,
    lockstep_pkg::ContractVersion,
    lockstep_pkg::Magic
  };

  logic unused;
  assign unused = ^in;

endmodule
