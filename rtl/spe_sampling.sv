// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Statistical Profiling of one PE: which operations are selected for sampling, and what becomes of
// them. Outputs called "after" and the numbers of a cycle are those of the CycleOutput group SPE.

module spe_sampling #(
  // FEAT_SPE_ERnd, FEAT_SPE_EXC
  parameter bit Ernd = 1'b1,
  parameter bit SpeExc = 1'b1,
  // Samples that can be in flight, 1 to 255 (SPE-40)
  parameter int MaxInflight = 1,
  // PMSIDR_EL1[31:0]; bit 5 is Ernd (SPE-03)
  parameter logic [31:0] Pmsidr = 32'h0000_0020
) (
  input  logic clk_i,
  input  logic rst_i,
  // DUT-52: there is no Processor cycle
  input  logic hold_i,

  input  logic [3:0] operations_i,
  input  logic [3:0] complete_i,
  input  logic [3:0] filtered_out_i,
  input  logic enabled_i,
  input  logic discard_i,
  // Effective MDCR_EL3.PMSEE and Effective PMSCR_EL2.EE
  input  logic [1:0] pmsee_i,
  input  logic [1:0] ee_i,

  // PMBSR_EL1, PMBSR_EL2, PMBSR_EL3 in bits 0, 1, 2
  input  logic pmsicr_we_i,
  input  logic pmsirr_we_i,
  input  logic [2:0] pmbsr_we_i,
  input  logic [63:0] wdata_i,

  // The registers at the start of the cycle; PMBSR_EL1 is in the low lane
  output logic [63:0] pmsicr_o,
  output logic [63:0] pmsirr_o,
  output logic [63:0] pmsidr_o,
  output logic [3*64-1:0] pmbsr_o,

  output logic [63:0] pmsicr_after_o,
  output logic [7:0] in_flight_o,
  output logic [7:0] selected_o,
  output logic [7:0] first_selected_o,
  output logic [7:0] collided_o,
  output logic [2:0] coll_o,
  output logic [7:0] random_drawn_o,
  output logic [7:0] random_byte_o,

  // What the PMU events count in this cycle (SPE-05)
  output logic [7:0] sample_pop_o,
  output logic [7:0] sample_feed_o,
  output logic [7:0] sample_filtrate_o,
  output logic [7:0] sample_collision_o
);

  logic [7:0] random_byte;
  logic random_drawn;
  logic [3:0] selected, first_selected;
  logic [3:0] collided, feed, filtrate;

  spe_random u_random (
    .clk_i,
    .rst_i,
    .drawn_i(random_drawn),
    .byte_o (random_byte)
  );

  spe_interval #(
    .Ernd(Ernd)
  ) u_interval (
    .clk_i,
    .rst_i,
    .hold_i,
    .operations_i,
    .enabled_i,
    .random_byte_i   (random_byte),
    .random_drawn_o  (random_drawn),
    .pmsicr_we_i,
    .pmsirr_we_i,
    .wdata_i,
    .pmsicr_o,
    .pmsirr_o,
    .pmsicr_after_o,
    .selected_o      (selected),
    .first_selected_o(first_selected)
  );

  spe_collision #(
    .SpeExc     (SpeExc),
    .MaxInflight(MaxInflight)
  ) u_collision (
    .clk_i,
    .rst_i,
    .hold_i,
    .complete_i,
    .filtered_out_i,
    .discard_i,
    .selected_i (selected),
    .pmsee_i,
    .ee_i,
    .pmbsr_we_i,
    .wdata_i,
    .pmbsr_o,
    .in_flight_o,
    .collided_o (collided),
    .coll_o,
    .feed_o     (feed),
    .filtrate_o (filtrate)
  );

  // SPE-03
  assign pmsidr_o = {32'b0, Pmsidr};

  assign selected_o = 8'(selected);
  assign first_selected_o = 8'(first_selected);
  assign collided_o = 8'(collided);

  // DUT-61
  assign random_drawn_o = 8'(random_drawn);
  assign random_byte_o = random_drawn ? random_byte : 8'h00;

  // SPE-45, DUT-63
  assign sample_pop_o = (enabled_i && !hold_i && !rst_i) ? 8'(operations_i) : 8'd0;
  assign sample_feed_o = 8'(feed);
  assign sample_filtrate_o = 8'(filtrate);
  assign sample_collision_o = 8'(collided);

endmodule
