// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Event multiplexer: the value of the event that each counter is configured for. CHAIN is not an
// event of the multiplexer; where it is implemented its lane reads as zero (DUT-17).

module pmu_event_mux #(
  parameter int Counters = 31,
  parameter int EventCount = 64,
  parameter int EventWidth = 16,
  parameter bit Chain = 1'b1,

  // At least one lane, so that the ports exist without counters
  localparam int Lanes = (Counters > 0) ? Counters : 1
) (
  input  logic [pmu_pkg::EventsWidth-1:0] event_i,
  // PMEVTYPER<n>_EL0.evtCount
  input  logic [Lanes*pmu_pkg::TypeEventWidth-1:0] evt_count_i,

  output logic [Lanes*EventWidth-1:0] event_value_o
);

  // A power of two of lanes, so that an index of EventIndexWidth bits is always in range. Lanes of
  // events that are not supported are zero (DUT-16).
  localparam int EventIndexWidth = $clog2(pmu_pkg::MaxEvents);

  logic [EventWidth-1:0] lane[pmu_pkg::MaxEvents];

  for (genvar e = 0; e < pmu_pkg::MaxEvents; e++) begin : gen_lane
    if (e < EventCount && !(Chain && e == 32'(pmu_pkg::EventChain))) begin : gen_supported
      assign lane[e] = event_i[pmu_pkg::LaneWidth*e +: EventWidth];
    end else begin : gen_unsupported
      assign lane[e] = '0;
    end
  end

  for (genvar n = 0; n < Lanes; n++) begin : gen_counter
    logic [pmu_pkg::TypeEventWidth-1:0] evt_count;

    assign evt_count = evt_count_i[pmu_pkg::TypeEventWidth*n +: pmu_pkg::TypeEventWidth];

    // DUT-16
    assign event_value_o[EventWidth*n +: EventWidth] =
        (evt_count[pmu_pkg::TypeEventWidth-1:EventIndexWidth] == '0) ?
        lane[evt_count[EventIndexWidth-1:0]] : '0;
  end

  // Bits above EventWidth of a lane, and lanes of events that do not exist, are ignored.
  logic unused_event;
  assign unused_event = ^event_i;

endmodule
