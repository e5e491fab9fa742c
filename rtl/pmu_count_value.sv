// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Threshold, edge and link datapath of one event counter: from the base value V_B of its event to
// the value V that it increments by (architecture: PMUCountValue).

module pmu_count_value #(
  // Odd counters link to their even neighbour
  parameter bit Odd = 1'b1,
  parameter int EventWidth = 16,
  parameter int ThWidth = 12,
  parameter bit Th = 1'b1,
  parameter bit Edge = 1'b1,
  parameter bit Th2 = 1'b1
) (
  input  logic clk_i,
  input  logic rst_i,
  // DUT-52: there is no Processor cycle, and counting_i is 0
  input  logic hold_i,

  input  logic counting_i,
  input  logic [EventWidth-1:0] event_value_i,
  // V[n-1] of the same cycle (TH-10, TH-11); unused on even counters
  input  logic [EventWidth-1:0] v_link_i,

  // Fields of PMEVTYPER<n>_EL0
  input  logic [2:0] tc_i,
  input  logic te_i,
  input  logic [1:0] tlc_i,
  input  logic [pmu_pkg::TypeThWidth-1:0] th_i,
  // What they say together: V is V_B
  input  logic plain_i,

  output logic [EventWidth-1:0] v_b_o,
  output logic c_t_o,
  output logic c_p_o,
  output logic c_e_o,
  output logic [EventWidth-1:0] v_t_o,
  output logic [EventWidth-1:0] v_e_o,
  output logic [EventWidth-1:0] v_o
);

  // V_B and TH meet at the width of the wider of the two, so that neither is cut (TH-21).
  localparam int CompareWidth =
      (EventWidth > pmu_pkg::TypeThWidth) ? EventWidth : pmu_pkg::TypeThWidth;
  localparam logic [pmu_pkg::TypeThWidth-1:0] ThMask =
      pmu_pkg::TypeThWidth'((1 << ThWidth) - 1);

  ////////////////////////////////
  // Effective values of fields //
  ////////////////////////////////

  logic [2:0] tc;
  logic te;
  logic [1:0] tlc;
  logic [pmu_pkg::TypeThWidth-1:0] th;

  assign tc = Th ? tc_i : 3'b000;             // TH-02
  assign th = Th ? (th_i & ThMask) : '0;      // TH-02, TH-08
  assign te = Edge ? te_i : 1'b0;             // TH-04
  assign tlc = (Th2 && Odd) ? tlc_i : 2'b00;  // TH-06

  ///////////////
  // Threshold //
  ///////////////

  logic [EventWidth-1:0] v_b;
  logic [CompareWidth-1:0] v_b_wide, th_wide;
  logic [1:0] comparison;
  logic condition;
  logic c_t;

  // TH-09
  assign v_b = counting_i ? event_value_i : '0;

  assign v_b_wide = CompareWidth'(v_b);
  assign th_wide = CompareWidth'(th);
  assign comparison = tc[2:1];

  // TH-20, unsigned (TH-21). Without FEAT_PMUv3_TH, TH is the constant zero that lint warns of.
  /* verilator lint_off UNSIGNED */
  always_comb begin
    case (comparison)
      2'b00:   condition = v_b_wide != th_wide;
      2'b01:   condition = v_b_wide == th_wide;
      2'b10:   condition = v_b_wide >= th_wide;
      default: condition = v_b_wide < th_wide;
    endcase
  end
  /* verilator lint_on UNSIGNED */

  // TH-09
  assign c_t = counting_i && condition;

  //////////
  // Edge //
  //////////

  logic c_p_q;
  logic c_e;

  // TH-28, DUT-24, whatever the configuration: C_T is zero when the counter is not counting.
  always_ff @(posedge clk_i) begin
    if (rst_i) c_p_q <= 1'b0;  // DUT-11
    else if (!hold_i) c_p_q <= c_t;
  end

  // TH-22; TH-09 for a counter that is not counting
  assign c_e = counting_i && (tc[0] ? (!c_p_q && c_t) : (c_p_q != c_t));

  ////////////
  // Values //
  ////////////

  localparam logic [EventWidth-1:0] One = EventWidth'(1);

  logic [EventWidth-1:0] v_link, v_c_t, v_t, v_e;

  // TH-09: a counter that is not counting passes nothing on.
  assign v_link = counting_i ? v_link_i : '0;

  // TC[0]: count by one instead of by V_B
  assign v_c_t = tc[0] ? One : v_b;

  // TH-23, TH-24: rows (A) to (E); the rest is reserved and does not reach V.
  always_comb begin
    case (tlc)
      2'b00:   v_t = c_t ? v_c_t : '0;
      2'b01:   v_t = c_t ? v_c_t : v_link;
      default: v_t = c_t ? v_link : '0;
    endcase
  end

  // TH-25, TH-26: rows (F) and (G); the rest is reserved and does not reach V.
  assign v_e = !c_e ? '0 : (tlc[1] ? v_link : One);

  // TH-27; TH-35 for reserved combinations (DUT-34)
  assign v_o = plain_i ? v_b : (te ? v_e : v_t);

  assign v_b_o = v_b;
  assign c_t_o = c_t;
  assign c_p_o = c_p_q;
  assign c_e_o = c_e;
  assign v_t_o = v_t;
  assign v_e_o = v_e;

endmodule
