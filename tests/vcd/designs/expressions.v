// Expressions of four states, and what each of them is at every time: `rN` is the Nth of the lines that say so.
`timescale 1ns / 1ns
module expressions;
  reg [3:0] a, b;
  reg [69:0] w;
  reg c;
  wire r0 = a == b;
  wire r1 = a != b;
  wire r2 = a === b;
  wire r3 = a !== b;
  wire r4 = a < b;
  wire r5 = a <= w;
  wire r6 = w >= a;
  wire r7 = a > 4'b0111;
  wire r8 = (a & b) == 4'b0010;
  wire r9 = (a | 8'h50) == 8'h5A;
  wire r10 = (a ^ b) != 0;
  wire r11 = ~a == b;
  wire r12 = ~a == 8'hf5;
  wire r13 = ~(a ^ b) === 4'b1111;
  wire r14 = a && b;
  wire r15 = a || b;
  wire r16 = !a;
  wire r17 = !a && c || b[0];
  wire r18 = a ==? 4'b1?0x;
  wire r19 = a !=? b;
  wire r20 = &a | ^b;
  wire r21 = |w;
  wire r22 = ~|a ^ ~&b;
  wire r23 = a[3:1] < b[2:0];
  wire r24 = w[69:64] == a;
  wire r25 = w > 70'h10_0000_0000_0000_0000;
  wire r26 = (w & 'hffff) != a;
  wire r27 = $isunknown(a);
  wire r28 = $countones(w) > 20;
  wire r29 = $onehot(a);
  wire r30 = $onehot0(b);
  wire r31 = a == 4'bx1;
  wire r32 = a === 'bz;
  wire r33 = c == '1;
  wire r34 = a === 4'dx;

  // One of the four states, known ones more often.
  function state(input integer draw);
    case (draw % 8)
      6: state = 1'bx;
      7: state = 1'bz;
      default: state = draw[3];
    endcase
  endfunction

  integer row, place, seed;
  initial begin
    $dumpfile("expressions.vcd");
    $dumpvars(1, a, b, w, c, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16, r17, r18, r19, r20, r21, r22, r23, r24, r25, r26, r27, r28, r29, r30, r31, r32, r33, r34);
    seed = 7;
    for (row = 0; row < 80; row = row + 1) begin
      for (place = 0; place < 4; place = place + 1) begin
        a[place] = state($random(seed) >>> 4 & 31);
        b[place] = row % 4 ? state($random(seed) >>> 4 & 31) : a[place];
      end
      for (place = 0; place < 70; place = place + 1) w[place] = row % 3 ? $random(seed) >>> 6 : place < row;
      if (row % 5 == 4) w[row % 70] = 1'bx;
      if (row % 7 == 6) a = a === 4'bx ? 4'b0 : ~(a & 4'b0);
      if (row % 11 == 10) {a, b} = 8'b0001_1000;
      if (row % 13 == 12) {a, b} = {4'bxxx1, 4'bzzzz};
      if (row % 17 == 16) {a, b} = {4'bxxxx, 4'b0000};
      if (row % 19 == 18) {a, b} = {4'bzzzz, 4'b1111};
      c = state($random(seed) >>> 4 & 31);
      #10;
    end
    $finish;
  end
endmodule
