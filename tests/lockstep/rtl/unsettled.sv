// A combinational loop that does not settle from cycle Last on.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  int unsigned cycle_q = 0;
  logic oscillate_q = 1'b0;

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1;
    oscillate_q <= cycle_q == idle_pkg::Last;
  end

  /* verilator lint_off UNOPTFLAT */
  logic loop_a, loop_b;
  always_comb loop_a = oscillate_q ? ~loop_b : 1'b0;
  always_comb loop_b = loop_a;
  /* verilator lint_on UNOPTFLAT */

  assign cycle_output_o = 832'(loop_b & ~oscillate_q);
  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
