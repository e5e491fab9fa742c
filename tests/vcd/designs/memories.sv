// Memories of which words are dumped, arrays of two dimensions, generated scopes, strings, events in three scopes.
`timescale 1ns / 1ps
module memories;
  reg clk = 0;
  reg [1:0] mem [0:3];
  reg [7:0] bank [3:1];
  reg flags [0:2];
  reg [3:0] grid [0:1][0:1];
  string state = "idle";
  real level = 0.5;
  event filled, drained;
  reg [63:0] \wide[word] = 0;
  integer step;
  genvar g;

  always #2.5 clk = ~clk;

  generate
    for (g = 0; g < 2; g = g + 1) begin : lane
      reg [3:0] mem [0:1];
      event full;
      initial begin
        mem[0] = 0;
        mem[1] = g;
      end
      always @(posedge clk) begin
        mem[1] <= mem[1] + 1;
        mem[0] <= mem[1];
        if (mem[1] == 4'hf) ->full;
      end
    end
  endgenerate

  initial begin
    $dumpfile("memories.vcd");
    $dumpvars(0, memories);
`ifndef VERILATOR
    $dumpvars(0, mem[0], mem[1], mem[2], mem[3]);
    $dumpvars(0, bank[1], bank[2], bank[3]);
    $dumpvars(0, flags[0], flags[1], flags[2]);
    $dumpvars(0, lane[0].mem[0], lane[1].mem[1]);
`endif
    for (step = 0; step < 24; step = step + 1) begin
      @(posedge clk);
      mem[step % 4] = step;
      bank[1 + step % 3] = 8'h11 * step;
      flags[step % 3] = step[0] ^ step[2];
      grid[step[1]][step[0]] = step;
      \wide[word] = {\wide[word] [62:0], ~step[1]};
      level = level * -1.25;
      case (step % 5)
        0: state = "go on";
        1: state = "tab\there";
        2: state = "";
        3: state = "back\\slash";
        default: state = "idle";
      endcase
      if (step % 4 == 3) ->filled;
      if (step % 6 == 5) begin
        ->drained;
        #0 ->drained;
      end
    end
    $finish;
  end
endmodule
