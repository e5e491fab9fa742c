// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The cycle counter, PMCCNTR_EL0: 64 bits, overflow out of bit 63 (PMCR_EL0.LC is RES1).

module pmu_cycle_counter (
  input  logic clk_i,
  input  logic rst_i,

  input  logic counting_i,
  // PMCR_EL0.C is written as one
  input  logic clear_i,
  input  logic we_i,
  input  logic [63:0] wdata_i,

  output logic [63:0] pmccntr_o,
  output logic increment_o,
  output logic overflow_o
);

  logic [63:0] pmccntr_q;

  // DUT-14; DUT-15: also in a cycle in which a write wins
  assign increment_o = counting_i;

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) pmccntr_q <= '0;  // DUT-11, DUT-21
    else if (we_i) pmccntr_q <= wdata_i;    // DUT-20
    else if (counting_i) pmccntr_q <= pmccntr_q + 64'd1;
  end

  // DUT-22, and DUT-20, DUT-21 for writes
  assign overflow_o = counting_i && (pmccntr_q == '1) && !we_i && !clear_i;

  assign pmccntr_o = pmccntr_q;

endmodule
