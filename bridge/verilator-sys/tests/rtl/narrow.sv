// Ports of 64, 32 and 8 bits, which Verilator stores in plain integers, and a time scale of its
// own with a delay, which is ignored.
`timescale 1ps/1ps
module lockstep_dut (
  input  logic        clk_i,
  input  logic [63:0] cycle_input_i,
  output logic [31:0] cycle_output_o,
  output logic [7:0]  parameters_o
);

  logic [31:0] sum_q;
  always_ff @(posedge clk_i) begin
    sum_q <= cycle_input_i[63:32] + cycle_input_i[31:0];
    if (cycle_input_i == '1) $display("at %0t on %0d", $time, $random);
    if (cycle_input_i == 1) $fdisplay(32'h8000_0001, "to standard output");
  end
  assign cycle_output_o = sum_q;
  assign parameters_o = 8'h5a;

endmodule
