// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Samples in flight, collisions, and PMBSR_ELx, of which the design itself sets COLL alone.

module spe_collision #(
  parameter bit SpeExc = 1'b1,
  parameter int MaxInflight = 1
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic hold_i,

  input  logic [3:0] complete_i,
  input  logic [3:0] filtered_out_i,
  input  logic discard_i,
  // Operations selected in this cycle; zero in a cycle of rst_i or hold_i
  input  logic [3:0] selected_i,
  input  logic [1:0] pmsee_i,
  input  logic [1:0] ee_i,

  input  logic [2:0] pmbsr_we_i,
  input  logic [63:0] wdata_i,

  output logic [3*64-1:0] pmbsr_o,

  output logic [7:0] in_flight_o,
  output logic [3:0] collided_o,
  output logic [2:0] coll_o,
  output logic [3:0] feed_o,
  output logic [3:0] filtrate_o
);

  localparam logic [7:0] Max = 8'(MaxInflight);

  logic run;
  logic [7:0] in_flight_q, kept, in_flight, in_flight_d;
  logic [3:0] completing, completed;
  logic [7:0] free;

  assign run = !hold_i && !rst_i;

  // DUT-60: A-SPE-14 first, then A-SPE-8
  assign kept = (run && discard_i) ? '0 : in_flight_q;
  assign completing = run ? complete_i : '0;
  assign completed = (8'(completing) < kept) ? completing : 4'(kept);
  assign in_flight = kept - 8'(completed);

  // DUT-63; what filtering removes has been in flight like any other (A-SPE-15)
  assign filtrate_o = (filtered_out_i < completed) ? completed - filtered_out_i : '0;

  // SPE-41, SPE-42: the first ones take what is free, the others are not sampled.
  assign free = Max - in_flight;
  assign feed_o = (8'(selected_i) < free) ? selected_i : 4'(free);
  assign collided_o = selected_i - feed_o;
  assign in_flight_d = in_flight + 8'(feed_o);

  always_ff @(posedge clk_i) begin
    if (rst_i) in_flight_q <= '0;  // DUT-11
    else in_flight_q <= in_flight_d;
  end

  assign in_flight_o = rst_i ? '0 : in_flight_d;

  ///////////////
  // PMBSR_ELx //
  ///////////////

  // SPE-42: the PMBSR_ELx that a collision goes to, EL1 in bit 0
  logic to_el2, to_el3;
  logic [2:0] set;

  assign to_el3 = SpeExc && pmsee_i == 2'b11;
  assign to_el2 = SpeExc && (pmsee_i == 2'b01 || pmsee_i == 2'b10) && ee_i == 2'b11;

  assign set = (collided_o != '0) ? {to_el3, to_el2, !to_el2 && !to_el3} : 3'b000;

  for (genvar x = 0; x < 3; x++) begin : gen_pmbsr
    if (x == 0 || SpeExc) begin : gen_present
      logic [63:0] pmbsr_q;

      // SPE-43: sticky. DUT-60: a write in the cycle of a collision wins.
      always_ff @(posedge clk_i) begin
        if (rst_i) pmbsr_q <= '0;  // DUT-11
        else if (pmbsr_we_i[x] && !hold_i) pmbsr_q <= wdata_i & spe_pkg::PmbsrMask;
        else if (set[x]) pmbsr_q[spe_pkg::Coll] <= 1'b1;
      end

      assign pmbsr_o[64*x +: 64] = pmbsr_q;
      assign coll_o[x] = !rst_i && ((pmbsr_we_i[x] && !hold_i)
                                    ? wdata_i[spe_pkg::Coll]
                                    : (pmbsr_q[spe_pkg::Coll] || set[x]));
    end else begin : gen_absent
      assign pmbsr_o[64*x +: 64] = '0;
      assign coll_o[x] = 1'b0;
    end
  end

  if (!SpeExc) begin : gen_unused
    logic unused_bits;
    assign unused_bits = ^{pmsee_i, ee_i, pmbsr_we_i[2:1], set[2:1]};
  end

endmodule
