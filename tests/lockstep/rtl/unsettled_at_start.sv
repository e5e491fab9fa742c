// A combinational loop that does not settle before the first cycle, and of which Verilator warns.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  int unsigned cycle_q = 0;

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1;
  end

  logic loop_a, loop_b;
  always_comb loop_a = cycle_q == 0 ? ~loop_b : 1'b0;
  always_comb loop_b = loop_a;

  assign cycle_output_o = 832'(loop_b & (cycle_q != 0));
  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
