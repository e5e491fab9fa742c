// Says something and ends the process before the first cycle.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  int unsigned cycle_q = 0;

  initial begin
    $display("reading the table of events");
    $c("*(volatile int*)0 = 0;");
  end

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1;
  end

  assign cycle_output_o = '0;
  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
