// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Constants of the DUT contract: byte layouts as bit positions, System register encodings, field
// positions and the codes of an access.

package pmu_pkg;

  // parameters_o (contract, section 4)
  localparam logic [31:0] Magic = 32'h554D_504C;
  localparam logic [15:0] ContractVersion = 16'd2;
  localparam logic [15:0] LayoutVersion = 16'd2;

  // cycle_input_i and cycle_output_o (contract, sections 2 and 3), in bits
  localparam int InputWidth = 1536;
  localparam int OutputWidth = 832;
  localparam int ParametersWidth = 512;

  // Every event has a lane of 16 bits, of which EventWidth are used; so has every increment.
  localparam int MaxEvents = 64;
  localparam int LaneWidth = 16;
  localparam int EventsWidth = MaxEvents * LaneWidth;
  localparam int IncrementsWidth = 32 * LaneWidth;

  localparam int InAccessDataLsb = 1024;
  localparam int InCountingAllowedLsb = 1088;
  localparam int InAccessAddressLsb = 1120;
  localparam int InAccessKindLsb = 1136;
  localparam int InResetLsb = 1144;
  localparam int InDrivenLsb = 1152;
  localparam int InClockStoppedLsb = 1160;
  localparam int InOperationsLsb = 1168;
  localparam int InCompleteLsb = 1176;
  localparam int InFilteredOutLsb = 1184;
  localparam int InProfilingLsb = 1192;
  localparam int InHpmnLsb = 1200;
  localparam int InAccessRtLsb = 1208;
  localparam int InControlsLsb = 1216;
  localparam int InPmuacrLsb = 1248;
  localparam int InSpmaccessrEl2Lsb = 1280;
  localparam int InSpmaccessrEl3Lsb = 1344;
  localparam int InThreadsLsb = 1408;

  // Thread: one of MaxThreads in `threads`
  localparam int MaxThreads = 4;
  localparam int ThreadWidth = 32;
  localparam int ThreadsWidth = MaxThreads * ThreadWidth;
  localparam int ThreadStateLsb = 0;
  localparam int ThreadConditionsLsb = 8;
  localparam int ThreadCountLsb = 16;

  // `state` of a thread: {Security state, Exception level} in the low bits, and Streaming mode
  localparam int StateStreaming = 4;
  localparam logic [1:0] StateNonSecure = 2'd0;
  localparam logic [1:0] StateSecure = 2'd1;
  localparam logic [1:0] StateRealm = 2'd2;

  // `conditions` of a thread
  localparam int ConditionActive = 0;
  localparam int ConditionWfx = 1;
  localparam int ConditionStall = 2;
  localparam int ConditionStallFrontend = 3;
  localparam int ConditionStallBackend = 4;
  localparam int ConditionSecond = 5;
  localparam int ConditionOther = 6;

  // `driven`
  localparam int DrivenPe = 0;
  localparam int DrivenThreads = 1;

  // `controls`
  localparam int ControlEl2Enabled = 0;
  localparam int ControlE2h = 1;
  localparam int ControlTge = 2;
  localparam int ControlUserEn = 3;
  localparam int ControlUserUen = 4;
  localparam int ControlUserEr = 5;
  localparam int ControlFgten = 6;
  localparam int ControlHdfgrtrEvtyper = 7;
  localparam int ControlHdfgwtrEvtyper = 8;
  localparam int ControlTpmEl2 = 9;
  localparam int ControlTpmEl3 = 10;
  localparam int ControlHalted = 11;
  localparam int ControlSdd = 12;
  localparam int ControlMtpmeEl3 = 13;
  localparam int ControlMtpmeEl2 = 14;

  // `profiling`
  localparam int ProfilingEnabled = 0;
  localparam int ProfilingDiscard = 1;
  localparam int ProfilingPmseeLsb = 2;
  localparam int ProfilingEeLsb = 4;

  // The cycle counter has bit 31 of the enable, overflow and counting_allowed vectors.
  localparam int CycleCounter = 31;

  // access_kind
  localparam logic [7:0] KindNone = 8'd0;
  localparam logic [7:0] KindMrs = 8'd1;
  localparam logic [7:0] KindMsr = 8'd2;
  localparam logic [7:0] KindMrc = 8'd3;
  localparam logic [7:0] KindMcr = 8'd4;
  localparam logic [7:0] KindExternalRead = 8'd5;
  localparam logic [7:0] KindExternalWrite = 8'd6;

  // access_outcome; NOP, which is 6, is not the behaviour of this design in any case
  localparam logic [7:0] OutcomeNone = 8'd0;
  localparam logic [7:0] OutcomeOk = 8'd1;
  localparam logic [7:0] OutcomeUndefined = 8'd2;
  localparam logic [7:0] OutcomeTrapEl1 = 8'd3;
  localparam logic [7:0] OutcomeTrapEl2 = 8'd4;
  localparam logic [7:0] OutcomeTrapEl3 = 8'd5;

  // System register encodings {op0, op1, CRn, CRm, op2}
  localparam logic [15:0] AddrPmcr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd0};
  localparam logic [15:0] AddrPmcntenset = {2'd3, 3'd3, 4'd9, 4'd12, 3'd1};
  localparam logic [15:0] AddrPmcntenclr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd2};
  localparam logic [15:0] AddrPmovsclr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd3};
  localparam logic [15:0] AddrPmselr = {2'd3, 3'd3, 4'd9, 4'd12, 3'd5};
  localparam logic [15:0] AddrPmccntr = {2'd3, 3'd3, 4'd9, 4'd13, 3'd0};
  localparam logic [15:0] AddrPmxevtyper = {2'd3, 3'd3, 4'd9, 4'd13, 3'd1};
  localparam logic [15:0] AddrPmxevcntr = {2'd3, 3'd3, 4'd9, 4'd13, 3'd2};
  localparam logic [15:0] AddrPmovsset = {2'd3, 3'd3, 4'd9, 4'd14, 3'd3};
  localparam logic [15:0] AddrPmmir = {2'd3, 3'd0, 4'd9, 4'd14, 3'd6};

  // Statistical Profiling (SPE-01..04)
  localparam logic [15:0] AddrPmsicr = {2'd3, 3'd0, 4'd9, 4'd9, 3'd2};
  localparam logic [15:0] AddrPmsirr = {2'd3, 3'd0, 4'd9, 4'd9, 3'd3};
  localparam logic [15:0] AddrPmsidr = {2'd3, 3'd0, 4'd9, 4'd9, 3'd7};
  localparam logic [15:0] AddrPmbsrEl1 = {2'd3, 3'd0, 4'd9, 4'd10, 3'd3};
  localparam logic [15:0] AddrPmbsrEl2 = {2'd3, 3'd4, 4'd9, 4'd10, 3'd3};
  localparam logic [15:0] AddrPmbsrEl3 = {2'd3, 3'd6, 4'd9, 4'd10, 3'd3};

  // PMEVCNTR<n> and PMEVTYPER<n> (ETY-01): the encoding without n, which is in bits [4:0]
  localparam logic [10:0] BasePmevcntr = {2'd3, 3'd3, 4'd14, 2'b10};
  localparam logic [10:0] BasePmevtyper = {2'd3, 3'd3, 4'd14, 2'b11};

  // External view (DUT-37): bits [15:7] of the byte offsets of PMEVTYPER<n>_EL0[31:0] and [63:32];
  // n is in bits [6:2].
  localparam logic [8:0] ExternalLow = 9'(16'h0400 >> 7);
  localparam logic [8:0] ExternalHigh = 9'(16'h0A00 >> 7);

  // PMCR_EL0
  localparam int PmcrE = 0;
  localparam int PmcrP = 1;
  localparam int PmcrC = 2;
  localparam int PmcrLp = 7;

  // PMEVTYPER<n>_EL0 (ETY-02), the fields that are read one by one
  localparam int TypeTcLsb = 61;
  localparam int TypeTe = 60;
  localparam int TypeVsLsb = 56;
  localparam int TypeTlcLsb = 54;
  localparam int TypeThLsb = 32;
  localparam int TypeThWidth = 12;
  localparam int TypeP = 31;
  localparam int TypeU = 30;
  localparam int TypeNsk = 29;
  localparam int TypeNsu = 28;
  localparam int TypeNsh = 27;
  localparam int TypeM = 26;
  localparam int TypeMt = 25;
  localparam int TypeSh = 24;
  localparam int TypeRlk = 22;
  localparam int TypeRlu = 21;
  localparam int TypeRlh = 20;
  localparam int TypeEventWidth = 16;

  // Events that are not, or not always, lanes of `event` (DUT-51)
  localparam logic [15:0] EventInstRetired = 16'h0008;
  localparam logic [15:0] EventCpuCycles = 16'h0011;
  localparam logic [15:0] EventChain = 16'h001E;
  localparam logic [15:0] EventStallFrontend = 16'h0023;
  localparam logic [15:0] EventStallBackend = 16'h0024;
  localparam logic [15:0] EventStall = 16'h003C;
  localparam logic [15:0] EventStallSecond = 16'h00C0;
  localparam logic [15:0] EventOtherCycles = 16'h00C1;
  localparam logic [15:0] EventSamplePop = 16'h4000;
  localparam logic [15:0] EventStallFrontendL1i = 16'h8159;
  localparam logic [15:0] EventStallBackendL1d = 16'h8165;

endpackage
