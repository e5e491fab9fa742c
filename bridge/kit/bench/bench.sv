// Plays stimulus into the wrapper @TOP@, and dumps what it does: plain SystemVerilog for any simulator, made by
// `lockstep new-bench`.
//
//   +stimulus=FILE  cycles of `lockstep stimulus export`, a line each [stimulus.hex]
//   +dump=FILE      the dump, or a named pipe [dump.vcd]
//
// LOCKSTEP_DEPTH is the number of levels of scopes that are dumped: 1 are the ports, 0 is everything.

`ifndef LOCKSTEP_DEPTH
`define LOCKSTEP_DEPTH 1
`endif

`timescale 1ns / 1ps

module lockstep_bench;
  logic          clk = 1'b0;
  logic [1535:0] cycle_input = '0;
  logic [831:0]  cycle_output;
  logic [511:0]  parameters;

  @TOP@ @PARAMETERS@u_dut (
    .clk_i         (clk),
    .cycle_input_i (cycle_input),
    .cycle_output_o(cycle_output),
    .parameters_o  (parameters)
  );

  initial begin : play
    string stimulus;
    string dump;
    int file;
    logic [1535:0] next;

    if ($value$plusargs("stimulus=%s", stimulus) == 0) stimulus = "stimulus.hex";
    if ($value$plusargs("dump=%s", dump) == 0) dump = "dump.vcd";
    file = $fopen(stimulus, "r");
    if (file == 0) begin
      $display("%0s: expected a file of `lockstep stimulus export`, found none that can be read", stimulus);
      $finish;
    end else begin
      $dumpfile(dump);
      $dumpvars(`LOCKSTEP_DEPTH, lockstep_bench);
      while ($fscanf(file, "%h", next) == 1) begin
        cycle_input = next;
        #5 clk = 1'b1;
        #5 clk = 1'b0;
      end
      #5 $fclose(file);
      $finish;
    end
  end
endmodule
