// SPDX-License-Identifier: MIT OR Apache-2.0
//
// System PMUs: encodings and codes of the DUT contract, and the lane that configures one of them.

package spmu_pkg;

  ///////////////
  // Encodings //
  ///////////////

  // {op0, op1, CRn, CRm, op2}
  localparam logic [15:0] AddrSpmselr = {2'd2, 3'd3, 4'd9, 4'd12, 3'd5};
  localparam logic [15:0] AddrSpmcntenset = {2'd2, 3'd3, 4'd9, 4'd12, 3'd1};
  localparam logic [15:0] AddrSpmcntenclr = {2'd2, 3'd3, 4'd9, 4'd12, 3'd2};
  localparam logic [15:0] AddrSpmovsclr = {2'd2, 3'd3, 4'd9, 4'd12, 3'd3};
  localparam logic [15:0] AddrSpmovsset = {2'd2, 3'd3, 4'd9, 4'd14, 3'd3};
  localparam logic [15:0] AddrSpmintenset = {2'd2, 3'd0, 4'd9, 4'd14, 3'd1};
  localparam logic [15:0] AddrSpmintenclr = {2'd2, 3'd0, 4'd9, 4'd14, 3'd2};

  // The read-only registers (SPMU-01..05) without op2, which is below
  localparam logic [12:0] BaseIdentification = {2'd2, 3'd0, 4'd9, 4'd13};
  localparam logic [2:0] Op2Spmcgcr0 = 3'd0;
  localparam logic [2:0] Op2Spmcgcr1 = 3'd1;
  localparam logic [2:0] Op2Spmiidr = 3'd4;
  localparam logic [2:0] Op2Spmdevarch = 3'd5;
  localparam logic [2:0] Op2Spmdevaff = 3'd6;
  localparam logic [2:0] Op2Spmcfgr = 3'd7;

  // SPMEVCNTR<n>, SPMEVTYPER<n>, SPMEVFILTR<n>, SPMEVFILT2R<n>: the encoding without which of the
  // four, in bits [5:4], and n, in bits [3:0]
  localparam logic [9:0] BaseCounter = {2'd2, 3'd3, 4'd14, 1'b0};
  localparam logic [1:0] Spmevcntr = 2'd0;

  // Sets of counters
  localparam logic [1:0] Spmcnten = 2'd0;
  localparam logic [1:0] Spmovs = 2'd1;
  localparam logic [1:0] Spminten = 2'd2;

  // access_outcome
  localparam logic [7:0] OutcomeNone = 8'd0;
  localparam logic [7:0] OutcomeOk = 8'd1;
  localparam logic [7:0] OutcomeUndefined = 8'd2;
  localparam logic [7:0] OutcomeTrapEl2 = 8'd4;
  localparam logic [7:0] OutcomeTrapEl3 = 8'd5;

  // controls
  localparam int ControlEl2Enabled = 0;
  localparam int ControlHalted = 11;
  localparam int ControlSdd = 12;
  localparam int ControlFgten2 = 15;
  localparam int ControlNspmid = 16;
  localparam int ControlNspmdevaff = 17;
  localparam int ControlEnspm = 18;
  localparam int ControlEnpm2 = 19;

  ///////////////////
  // Configuration //
  ///////////////////

  // One lane: N_g of Counter Group g in byte g, 0 to 14; number of groups, 1 to 15; bits of the
  // largest counter; SPMCFGR bit 19; the other feature bits of SPMCFGR, in place; the identity
  localparam int LaneWidth = 320;
  localparam int LaneGroupsLsb = 120;
  localparam int LaneSizeLsb = 128;
  localparam int LaneBit19 = 136;
  localparam int LaneFeaturesLsb = 144;
  localparam int LaneSpmiidrLsb = 176;
  localparam int LaneSpmdevarchLsb = 208;
  localparam int LaneSpmdevaffLsb = 240;

  // SPMU-04: HDBG[24], TRO[23], SS[22], FZO[21], MSI[20], NA[17], EX[16]; bit 19 is LaneBit19.
  localparam logic [31:0] FeaturesMask = 32'h01F3_0000;

endpackage
