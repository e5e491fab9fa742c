// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Which counters count V_B itself, V = V_B: threshold, edge and link are all off, or their
// combination is reserved. Decoded when PMEVTYPER<n>_EL0 is written, from its fields as they are
// stored, so that fields that do not exist are zero (TH-02, TH-04, TH-06, TH-08).

module pmu_count_mode (
  input  logic clk_i,
  input  logic rst_i,

  // Write of PMEVTYPER<index_i>_EL0
  input  logic we_i,
  input  logic [4:0] index_i,
  input  logic [2:0] tc_i,
  input  logic te_i,
  input  logic [1:0] tlc_i,
  input  logic [pmu_pkg::TypeThWidth-1:0] th_i,

  // Bit n is event counter n
  output logic [31:0] plain_o
);

  // TH-30..33, on Effective values (TH-36); TLC of an even counter is zero
  logic reserved;

  assign reserved = (tlc_i == 2'b11) ||                      // TH-30
                    (tc_i[0] && !te_i && tlc_i == 2'b10) ||  // TH-31
                    (te_i && tlc_i == 2'b01) ||              // TH-32
                    (tc_i[1:0] == 2'b00 && te_i);            // TH-33

  // TH-01, and TLC by TH-27: threshold, edge and link all off
  logic bypass;

  assign bypass = tc_i == 3'b000 && th_i == '0 && !te_i && tlc_i == 2'b00;

  logic [31:0] plain_q;
  logic [31:0] lane;

  assign lane = 32'd1 << index_i;

  // TH-27; TH-35 for reserved combinations (DUT-34)
  always_ff @(posedge clk_i) begin
    if (rst_i) plain_q <= '1;  // DUT-11: the fields are zero
    else if (we_i) plain_q <= (plain_q & ~lane) | ({32{bypass || reserved}} & lane);
  end

  assign plain_o = plain_q;

endmodule
