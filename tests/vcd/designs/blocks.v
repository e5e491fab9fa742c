// A counter whose dump is written out every 16 cycles, which makes a block of FST each time.
`timescale 1ns / 1ps
module blocks;
  reg clk = 0;
  reg [15:0] count = 0;
  reg [3:0] rare = 4'bx01z;
  real ratio = 0.5;
  event full;
  integer i;
  initial begin
    $dumpfile("blocks.vcd");
    $dumpvars;
    for (i = 0; i < 256; i = i + 1) begin
      #5 clk = 1;
      count = count + 1;
      if (count % 32 == 0) begin
        rare = rare + 1;
        ratio = ratio * 1.5;
        -> full;
      end
      #5 clk = 0;
      if (count == 100) rare = 4'd9;
      if (count % 16 == 0) $dumpflush;
    end
    $finish(0);
  end
endmodule
