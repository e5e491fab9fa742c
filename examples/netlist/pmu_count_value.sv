// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Stands where rtl/pmu_count_value.sv would: the same module, made of the two netlists. They have
// the parameters that they were synthesized with, and no others.

module pmu_count_value #(
  parameter bit Odd = 1'b1,
  parameter int EventWidth = 8,
  parameter int ThWidth = 6,
  parameter bit Th = 1'b1,
  parameter bit Edge = 1'b1,
  parameter bit Th2 = 1'b1
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic hold_i,
  input  logic counting_i,
  input  logic [EventWidth-1:0] event_value_i,
  input  logic [EventWidth-1:0] v_link_i,
  input  logic [2:0] tc_i,
  input  logic te_i,
  input  logic [1:0] tlc_i,
  input  logic [11:0] th_i,
  input  logic plain_i,
  output logic [EventWidth-1:0] v_b_o,
  output logic c_t_o,
  output logic c_p_o,
  output logic c_e_o,
  output logic [EventWidth-1:0] v_t_o,
  output logic [EventWidth-1:0] v_e_o,
  output logic [EventWidth-1:0] v_o
);

  if (EventWidth != 8 || ThWidth != 6 || !Th || !Edge || !Th2) begin : gen_check
    $fatal(1, "the netlists are of EventWidth 8, ThWidth 6, and all features");
  end

  if (Odd) begin : gen_odd
    count_value_odd u_netlist (.*);
  end else begin : gen_even
    count_value_even u_netlist (.*);
  end

endmodule
