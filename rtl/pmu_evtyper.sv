// SPDX-License-Identifier: MIT OR Apache-2.0
//
// PMEVTYPER<n>_EL0 of every event counter and PMCCFILTR_EL0: which bits exist, and their storage.

module pmu_evtyper #(
  parameter int Counters = 31,
  parameter int ThWidth = 12,
  parameter bit Th = 1'b1,
  parameter bit Edge = 1'b1,
  parameter bit Th2 = 1'b1,
  parameter bit Pmuv3p1 = 1'b1,
  parameter bit El2 = 1'b1,
  parameter bit El3 = 1'b1,
  parameter bit Sel2 = 1'b1,
  parameter bit Rme = 1'b1,
  parameter bit Sebep = 1'b1,
  parameter bit Sme = 1'b1,
  parameter bit Mt = 1'b1,
  parameter bit Tme = 1'b0,
  // A-ETY-2: the register as it was in 2021
  parameter bit Layout2021 = 1'b0,

  // At least one lane, so that the ports exist without counters
  localparam int Lanes = (Counters > 0) ? Counters : 1
) (
  input  logic clk_i,
  input  logic rst_i,

  // Write of the register of counter index_i, which is implemented, or of PMCCFILTR_EL0; bits
  // [31:0] and [63:32] are written each by its bit of half_i
  input  logic pmevtyper_we_i,
  input  logic [4:0] index_i,
  input  logic pmccfiltr_we_i,
  input  logic [1:0] half_i,
  input  logic [63:0] wdata_i,

  // PMEVTYPER<index_i>_EL0
  output logic [63:0] pmevtyper_o,
  output logic [63:0] pmccfiltr_o,

  // What the register that is written becomes
  output logic [63:0] next_o,

  output logic [Lanes*64-1:0] pmevtyper_all_o
);

  localparam int IndexWidth = (Lanes > 1) ? $clog2(Lanes) : 1;

  ///////////////////////////////////////////////////////////
  // ETY-02: bits that exist; the others are RES0 (ETY-05) //
  ///////////////////////////////////////////////////////////

  // ETY-03
  localparam logic [11:0] MaskTh = Th ? 12'((1 << ThWidth) - 1) : 12'd0;
  // Fields that the layout of 2021 does not have
  localparam bit MaskTe = Edge && !Layout2021;
  localparam bit MaskSync = Sebep && !Layout2021;
  localparam bit MaskVs = Sme && !Layout2021;
  localparam bit MaskTlc = Th2 && !Layout2021;
  localparam bit MaskT = Tme && !Layout2021;
  localparam bit MaskRl = Rme && !Layout2021;
  // SH[24], T[23], RLK[22], RLU[21], RLH[20]
  localparam logic [4:0] MaskFilter = {El3 && Sel2, MaskT, {3{MaskRl}}};
  // P[31], U[30], NSK[29], NSU[28], NSH[27], M[26]
  localparam logic [5:0] MaskLevels = {1'b1, 1'b1, El3, El3, El2, El3};
  // ETY-32
  localparam logic [15:0] MaskEvent = {{6{Pmuv3p1}}, 10'h3FF};

  // TC[63:61], TE[60], SYNC[58], VS[57:56], TH[43:32], MT[25]; on odd counters TLC[55:54] too
  localparam logic [63:0] MaskEven = {{3{Th}}, MaskTe, 1'b0, MaskSync, {2{MaskVs}}, 2'b00, 10'b0,
                                      MaskTh, MaskLevels, Mt, MaskFilter, 4'b0, MaskEvent};
  localparam logic [63:0] MaskOdd = MaskEven | {8'b0, {2{MaskTlc}}, 54'b0};

  localparam logic [63:0] MaskCycle = {6'b0, {2{MaskVs}}, 24'b0, MaskLevels, 1'b0, MaskFilter,
                                       20'b0};

  /////////////
  // Storage //
  /////////////

  logic [63:0] pmevtyper_q[Lanes];
  logic [63:0] pmccfiltr_q;
  logic [IndexWidth-1:0] index;
  logic [63:0] current, mask;

  assign index = index_i[IndexWidth-1:0];

  // DUT-36, DUT-37: what is not written stays.
  assign current = pmccfiltr_we_i ? pmccfiltr_q : pmevtyper_q[index];
  assign mask = pmccfiltr_we_i ? MaskCycle : (index_i[0] ? MaskOdd : MaskEven);
  assign next_o = {half_i[1] ? wdata_i[63:32] : current[63:32],
                   half_i[0] ? wdata_i[31:0] : current[31:0]} & mask;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11
      for (int n = 0; n < Lanes; n++) pmevtyper_q[n] <= '0;
    end else if (pmevtyper_we_i) begin
      pmevtyper_q[index] <= next_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) pmccfiltr_q <= '0;  // DUT-11
    else if (pmccfiltr_we_i) pmccfiltr_q <= next_o;
  end

  assign pmevtyper_o = pmevtyper_q[index];
  assign pmccfiltr_o = pmccfiltr_q;

  for (genvar n = 0; n < Lanes; n++) begin : gen_counter
    assign pmevtyper_all_o[64*n +: 64] = pmevtyper_q[n];
  end

  logic unused_index;
  assign unused_index = ^index_i;

endmodule
