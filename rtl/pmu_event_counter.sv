// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One event counter, PMEVCNTR<n>_EL0: increment, write, reset by PMCR_EL0.P and overflow.

module pmu_event_counter #(
  parameter int CounterBits = 64,
  parameter int EventWidth = 16
) (
  input  logic clk_i,
  input  logic rst_i,

  input  logic [EventWidth-1:0] v_i,
  // PMCR_EL0.LP: overflow out of bit 63 instead of bit 31
  input  logic lp_i,
  // PMCR_EL0.P is written as one
  input  logic clear_i,
  input  logic we_i,
  input  logic [63:0] wdata_i,

  output logic [63:0] pmevcntr_o,
  output logic overflow_o,
  // Overflow of a 32-bit counter, for the event CHAIN of the odd neighbour
  output logic chain_o
);

  logic [CounterBits-1:0] pmevcntr_q;
  logic write_wins;
  logic carry_31;
  logic carry_out;

  // DUT-20, DUT-21: the increment of this cycle is lost, and so is its overflow.
  assign write_wins = we_i || clear_i;

  if (CounterBits == 64) begin : gen_64
    logic [63:0] sum;
    logic carry_63;

    // V is narrower than 32 bits: a carry is a bit that the addend cannot have changed by itself.
    assign sum = pmevcntr_q + 64'(v_i);
    assign carry_31 = sum[32] != pmevcntr_q[32];
    assign carry_63 = pmevcntr_q[63] && !sum[63];

    // DUT-22: the carry goes on into bits 63:32 for either place of overflow.
    assign carry_out = lp_i ? carry_63 : carry_31;
    assign chain_o = carry_31 && !lp_i && !write_wins;

    always_ff @(posedge clk_i) begin
      if (rst_i || clear_i) pmevcntr_q <= '0;  // DUT-11, DUT-21
      else if (we_i) pmevcntr_q <= wdata_i;    // DUT-20
      else pmevcntr_q <= sum;
    end

    assign pmevcntr_o = pmevcntr_q;
  end else begin : gen_32
    logic [32:0] sum;

    assign sum = {1'b0, pmevcntr_q} + 33'(v_i);
    assign carry_31 = sum[32];
    assign carry_out = carry_31;
    assign chain_o = carry_31 && !write_wins;

    always_ff @(posedge clk_i) begin
      if (rst_i || clear_i) pmevcntr_q <= '0;      // DUT-11, DUT-21
      else if (we_i) pmevcntr_q <= wdata_i[31:0];  // DUT-20
      else pmevcntr_q <= sum[31:0];
    end

    // DUT-22: bits 63:32 are RES0; LP is, too, and stays zero.
    assign pmevcntr_o = {32'b0, pmevcntr_q};

    logic unused_bits;
    assign unused_bits = ^{lp_i, wdata_i[63:32]};
  end

  assign overflow_o = carry_out && !write_wins;

endmodule
