// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The random number generator of sampling (D17.3.2): shows the byte that the next draw gives, and
// advances by a draw.

module spe_random (
  input  logic clk_i,
  input  logic rst_i,

  // The byte is drawn in this cycle
  input  logic drawn_i,
  output logic [7:0] byte_o
);

  logic [31:0] state_q, state_d;

  assign state_d = spe_pkg::random_draw(state_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= spe_pkg::RandomReset;  // DUT-11
    else if (drawn_i) state_q <= state_d;
  end

  assign byte_o = state_d[7:0];

endmodule
