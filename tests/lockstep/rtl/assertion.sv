// Ends with an assertion that fails.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  int unsigned cycle_q = 0;

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1;
    a_in_time : assert (cycle_q != idle_pkg::Last) else $error("cycle %0d is late", cycle_q);
  end

  assign cycle_output_o = '0;
  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
