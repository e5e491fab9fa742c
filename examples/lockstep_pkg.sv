// The DUT contract, version 2, as types and numbers. Made by `lockstep new-wrapper`: do not edit it, make it again.

package lockstep_pkg;

  // What parameters_o begins with
  localparam logic [31:0] Magic = 32'h554d504c;
  localparam logic [15:0] ContractVersion = 16'd2;
  localparam logic [15:0] LayoutVersion = 16'd2;

  // Widths of the ports
  localparam int InputWidth = 1536;
  localparam int OutputWidth = 832;
  localparam int ParametersWidth = 512;

  // An element of `threads`
  typedef struct packed {
    logic [15:0] count;
    logic [7:0] conditions;
    logic [7:0] state;
  } thread_t;

  localparam int ThreadStateLsb = 0;
  localparam int ThreadConditionsLsb = 8;
  localparam int ThreadCountLsb = 16;

  // cycle_input_i (section 2)
  typedef struct packed {
    thread_t [3:0] threads;
    logic [63:0] spmaccessr_el3;
    logic [63:0] spmaccessr_el2;
    logic [31:0] pmuacr;
    logic [31:0] controls;
    logic [7:0] access_rt;
    logic [7:0] hpmn;
    logic [7:0] profiling;
    logic [7:0] filtered_out;
    logic [7:0] complete;
    logic [7:0] operations;
    logic [7:0] clock_stopped;
    logic [7:0] driven;
    logic [7:0] reset;
    logic [7:0] access_kind;
    logic [15:0] access_address;
    logic [31:0] counting_allowed;
    logic [63:0] access_data;
    logic [63:0][15:0] events;
  } cycle_input_t;

  localparam int InEventLsb = 0;
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

  // cycle_output_o (section 3)
  typedef struct packed {
    logic [8:0][7:0] zeros;
    logic [7:0] random_byte;
    logic [7:0] random_drawn;
    logic [7:0] coll;
    logic [7:0] collided;
    logic [7:0] first_selected;
    logic [7:0] selected;
    logic [7:0] in_flight;
    logic [63:0] pmsicr;
    logic [31:0] trap_iss;
    logic [2:0][7:0] reserved;
    logic [7:0] access_outcome;
    logic [63:0] access_data;
    logic [31:0][15:0] increment;
  } cycle_output_t;

  localparam int OutIncrementLsb = 0;
  localparam int OutAccessDataLsb = 512;
  localparam int OutAccessOutcomeLsb = 576;
  localparam int OutReservedLsb = 584;
  localparam int OutTrapIssLsb = 608;
  localparam int OutPmsicrLsb = 640;
  localparam int OutInFlightLsb = 704;
  localparam int OutSelectedLsb = 712;
  localparam int OutFirstSelectedLsb = 720;
  localparam int OutCollidedLsb = 728;
  localparam int OutCollLsb = 736;
  localparam int OutRandomDrawnLsb = 744;
  localparam int OutRandomByteLsb = 752;
  localparam int OutZerosLsb = 760;

  // parameters_o (section 4)
  typedef struct packed {
    logic [11:0][7:0] zeros;
    logic [15:0] lacks;
    logic [7:0] increment_form;
    logic [7:0] access_interval;
    logic [3:0][31:0] spmcfgr;
    logic [31:0] pmsidr;
    logic [7:0] zero;
    logic [7:0] system_pmus;
    logic [7:0] max_inflight;
    logic [7:0] threads;
    logic [31:0] pmmir;
    logic [31:0] features;
    logic [7:0] latency_spe;
    logic [7:0] latency_access;
    logic [7:0] latency_increment;
    logic [7:0] thwidth;
    logic [7:0] event_width;
    logic [7:0] event_count;
    logic [7:0] counter_bits;
    logic [7:0] counters;
    logic [15:0] layout_version;
    logic [15:0] contract_version;
    logic [31:0] magic;
  } parameters_t;

  localparam int ParMagicLsb = 0;
  localparam int ParContractVersionLsb = 32;
  localparam int ParLayoutVersionLsb = 48;
  localparam int ParCountersLsb = 64;
  localparam int ParCounterBitsLsb = 72;
  localparam int ParEventCountLsb = 80;
  localparam int ParEventWidthLsb = 88;
  localparam int ParThwidthLsb = 96;
  localparam int ParLatencyIncrementLsb = 104;
  localparam int ParLatencyAccessLsb = 112;
  localparam int ParLatencySpeLsb = 120;
  localparam int ParFeaturesLsb = 128;
  localparam int ParPmmirLsb = 160;
  localparam int ParThreadsLsb = 192;
  localparam int ParMaxInflightLsb = 200;
  localparam int ParSystemPmusLsb = 208;
  localparam int ParZeroLsb = 216;
  localparam int ParPmsidrLsb = 224;
  localparam int ParSpmcfgrLsb = 256;
  localparam int ParAccessIntervalLsb = 384;
  localparam int ParIncrementFormLsb = 392;
  localparam int ParLacksLsb = 400;
  localparam int ParZerosLsb = 416;

  // Bits of `driven`, `profiling`, of a thread's `state` and `conditions`
  localparam int DrivenPe = 0;
  localparam int DrivenThreads = 1;
  localparam int ProfilingEnabled = 0;
  localparam int ProfilingDiscard = 1;
  localparam int StateStreaming = 4;
  localparam int ConditionActive = 0;
  localparam int ConditionWfx = 1;
  localparam int ConditionStall = 2;
  localparam int ConditionStallFrontend = 3;
  localparam int ConditionStallBackend = 4;
  localparam int ConditionSecond = 5;
  localparam int ConditionOther = 6;

  // Bits of `controls`
  localparam int ControlEl2Enabled = 0;  // EL2 enabled
  localparam int ControlHcrEl2E2h = 1;  // HCR_EL2.E2H
  localparam int ControlHcrEl2Tge = 2;  // HCR_EL2.TGE
  localparam int ControlPmuserenrEl0En = 3;  // PMUSERENR_EL0.EN
  localparam int ControlPmuserenrEl0Uen = 4;  // PMUSERENR_EL0.UEN
  localparam int ControlPmuserenrEl0Er = 5;  // PMUSERENR_EL0.ER
  localparam int ControlScrEl3Fgten = 6;  // SCR_EL3.FGTEn
  localparam int ControlHdfgrtrEl2PmevtypernEl0 = 7;  // HDFGRTR_EL2.PMEVTYPERn_EL0
  localparam int ControlHdfgwtrEl2PmevtypernEl0 = 8;  // HDFGWTR_EL2.PMEVTYPERn_EL0
  localparam int ControlMdcrEl2Tpm = 9;  // MDCR_EL2.TPM
  localparam int ControlMdcrEl3Tpm = 10;  // MDCR_EL3.TPM
  localparam int ControlHalted = 11;  // Halted
  localparam int ControlEdscrSdd = 12;  // EDSCR.SDD
  localparam int ControlMdcrEl3Mtpme = 13;  // MDCR_EL3.MTPME
  localparam int ControlMdcrEl2Mtpme = 14;  // MDCR_EL2.MTPME
  localparam int ControlScrEl3Fgten2 = 15;  // SCR_EL3.FGTEn2
  localparam int ControlHdfgrtr2El2Nspmid = 16;  // HDFGRTR2_EL2.nSPMID
  localparam int ControlHdfgrtr2El2NspmdevaffEl1 = 17;  // HDFGRTR2_EL2.nSPMDEVAFF_EL1
  localparam int ControlMdcrEl2Enspm = 18;  // MDCR_EL2.EnSPM
  localparam int ControlMdcrEl3Enpm2 = 19;  // MDCR_EL3.EnPM2

  // The cycle counter in `counting_allowed`, `increment` and the registers of flags
  localparam int CycleCounter = 31;

  // access_kind
  localparam logic [7:0] KindNone = 8'd0;
  localparam logic [7:0] KindMrs = 8'd1;
  localparam logic [7:0] KindMsr = 8'd2;
  localparam logic [7:0] KindMrc = 8'd3;
  localparam logic [7:0] KindMcr = 8'd4;
  localparam logic [7:0] KindExternalRead = 8'd5;
  localparam logic [7:0] KindExternalWrite = 8'd6;

  // access_outcome
  localparam logic [7:0] OutcomeNone = 8'd0;
  localparam logic [7:0] OutcomeOk = 8'd1;
  localparam logic [7:0] OutcomeUndefined = 8'd2;
  localparam logic [7:0] OutcomeTrapEl1 = 8'd3;
  localparam logic [7:0] OutcomeTrapEl2 = 8'd4;
  localparam logic [7:0] OutcomeTrapEl3 = 8'd5;
  localparam logic [7:0] OutcomeNop = 8'd6;

  // Bits of `features`
  localparam int FeatureTh = 0;
  localparam int FeatureEdge = 1;
  localparam int FeatureTh2 = 2;
  localparam int FeatureChain = 3;
  localparam int FeaturePmuv3p1 = 4;
  localparam int FeatureEl2 = 5;
  localparam int FeatureEl3 = 6;
  localparam int FeatureSel2 = 7;
  localparam int FeatureRme = 8;
  localparam int FeatureSebep = 9;
  localparam int FeatureSme = 10;
  localparam int FeatureMt = 11;
  localparam int FeatureTme = 12;
  localparam int FeatureMtpmu = 13;
  localparam int FeatureFgt = 14;
  localparam int FeatureFgt2 = 15;
  localparam int FeaturePmuv3p9 = 16;
  localparam int FeatureHpmn0 = 17;
  localparam int FeatureVhe = 18;
  localparam int FeatureLayout2021 = 19;
  localparam int FeatureAccess2021 = 20;
  localparam int FeatureSpe = 21;
  localparam int FeatureErnd = 22;
  localparam int FeatureSpeExc = 23;

  // increment_form, and bits of `lacks` (section 8)
  localparam logic [7:0] IncrementsShown = 8'd0;
  localparam logic [7:0] IncrementsHidden = 8'd1;
  localparam logic [7:0] IncrementsCounters = 8'd2;
  localparam int LacksPeState = 0;
  localparam int LacksThreadConditions = 1;
  localparam int LacksAarch32 = 2;
  localparam int LacksExternal = 3;
  localparam int LacksIndirect = 4;
  localparam int LacksClockStopped = 5;

  // System register encodings {op0, op1, CRn, CRm, op2} (section 6)
  localparam logic [15:0] AddrPmcr = 16'hdce0;
  localparam logic [15:0] AddrPmcntenset = 16'hdce1;
  localparam logic [15:0] AddrPmcntenclr = 16'hdce2;
  localparam logic [15:0] AddrPmovsclr = 16'hdce3;
  localparam logic [15:0] AddrPmovsset = 16'hdcf3;
  localparam logic [15:0] AddrPmselr = 16'hdce5;
  localparam logic [15:0] AddrPmccntr = 16'hdce8;
  localparam logic [15:0] AddrPmxevtyper = 16'hdce9;
  localparam logic [15:0] AddrPmxevcntr = 16'hdcea;
  localparam logic [15:0] AddrPmmir = 16'hc4f6;
  localparam logic [15:0] AddrPmccfiltr = 16'hdf7f;
  localparam logic [15:0] AddrPmsicr = 16'hc4ca;
  localparam logic [15:0] AddrPmsirr = 16'hc4cb;
  localparam logic [15:0] AddrPmsidr = 16'hc4cf;
  localparam logic [15:0] AddrPmbsrEl1 = 16'hc4d3;
  localparam logic [15:0] AddrPmbsrEl2 = 16'he4d3;
  localparam logic [15:0] AddrPmbsrEl3 = 16'hf4d3;
  localparam logic [15:0] AddrSpmselr = 16'h9ce5;
  localparam logic [15:0] AddrSpmiidr = 16'h84ec;
  localparam logic [15:0] AddrSpmdevarch = 16'h84ed;
  localparam logic [15:0] AddrSpmdevaff = 16'h84ee;
  localparam logic [15:0] AddrSpmcfgr = 16'h84ef;
  localparam logic [15:0] AddrSpmcgcr0 = 16'h84e8;
  localparam logic [15:0] AddrSpmcgcr1 = 16'h84e9;
  localparam logic [15:0] AddrSpmcntenset = 16'h9ce1;
  localparam logic [15:0] AddrSpmcntenclr = 16'h9ce2;
  localparam logic [15:0] AddrSpmovsclr = 16'h9ce3;
  localparam logic [15:0] AddrSpmovsset = 16'h9cf3;
  localparam logic [15:0] AddrSpmintenset = 16'h84f1;
  localparam logic [15:0] AddrSpmintenclr = 16'h84f2;
  // PMEVCNTR<n> and PMEVTYPER<n>: bits [15:5]; n is in bits [4:0], 31 of the latter is PMCCFILTR.
  localparam logic [10:0] BasePmevcntr = 11'h6fa;
  localparam logic [10:0] BasePmevtyper = 11'h6fb;

endpackage
