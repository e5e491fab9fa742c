// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Drives the wrapper of the contract with recorded cycles, and dumps what it does: a stand-in for
// the test bench of a user with another simulator.

`timescale 1ns / 1ps

module bench;
  logic clk = 1'b0;
  logic [1535:0] stimulus[0:`CYCLES-1];
  logic [1535:0] cycle_input = '0;
  logic [831:0] cycle_output;
  logic [511:0] parameters;

  lockstep_dut u_dut (
    .clk_i         (clk),
    .cycle_input_i (cycle_input),
    .cycle_output_o(cycle_output),
    .parameters_o  (parameters)
  );

  initial begin
    $readmemh("stimulus.hex", stimulus);
    $dumpfile("dump.vcd");
    $dumpvars(`DEPTH, bench);
    // A simulation does not begin with the reset.
    repeat (3) begin
      #5 clk = 1'b1;
      #5 clk = 1'b0;
    end
    for (int k = 0; k < `CYCLES; k++) begin
      cycle_input = stimulus[k];
      #5 clk = 1'b1;
      #5 clk = 1'b0;
    end
    #1 $finish;
  end
endmodule
