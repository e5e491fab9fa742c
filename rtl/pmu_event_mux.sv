// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Event multiplexer: the value of the event that each counter is configured for, of those events
// that are of thread 0: lanes of the input, and what sampling counts (DUT-51). CHAIN is not an event
// of the multiplexer; where it is implemented its lane reads as zero (DUT-17).

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
  // Events of the threads are not those of the lanes
  input  logic driven_threads_i,
  // SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION, in this order from bit 0
  input  logic [4*8-1:0] sample_i,
  // The counter counts thread 0
  input  logic [31:0] counted_i,

  output logic [Lanes*EventWidth-1:0] event_value_o
);

  localparam int EventIndexWidth = $clog2(pmu_pkg::MaxEvents);
  localparam int IndexWidth = (Lanes > 1) ? $clog2(Lanes) : 1;

  // Lanes of the multiplexer: the lanes of `event`, the events SAMPLE_*, and zero above them, up to
  // a power of two, so that an index is always in range
  localparam int Inputs = 2 * pmu_pkg::MaxEvents;
  localparam int InputIndexWidth = EventIndexWidth + 1;
  localparam int InputSample = pmu_pkg::MaxEvents;
  localparam int InputNone = InputSample + 4;

  /////////////////////////
  // Which event, decoded //
  /////////////////////////

  function automatic logic [InputIndexWidth-1:0] input_of(
      logic [pmu_pkg::TypeEventWidth-1:0] evt_count);
    if (evt_count < pmu_pkg::TypeEventWidth'(pmu_pkg::MaxEvents)) begin
      return evt_count[InputIndexWidth-1:0];
    end
    if (evt_count[pmu_pkg::TypeEventWidth-1:2] ==
        pmu_pkg::EventSamplePop[pmu_pkg::TypeEventWidth-1:2]) begin
      return InputIndexWidth'(InputSample) | InputIndexWidth'(evt_count[1:0]);
    end
    return InputIndexWidth'(InputNone);
  endfunction

  // Decoded when the register is written
  logic [InputIndexWidth-1:0] input_q[Lanes];
  logic [IndexWidth-1:0] index;

  assign index = index_i[IndexWidth-1:0];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11: evtCount is zero
      for (int n = 0; n < Lanes; n++) input_q[n] <= '0;
    end else if (we_i) begin
      input_q[index] <= input_of(evt_count_i);
    end
  end

  ////////////
  // Inputs //
  ////////////

  logic [EventWidth-1:0] lane[Inputs];

  for (genvar e = 0; e < Inputs; e++) begin : gen_lane
    // Of the threads, if they are driven
    localparam bit Thread =
        e == 32'(pmu_pkg::EventInstRetired) || e == 32'(pmu_pkg::EventCpuCycles) ||
        e == 32'(pmu_pkg::EventStallFrontend) || e == 32'(pmu_pkg::EventStallBackend) ||
        e == 32'(pmu_pkg::EventStall);

    if (e < EventCount && !(Chain && e == 32'(pmu_pkg::EventChain))) begin : gen_event
      assign lane[e] =
          (Thread && driven_threads_i) ? '0 : event_i[pmu_pkg::LaneWidth*e +: EventWidth];
    end else if (e >= InputSample && e < InputNone) begin : gen_sample
      assign lane[e] = EventWidth'(sample_i[8*(e - InputSample) +: 8]);
    end else begin : gen_unsupported
      assign lane[e] = '0;  // DUT-16
    end
  end

  ////////////
  // Values //
  ////////////

  // With MT == 1 a counter can count while thread 0 is filtered: these events are zero then.
  for (genvar n = 0; n < Lanes; n++) begin : gen_counter
    assign event_value_o[EventWidth*n +: EventWidth] = counted_i[n] ? lane[input_q[n]] : '0;
  end

  // Bits above EventWidth of a lane, and lanes of events that do not exist, are ignored.
  logic unused_bits;
  assign unused_bits = ^{event_i, counted_i, index_i, sample_i};

endmodule
