// Positions and codes of the DUT contract (docs/dut-contract.md), in bits.
package lockstep_pkg;

  localparam logic [31:0] Magic = 32'h554D_504C;
  localparam logic [15:0] ContractVersion = 16'd2;
  localparam logic [15:0] LayoutVersion = 16'd2;

  localparam int InputWidth = 1536;
  localparam int OutputWidth = 832;
  localparam int ParametersWidth = 512;

  // Every event and every increment has a lane of 16 bits.
  localparam int LaneWidth = 16;

  localparam int InAccessDataLsb = 1024;
  localparam int InCountingAllowedLsb = 1088;
  localparam int InAccessAddressLsb = 1120;
  localparam int InAccessKindLsb = 1136;
  localparam int InResetLsb = 1144;
  localparam int InClockStoppedLsb = 1160;

  localparam logic [7:0] KindMrs = 8'd1;
  localparam logic [7:0] KindMsr = 8'd2;

  localparam logic [7:0] OutcomeOk = 8'd1;
  localparam logic [7:0] OutcomeUndefined = 8'd2;

endpackage
