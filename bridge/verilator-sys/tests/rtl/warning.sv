// Has a width mismatch, for which Verilator warns.
module lockstep_dut (
  input  logic        clk_i,
  input  logic [95:0] cycle_input_i,
  output logic [95:0] cycle_output_o,
  output logic [31:0] parameters_o
);

  logic [15:0] narrow_q;
  always_ff @(posedge clk_i) narrow_q <= cycle_input_i[31:0];
  assign cycle_output_o = {80'b0, narrow_q};
  assign parameters_o = '0;

endmodule
