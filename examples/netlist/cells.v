// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Models of the cells of cells.lib.

module INV(input A, output Y);
  assign Y = ~A;
endmodule

module BUF(input A, output Y);
  assign Y = A;
endmodule

module NAND2(input A, input B, output Y);
  assign Y = ~(A & B);
endmodule

module NOR2(input A, input B, output Y);
  assign Y = ~(A | B);
endmodule

module NAND3(input A, input B, input C, output Y);
  assign Y = ~(A & B & C);
endmodule

module NOR3(input A, input B, input C, output Y);
  assign Y = ~(A | B | C);
endmodule

module AOI21(input A, input B, input C, output Y);
  assign Y = ~((A & B) | C);
endmodule

module OAI21(input A, input B, input C, output Y);
  assign Y = ~((A | B) & C);
endmodule

module XOR2(input A, input B, output Y);
  assign Y = A ^ B;
endmodule

module MUX2(input A, input B, input S, output Y);
  assign Y = S ? B : A;
endmodule

module DFF(input C, input D, output reg Q);
  always @(posedge C) Q <= D;
endmodule
