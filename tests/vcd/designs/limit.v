// A dump that the simulator ends at its limit.
`timescale 1ns / 1ns
module limit;
  reg clk = 0;
  reg [15:0] count = 0;
  always #5 clk = ~clk;
  always @(posedge clk) count <= count + 1;
  initial begin
    $dumpfile("limit.vcd");
    $dumplimit(1000);
    $dumpvars(0, limit);
    #2000 $finish;
  end
endmodule
