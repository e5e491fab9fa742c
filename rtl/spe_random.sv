// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The random number generator of sampling (D17.3.2): shows the bytes that the next draws give, and
// advances by those that are drawn.

module spe_random (
  input  logic clk_i,
  input  logic rst_i,

  // More than one byte can be drawn in this cycle; without it only the first one is shown
  input  logic many_i,
  // Bytes drawn in this cycle
  input  logic [4:0] drawn_i,

  // The next 16 bytes, the first of them in bits 7:0
  output logic [127:0] bytes_o
);

  logic [31:0] state_q, state_1;
  logic [31:0] state, state_drawn;
  logic [127:0] bytes_many;

  assign state_1 = spe_pkg::random_draw(state_q);

  // Rare, as INTERVAL is 0 then (SPE-29)
  always_comb begin
    bytes_many = '0;
    state = state_q;
    if (many_i) begin
      for (int i = 0; i < 16; i++) begin
        state = spe_pkg::random_draw(state);
        bytes_many |= 128'(state & 32'h0000_00FF) << (8 * i);
      end
    end
  end

  always_comb begin
    state_drawn = state_q;
    if (drawn_i == 5'd1) begin
      state_drawn = state_1;
    end else if (drawn_i != 5'd0) begin
      for (int i = 0; i < 16; i++) begin
        if (5'(i) < drawn_i) state_drawn = spe_pkg::random_draw(state_drawn);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= spe_pkg::RandomReset;  // DUT-11
    else state_q <= state_drawn;
  end

  assign bytes_o = many_i ? bytes_many : {120'b0, state_1[7:0]};

endmodule
