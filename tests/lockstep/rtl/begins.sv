// Prints in an initial block, and reads a memory from a file that is not there.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  logic [7:0] zeros [2];

  initial begin
    $display("a word before the first cycle");
    $readmemh("not/there.hex", zeros);
  end

  assign cycle_output_o = 832'(zeros[0]);
  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^{clk_i, cycle_input_i, zeros[1]};

endmodule
