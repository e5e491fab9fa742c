// Lacks parameters_o.
module lockstep_dut (
  input  logic        clk_i,
  input  logic [95:0] cycle_input_i,
  output logic [95:0] cycle_output_o
);

  always_ff @(posedge clk_i) cycle_output_o <= cycle_input_i;

endmodule
