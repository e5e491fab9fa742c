// Calls a C function that nothing defines.
module lockstep_dut (
  input  logic        clk_i,
  input  logic [95:0] cycle_input_i,
  output logic [95:0] cycle_output_o,
  output logic [31:0] parameters_o
);

  import "DPI-C" function int nobody_defines_this(int x);

  logic [31:0] count_q;
  always_ff @(posedge clk_i) count_q <= nobody_defines_this(cycle_input_i[31:0]);
  assign cycle_output_o = {64'b0, count_q};
  assign parameters_o = '0;

endmodule
