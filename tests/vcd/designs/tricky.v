// Everything that a Verilog dump can hold: kinds, states, names, scopes, dump control.
`timescale 10ns / 1ns
module tricky;
  reg clk = 0;
  reg [7:0] bus;
  reg [0:7] ascending = 8'h5a;
  reg [11:4] offset = 8'h00;
  reg signed [-1:-4] negative = 4'b10xz;
  reg [256:0] wide = 257'd0;
  wire [7:0] driven;
  tri1 pulled;
  supply0 low;
  wand both;
  integer count = 0;
  time now;
  real level = 0.0;
  realtime stamp;
  event tick;
  parameter WIDTH = 8;
  parameter real GAIN = 1.5;
  localparam [3:0] CODE = 4'b1x0z;
  reg \escaped.name[3] = 0;
  reg [1:0] \odd!@#$%^&*()_+ = 2'b01;
  reg memory_bit;

  assign driven = count[0] ? bus : 8'hzz;
  assign both = clk, both = count[1];
  always #1 clk = ~clk;

  alias_top u_alias (.clk(clk), .data(bus));

  initial begin : stimulus
    reg [3:0] local_value;
    integer i;
    $dumpfile("tricky.vcd");
    $dumpvars(0, tricky);
    bus = 8'bxxxx0000;
    #3 bus = 8'b0000zzzz;
    fork : parallel
      reg in_fork;
      #1 in_fork = 1;
      #2 bus = 8'd1;
    join
    for (i = 0; i < 20; i = i + 1) begin
      #2;
      count = count + 1;
      bus = bus * 3 + i;
      wide = {wide[255:0], ~wide[256]};
      offset = offset + 3;
      level = level - 0.3;
      stamp = $realtime;
      now = $time;
      local_value = i;
      \escaped.name[3] = ~\escaped.name[3] ;
      \odd!@#$%^&*()_+ = i;
      if (i == 3) wide = 257'bx;
      if (i == 5) wide = {257{1'bz}};
      if (i == 6) wide = {1'b1, {128{1'bx}}, 128'd7};
      if (i == 7) wide = 1;
      if (i == 9) level = 1.0e300;
      if (i == 10) level = 1.0 / 0.0;
      -> tick;
      if (i == 11) $dumpoff;
      if (i == 13) $dumpon;
      if (i == 15) $dumpall;
      u_alias.twice(i[7:0], local_value);
    end
    $finish;
  end
endmodule

module alias_top (input clk, input [7:0] data);
  wire [7:0] same = data;
  alias_leaf \leaf[0] (.clk(clk), .data(data));
  alias_leaf u_leaf1 (.clk(clk), .data(same));
  task twice(input [7:0] value, output [3:0] result);
    result = value * 2;
  endtask
  function [7:0] invert(input [7:0] value);
    invert = ~value;
  endfunction
  genvar g;
  generate
    for (g = 0; g < 2; g = g + 1) begin : lane
      reg [3:0] q = 0;
      always @(posedge clk) q <= invert(data) >> g;
    end
  endgenerate
endmodule

module alias_leaf (input clk, input [7:0] data);
  reg [7:0] q;
  always @(posedge clk) q <= data;
endmodule
