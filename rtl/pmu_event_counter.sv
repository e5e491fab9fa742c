// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One event counter, PMEVCNTR<n>_EL0: increment, write, reset by PMCR_EL0.P and its carries.

module pmu_event_counter #(
  parameter int CounterBits = 64,
  parameter int EventWidth = 16
) (
  input  logic clk_i,
  input  logic rst_i,

  input  logic [EventWidth-1:0] v_i,
  // PMCR_EL0.P is written as one
  input  logic clear_i,
  input  logic we_i,
  input  logic [63:0] wdata_i,

  output logic [63:0] pmevcntr_o,
  // The sum carries out of bit 31, and out of the last one, whatever is written
  output logic carry_31_o,
  output logic carry_63_o
);

  logic [CounterBits-1:0] pmevcntr_q;

  if (CounterBits == 64) begin : gen_64
    logic [63:0] sum;
    logic [63:0] flips;

    // V is narrower than 32 bits: a carry is a bit that the addend cannot have changed by itself.
    // DUT-22: the carry goes on into bits 63:32 for either place of overflow.
    assign sum = pmevcntr_q + 64'(v_i);
    assign flips = sum ^ pmevcntr_q;
    assign carry_31_o = flips[32];
    assign carry_63_o = flips[63] && pmevcntr_q[63];

    always_ff @(posedge clk_i) begin
      if (rst_i || clear_i) pmevcntr_q <= '0;  // DUT-11, DUT-21
      else if (we_i) pmevcntr_q <= wdata_i;    // DUT-20
      else pmevcntr_q <= sum;
    end

    assign pmevcntr_o = pmevcntr_q;

    logic unused_bits;
    assign unused_bits = ^flips;
  end else begin : gen_32
    logic [32:0] sum;

    assign sum = {1'b0, pmevcntr_q} + 33'(v_i);
    assign carry_31_o = sum[32];
    assign carry_63_o = 1'b0;

    always_ff @(posedge clk_i) begin
      if (rst_i || clear_i) pmevcntr_q <= '0;      // DUT-11, DUT-21
      else if (we_i) pmevcntr_q <= wdata_i[31:0];  // DUT-20
      else pmevcntr_q <= sum[31:0];
    end

    // DUT-22: bits 63:32 are RES0.
    assign pmevcntr_o = {32'b0, pmevcntr_q};

    logic unused_bits;
    assign unused_bits = ^wdata_i[63:32];
  end

endmodule
