// Adds an amount that an included file states.
module lockstep_dut (
  input  logic        clk_i,
  input  logic [95:0] cycle_input_i,
  output logic [95:0] cycle_output_o,
  output logic [31:0] parameters_o
);

`include "amount.svh"

  logic [31:0] count_q;
  always_ff @(posedge clk_i) count_q <= count_q + cycle_input_i[31:0] + Amount;
  assign cycle_output_o = {64'b0, count_q};
  assign parameters_o = Amount;

endmodule
