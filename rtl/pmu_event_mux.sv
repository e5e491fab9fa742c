// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Event multiplexer: the value that the event of each counter has if it occurs for that counter:
// lanes of the input, what sampling counts, and 1 for events that count cycles (DUT-51). CHAIN is
// not an event of the multiplexer; where it is implemented its lane reads as zero (DUT-17).

module pmu_event_mux #(
  parameter int Counters = 31,
  parameter int EventCount = 64,
  parameter int EventWidth = 16,
  parameter bit Chain = 1'b1,

  // At least one lane, so that the ports exist without counters
  localparam int Lanes = (Counters > 0) ? Counters : 1
) (
  input  logic clk_i,
  input  logic rst_i,

  // Write of PMEVTYPER<index_i>_EL0.evtCount
  input  logic we_i,
  input  logic [4:0] index_i,
  input  logic [pmu_pkg::TypeEventWidth-1:0] evt_count_i,

  input  logic [pmu_pkg::EventsWidth-1:0] event_i,
  // The events of the threads are not those of the lanes; count of thread 0
  input  logic driven_threads_i,
  input  logic [pmu_pkg::LaneWidth-1:0] count_i,
  // SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION, in this order from bit 0
  input  logic [4*8-1:0] sample_i,
  // The event of the counter occurs
  input  logic [31:0] occurs_i,

  output logic [Lanes*EventWidth-1:0] event_value_o
);

  localparam int EventIndexWidth = $clog2(pmu_pkg::MaxEvents);
  localparam int IndexWidth = (Lanes > 1) ? $clog2(Lanes) : 1;

  // Inputs of the multiplexer: the lanes of `event`, the events SAMPLE_*, events that count cycles
  // and have no lane, and zeros up to a power of two, so that an index is always in range
  localparam int Inputs = 2 * pmu_pkg::MaxEvents;
  localparam int InputIndexWidth = EventIndexWidth + 1;
  localparam int InputSample = pmu_pkg::MaxEvents;
  localparam int InputCycles = InputSample + 4;
  localparam int InputNone = InputCycles + 1;

  //////////////////////////
  // Which event, decoded //
  //////////////////////////

  // Decoded when the register is written
  logic [InputIndexWidth-1:0] input_q[Lanes];
  logic [InputIndexWidth-1:0] chosen;
  logic [IndexWidth-1:0] index;
  logic is_lane, is_sample, is_cycles;

  assign is_lane = evt_count_i[pmu_pkg::TypeEventWidth-1:EventIndexWidth] == '0;
  assign is_sample = evt_count_i[pmu_pkg::TypeEventWidth-1:2] ==
                     pmu_pkg::EventSamplePop[pmu_pkg::TypeEventWidth-1:2];
  assign is_cycles =
      evt_count_i == pmu_pkg::EventStallSecond || evt_count_i == pmu_pkg::EventOtherCycles ||
      evt_count_i == pmu_pkg::EventStallFrontendL1i || evt_count_i == pmu_pkg::EventStallBackendL1d;

  assign chosen =
      is_lane   ? evt_count_i[InputIndexWidth-1:0] :
      is_sample ? (InputIndexWidth'(InputSample) | InputIndexWidth'(evt_count_i[1:0])) :
      is_cycles ? InputIndexWidth'(InputCycles) : InputIndexWidth'(InputNone);

  assign index = index_i[IndexWidth-1:0];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11: evtCount is zero
      for (int n = 0; n < Lanes; n++) input_q[n] <= '0;
    end else if (we_i) begin
      input_q[index] <= chosen;
    end
  end

  ////////////
  // Inputs //
  ////////////

  logic [EventWidth-1:0] lane[Inputs];

  for (genvar e = 0; e < Inputs; e++) begin : gen_lane
    // Of the threads, if they are driven
    localparam bit Cycles =
        e == 32'(pmu_pkg::EventCpuCycles) || e == 32'(pmu_pkg::EventStallFrontend) ||
        e == 32'(pmu_pkg::EventStallBackend) || e == 32'(pmu_pkg::EventStall) || e == InputCycles;
    localparam bit Retired = e == 32'(pmu_pkg::EventInstRetired);

    logic [EventWidth-1:0] own;

    if (e < EventCount && !(Chain && e == 32'(pmu_pkg::EventChain))) begin : gen_event
      assign own = event_i[pmu_pkg::LaneWidth*e +: EventWidth];
    end else if (e >= InputSample && e < InputCycles) begin : gen_sample
      assign own = EventWidth'(sample_i[8*(e - InputSample) +: 8]);
    end else begin : gen_unsupported
      assign own = '0;  // DUT-16
    end

    if (Cycles) begin : gen_cycles
      assign lane[e] = driven_threads_i ? EventWidth'(1) : own;
    end else if (Retired) begin : gen_retired
      assign lane[e] = driven_threads_i ? count_i[EventWidth-1:0] : own;
    end else begin : gen_own
      assign lane[e] = own;
    end
  end

  ////////////
  // Values //
  ////////////

  for (genvar n = 0; n < Lanes; n++) begin : gen_counter
    assign event_value_o[EventWidth*n +: EventWidth] = occurs_i[n] ? lane[input_q[n]] : '0;
  end

  // Bits above EventWidth of a lane, and lanes of events that do not exist, are ignored.
  logic unused_bits;
  assign unused_bits = ^{event_i, occurs_i, count_i, index_i, sample_i};

endmodule
