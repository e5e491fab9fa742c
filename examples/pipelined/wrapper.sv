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
  lockstep_pkg::cycle_input_t in;
  always_ff @(posedge clk_i) in <= cycle_input_i;

  // DUT-10, DUT-52
  wire reset = in.reset[0];
  wire clock_stopped = in.clock_stopped[0] && !reset;
  wire access = !reset && !clock_stopped;

  value_t [NumEvents-1:0]   events;
  value_t [NumCounters-1:0] values;
  logic                     cycle_counted;
  logic [7:0]               outcome;
  logic [63:0]              read_data;

  for (genvar e = 0; e < NumEvents; e++) begin : gen_event
    assign events[e] = in.events[e][ValueBits-1:0];
  end

  pipe_top u_pipe (
    .clk             (clk_i),
    .reset           (reset),
    .clock_stopped   (clock_stopped),
    .events          (events),
    .counting_allowed(in.counting_allowed),
    .read            (access && in.access_kind == lockstep_pkg::KindMrs),
    .write           (access && in.access_kind == lockstep_pkg::KindMsr),
    .address         (in.access_address),
    .write_data      (in.access_data),
    .values          (values),
    .cycle_counted   (cycle_counted),
    .outcome         (outcome),
    .read_data       (read_data)
  );

  lockstep_pkg::cycle_output_t out;

  always_comb begin
    out = '0;
    for (int n = 0; n < NumCounters; n++) out.increment[n] = 16'(values[n]);
    out.increment[lockstep_pkg::CycleCounter] = 16'(cycle_counted);
    out.access_outcome = outcome;
    out.access_data = read_data;
  end

  assign cycle_output_o = out;

  lockstep_pkg::parameters_t parameters;

  always_comb begin
    parameters = '0;
    parameters.magic = lockstep_pkg::Magic;
    parameters.contract_version = lockstep_pkg::ContractVersion;
    parameters.layout_version = lockstep_pkg::LayoutVersion;
    parameters.counters = 8'(NumCounters);
    parameters.counter_bits = 8'd64;
    parameters.event_count = 8'(NumEvents);
    parameters.event_width = 8'(ValueBits);
    parameters.thwidth = 8'(ThBits);
    parameters.threads = 8'd1;

    parameters.latency_increment = 8'd2;
    parameters.latency_access = 8'd2;

    parameters.features[lockstep_pkg::FeatureTh] = 1'b1;
    parameters.features[lockstep_pkg::FeatureEdge] = 1'b1;
    parameters.features[lockstep_pkg::FeatureTh2] = 1'b1;
    parameters.features[lockstep_pkg::FeaturePmuv3p1] = 1'b1;
    parameters.features[lockstep_pkg::FeatureEl2] = 1'b1;
    parameters.features[lockstep_pkg::FeatureEl3] = 1'b1;

    parameters.access_interval = 8'd1;
    parameters.increment_form = lockstep_pkg::IncrementsShown;
    parameters.lacks[lockstep_pkg::LacksPeState] = 1'b1;
    parameters.lacks[lockstep_pkg::LacksThreadConditions] = 1'b1;
    parameters.lacks[lockstep_pkg::LacksAarch32] = 1'b1;
    parameters.lacks[lockstep_pkg::LacksExternal] = 1'b1;
  end

  assign parameters_o = parameters;

  logic unused;
  assign unused = ^in;

endmodule
