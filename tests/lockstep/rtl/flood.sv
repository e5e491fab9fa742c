// Prints three megabytes in cycle Last, and stops.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  int unsigned cycle_q = 0;

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1;
    if (cycle_q == idle_pkg::Last) begin
      for (int line = 0; line < 5000; line++) $display("line %0d %s", line, {600{"x"}});
      $fatal(1, "too much to say");
    end
  end

  assign cycle_output_o = '0;
  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
