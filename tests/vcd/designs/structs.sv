// Arrays of structs, packed and not, and of packed vectors: scopes of their own in an FST, none in a VCD.
`timescale 1ns / 1ns
module structs;
  typedef struct packed {logic a; logic [3:0] b;} packed_t;
  typedef struct {logic a; logic [3:0] b; packed_t p;} loose_t;
  packed_t one, many[2];
  loose_t loose, grid[2][2];
  logic [1:0][3:0] vectors, bank[2];
  int counts[3];
  real levels[2];
  initial begin
    $dumpfile("structs.vcd");
    $dumpvars(0, structs);
    for (int i = 0; i < 9; i++) begin
      #5;
      one = 5'(i);
      many[i % 2] = 5'(3 * i);
      loose.a = i[0];
      loose.b = 4'(i);
      loose.p = 5'(i * 2);
      grid[i % 2][i / 2 % 2].b = 4'(i);
      grid[1][0].p = 5'(i);
      vectors = 8'(7 * i);
      bank[i % 2] = 8'(11 * i);
      counts[i % 3] = i * i;
      levels[i % 2] = i / 3.0;
    end
    $finish;
  end
endmodule
