// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The wrapper of the DUT contract: registers CycleInput at the rising edge and drives CycleOutput
// of that cycle from registers alone, so that no output depends combinationally on an input.

// An illegal parameter is an elaboration error. Icarus Verilog 11 has none, and Verilator turns it
// into a warning by -Wno-fatal: there, simulation ends at time 0.
`ifdef YOSYS
`define PMU_ILLEGAL(Message) $error(Message);
`elsif __ICARUS__
`define PMU_ILLEGAL(Message) initial $fatal(1, Message);
`else
`define PMU_ILLEGAL(Message) $fatal(1, Message); initial $fatal(1, Message);
`endif

module lockstep_dut #(
  // All but the last are of type int, so that a tool's command line can set any of them to a plain
  // number. The features are 0 or 1.

  // Event counters, 0 to 31; width of each, 64 with FEAT_PMUv3p5 and else 32
  parameter int Counters = 31,
  parameter int CounterBits = 64,
  // Events, 1 to 64, and the bits of their values, 1 to 16
  parameter int EventCount = 64,
  parameter int EventWidth = 16,
  // PMMIR_EL1.THWIDTH, 1 to 12; without meaning if Th is 0
  parameter int ThWidth = 12,
  // FEAT_PMUv3_TH, FEAT_PMUv3_EDGE, FEAT_PMUv3_TH2
  parameter int Th = 1,
  parameter int Edge = 1,
  parameter int Th2 = 1,
  // Event CHAIN
  parameter int Chain = 1,
  // Features that decide which bits of PMEVTYPER<n>_EL0 and PMCCFILTR_EL0 exist (ETY-02)
  parameter int Pmuv3p1 = 1,
  parameter int El2 = 1,
  parameter int El3 = 1,
  parameter int Sel2 = 1,
  parameter int Rme = 1,
  parameter int Sebep = 1,
  parameter int Sme = 1,
  parameter int Mt = 1,
  parameter int Tme = 0,
  // PMMIR_EL1[19:0]: SLOTS, BUS_SLOTS, BUS_WIDTH
  parameter int Pmmir = 0,
  // MT is of FEAT_MTPMU, and MDCR_EL3.MTPME or MDCR_EL2.MTPME can disable it (ETY-21)
  parameter int Mtpmu = 1,
  // Features that decide about accesses (ETY-40, SPMU-30). FEAT_HPMN0 changes nothing: A-ETY-6.
  parameter int Fgt = 1,
  parameter int Fgt2 = 1,
  parameter int Pmuv3p9 = 1,
  parameter int Hpmn0 = 1,
  parameter int Vhe = 1,
  // PMEVTYPER<n>_EL0 and its access rules as they were in 2021 (A-ETY-2, A-ETY-4)
  parameter int Layout2021 = 0,
  parameter int Access2021 = 0,
  // Statistical Profiling, FEAT_SPE_ERnd, FEAT_SPE_EXC
  parameter int Spe = 1,
  parameter int Ernd = 1,
  parameter int SpeExc = 1,
  // Threads of the processor, 1 to 4
  parameter int Threads = 4,
  // Samples that can be in flight, 1 to 255; without meaning if Spe is 0
  parameter int MaxInflight = 2,
  // PMSIDR_EL1[31:0], but for bit 5, which is Ernd; without meaning if Spe is 0
  parameter int Pmsidr = 32'h0002_6227,
  // System PMUs, 0 to 4
  parameter int SystemPmus = 2,
  // System PMU s in bits 320*s and up: counters of Counter Group g [8*g+7:8*g], groups [127:120],
  // bits of a counter [135:128], SPMCFGR_EL1 bit 19 [136] and feature bits in place [175:144],
  // SPMIIDR_EL1 [207:176], SPMDEVARCH_EL1 [239:208], SPMDEVAFF_EL1 [303:240], each of the last
  // three zero if it is not implemented
  parameter logic [4*320-1:0] SystemPmuConfig = {
    320'd0,
    320'd0,
    // 15 groups, 32 bits
    16'd0, 64'd0, 32'd0, 32'd0, 32'd0, 7'd0, 1'b1, 8'd32, 8'd15,
    8'd4, 8'd3, 8'd2, 8'd1, 8'd0, 8'd4, 8'd3, 8'd2, 8'd1, 8'd4, 8'd0, 8'd1, 8'd2, 8'd3, 8'd4,
    // 2 groups, 64 bits
    16'd0, 64'h8100_0100, 32'h4770_0A66, 32'h4A51_243B, 32'h0120_0000, 7'd0, 1'b1, 8'd64, 8'd2,
    104'd0, 8'd6, 8'd4
  }
) (
  input  logic clk_i,

  input  logic [pmu_pkg::InputWidth-1:0] cycle_input_i,
  output logic [pmu_pkg::OutputWidth-1:0] cycle_output_o,
  output logic [pmu_pkg::ParametersWidth-1:0] parameters_o
);

  ////////////////////////
  // Illegal parameters //
  ////////////////////////

  if (Counters < 0 || Counters > 31) begin : gen_check_counters
    `PMU_ILLEGAL("Counters must be 0 to 31")
  end
  if (CounterBits != 32 && CounterBits != 64) begin : gen_check_counter_bits
    `PMU_ILLEGAL("CounterBits must be 32 or 64")
  end
  if (EventCount < 1 || EventCount > 64) begin : gen_check_event_count
    `PMU_ILLEGAL("EventCount must be 1 to 64")
  end
  if (EventWidth < 1 || EventWidth > 16) begin : gen_check_event_width
    `PMU_ILLEGAL("EventWidth must be 1 to 16")
  end
  if (Pmmir < 0 || Pmmir > 32'h000F_FFFF) begin : gen_check_pmmir
    `PMU_ILLEGAL("Pmmir must be 0 to 0xFFFFF")
  end
  if (((Th | Edge | Th2 | Chain | Pmuv3p1 | El2 | El3 | Sel2 | Rme | Sebep | Sme | Mt | Tme |
        Mtpmu | Fgt | Fgt2 | Pmuv3p9 | Hpmn0 | Vhe | Layout2021 | Access2021 | Spe | Ernd |
        SpeExc) & ~1)
      != 0) begin : gen_check_features
    `PMU_ILLEGAL("Features must be 0 or 1")
  end
  if (ThWidth < 0 || ThWidth > 12 || (Th != 0 && ThWidth < 1)) begin : gen_check_th_width
    `PMU_ILLEGAL("ThWidth must be 1 to 12, or 0 without Th")
  end
  // TH-07
  if ((Edge != 0 && Th == 0) || (Th2 != 0 && Edge == 0)) begin : gen_check_th
    `PMU_ILLEGAL("Th2 needs Edge, and Edge needs Th")
  end

  if ((Sel2 != 0 || Rme != 0) && El3 == 0) begin : gen_check_el3
    `PMU_ILLEGAL("Sel2 and Rme need El3")
  end
  if (Mtpmu != 0 && Mt == 0) begin : gen_check_mtpmu
    `PMU_ILLEGAL("Mtpmu needs Mt")
  end
  if ((Ernd != 0 || SpeExc != 0) && Spe == 0) begin : gen_check_spe
    `PMU_ILLEGAL("Ernd and SpeExc need Spe")
  end
  if (Threads < 1 || Threads > 4) begin : gen_check_threads
    `PMU_ILLEGAL("Threads must be 1 to 4")
  end
  if (MaxInflight < 0 || MaxInflight > 255 || (Spe != 0 && MaxInflight < 1))
  begin : gen_check_max_inflight
    `PMU_ILLEGAL("MaxInflight must be 1 to 255, or 0 without Spe")
  end
  if (SystemPmus < 0 || SystemPmus > 4) begin : gen_check_system_pmus
    `PMU_ILLEGAL("SystemPmus must be 0 to 4")
  end

  ////////////
  // Inputs //
  ////////////

  logic [pmu_pkg::InputWidth-1:0] cycle_input_q;

  // DUT-01; DUT-03: no other reset than the one in CycleInput
  always_ff @(posedge clk_i) begin
    cycle_input_q <= cycle_input_i;
  end

  logic rst, hold;
  logic driven_pe, driven_threads;
  logic [31:0] controls;
  logic [pmu_pkg::ThreadsWidth-1:0] threads;

  assign rst = cycle_input_q[pmu_pkg::InResetLsb];
  // DUT-52: a reset wins
  assign hold = cycle_input_q[pmu_pkg::InClockStoppedLsb] && !rst;

  assign driven_pe = cycle_input_q[pmu_pkg::InDrivenLsb + pmu_pkg::DrivenPe];
  assign driven_threads = cycle_input_q[pmu_pkg::InDrivenLsb + pmu_pkg::DrivenThreads];
  assign controls = cycle_input_q[pmu_pkg::InControlsLsb +: 32];
  assign threads = cycle_input_q[pmu_pkg::InThreadsLsb +: pmu_pkg::ThreadsWidth];

  logic [7:0] access_kind;
  logic [15:0] access_address;
  logic [63:0] access_wdata;

  // DUT-10, DUT-52: there is no access then.
  assign access_kind = (rst || hold) ? pmu_pkg::KindNone :
                                       cycle_input_q[pmu_pkg::InAccessKindLsb +: 8];
  assign access_address = cycle_input_q[pmu_pkg::InAccessAddressLsb +: 16];
  assign access_wdata = cycle_input_q[pmu_pkg::InAccessDataLsb +: 64];

  /////////
  // PMU //
  /////////

  logic [pmu_pkg::IncrementsWidth-1:0] increment;
  logic [4*8-1:0] sample;
  logic [63:0] pmu_data;
  logic [7:0] pmu_outcome;

  pmu_event_counters #(
    .Counters   (Counters),
    .CounterBits(CounterBits),
    .EventCount (EventCount),
    .EventWidth (EventWidth),
    .ThWidth    (ThWidth),
    .Th         (Th != 0),
    .Edge       (Edge != 0),
    .Th2        (Th2 != 0),
    .Chain      (Chain != 0),
    .Pmuv3p1    (Pmuv3p1 != 0),
    .El2        (El2 != 0),
    .El3        (El3 != 0),
    .Sel2       (Sel2 != 0),
    .Rme        (Rme != 0),
    .Sebep      (Sebep != 0),
    .Sme        (Sme != 0),
    .Mt         (Mt != 0),
    .Tme        (Tme != 0),
    .Mtpmu      (Mtpmu != 0),
    .Fgt        (Fgt != 0),
    .Pmuv3p9    (Pmuv3p9 != 0),
    .Vhe        (Vhe != 0),
    .Layout2021 (Layout2021 != 0),
    .Access2021 (Access2021 != 0),
    .Threads    (Threads),
    .Pmmir      (20'(Pmmir))
  ) u_event_counters (
    .clk_i,
    .rst_i             (rst),
    .hold_i            (hold),
    .event_i           (cycle_input_q[pmu_pkg::EventsWidth-1:0]),
    .counting_allowed_i(cycle_input_q[pmu_pkg::InCountingAllowedLsb +: 32]),
    .driven_pe_i       (driven_pe),
    .driven_threads_i  (driven_threads),
    .controls_i        (controls),
    .hpmn_i            (cycle_input_q[pmu_pkg::InHpmnLsb +: 5]),
    .pmuacr_i          (cycle_input_q[pmu_pkg::InPmuacrLsb +: 32]),
    .threads_i         (threads),
    .sample_i          (sample),
    .access_kind_i     (access_kind),
    .access_address_i  (access_address),
    .access_data_i     (access_wdata),
    .increment_o       (increment),
    .access_data_o     (pmu_data),
    .access_outcome_o  (pmu_outcome)
  );

  ///////////////////////////
  // Statistical Profiling //
  ///////////////////////////

  localparam logic [31:0] PmsidrRead =
      (Spe != 0) ? ((32'(Pmsidr) & ~32'h0000_0020) | {26'b0, 1'(Ernd), 5'b0}) : 32'd0;

  logic spe_hit;
  logic [7:0] spe_outcome;
  logic [63:0] spe_data;

  // Group SPE of CycleOutput: random_byte, random_drawn, coll, collided, first_selected, selected,
  // in_flight, pmsicr
  logic [119:0] spe_group;

  if (Spe != 0) begin : gen_spe
    logic [7:0] profiling;
    logic pmsicr_we, pmsirr_we;
    logic [2:0] pmbsr_we;
    logic [63:0] pmsicr, pmsirr, pmsidr;
    logic [3*64-1:0] pmbsr;
    logic [63:0] pmsicr_after;
    logic [7:0] in_flight, selected, first_selected, collided, random_drawn, random_byte;
    logic [2:0] coll;

    assign profiling = cycle_input_q[pmu_pkg::InProfilingLsb +: 8];

    pmu_access_spe #(
      .SpeExc(SpeExc != 0)
    ) u_access (
      .kind_i     (access_kind),
      .address_i  (access_address),
      .hit_o      (spe_hit),
      .outcome_o  (spe_outcome),
      .data_o     (spe_data),
      .pmsicr_we_o(pmsicr_we),
      .pmsirr_we_o(pmsirr_we),
      .pmbsr_we_o (pmbsr_we),
      .pmsicr_i   (pmsicr),
      .pmsirr_i   (pmsirr),
      .pmsidr_i   (pmsidr),
      .pmbsr_i    (pmbsr)
    );

    spe_sampling #(
      .Ernd       (Ernd != 0),
      .SpeExc     (SpeExc != 0),
      .MaxInflight(MaxInflight),
      .Pmsidr     (PmsidrRead)
    ) u_sampling (
      .clk_i,
      .rst_i             (rst),
      .hold_i            (hold),
      .operations_i      (cycle_input_q[pmu_pkg::InOperationsLsb +: 4]),
      .complete_i        (cycle_input_q[pmu_pkg::InCompleteLsb +: 4]),
      .filtered_out_i    (cycle_input_q[pmu_pkg::InFilteredOutLsb +: 4]),
      .enabled_i         (profiling[pmu_pkg::ProfilingEnabled]),
      .discard_i         (profiling[pmu_pkg::ProfilingDiscard]),
      .pmsee_i           (profiling[pmu_pkg::ProfilingPmseeLsb +: 2]),
      .ee_i              (profiling[pmu_pkg::ProfilingEeLsb +: 2]),
      .pmsicr_we_i       (pmsicr_we),
      .pmsirr_we_i       (pmsirr_we),
      .pmbsr_we_i        (pmbsr_we),
      .wdata_i           (access_wdata),
      .pmsicr_o          (pmsicr),
      .pmsirr_o          (pmsirr),
      .pmsidr_o          (pmsidr),
      .pmbsr_o           (pmbsr),
      .pmsicr_after_o    (pmsicr_after),
      .in_flight_o       (in_flight),
      .selected_o        (selected),
      .first_selected_o  (first_selected),
      .collided_o        (collided),
      .coll_o            (coll),
      .random_drawn_o    (random_drawn),
      .random_byte_o     (random_byte),
      .sample_pop_o      (sample[7:0]),
      .sample_feed_o     (sample[15:8]),
      .sample_filtrate_o (sample[23:16]),
      .sample_collision_o(sample[31:24])
    );

    assign spe_group = {random_byte, random_drawn, 5'b0, coll, collided, first_selected, selected,
                        in_flight, pmsicr_after};

    logic unused_profiling;
    assign unused_profiling = ^profiling;
  end else begin : gen_no_spe
    // DUT-30, DUT-51
    assign spe_hit = 1'b0;
    assign spe_outcome = pmu_pkg::OutcomeNone;
    assign spe_data = '0;
    assign spe_group = '0;
    assign sample = '0;
  end

  /////////////////
  // System PMUs //
  /////////////////

  logic spmu_hit;
  logic [7:0] spmu_outcome;
  logic [63:0] spmu_data;
  logic [4*32-1:0] spmcfgr;

  if (SystemPmus != 0) begin : gen_spmu
    spmu_registers #(
      .SystemPmus(SystemPmus),
      .Config    (SystemPmuConfig),
      .El2       (El2 != 0),
      .El3       (El3 != 0),
      .Fgt2      (Fgt2 != 0)
    ) u_registers (
      .clk_i,
      .rst_i           (rst),
      .read_i          (access_kind == pmu_pkg::KindMrs),
      .write_i         (access_kind == pmu_pkg::KindMsr),
      .address_i       (access_address),
      .wdata_i         (access_wdata),
      .driven_i        (driven_pe),
      .level_i         (threads[pmu_pkg::ThreadStateLsb +: 2]),
      .controls_i      (controls),
      .spmaccessr_el2_i(cycle_input_q[pmu_pkg::InSpmaccessrEl2Lsb +: 64]),
      .spmaccessr_el3_i(cycle_input_q[pmu_pkg::InSpmaccessrEl3Lsb +: 64]),
      .hit_o           (spmu_hit),
      .outcome_o       (spmu_outcome),
      .rdata_o         (spmu_data),
      .spmcfgr_all_o   (spmcfgr)
    );
  end else begin : gen_no_spmu
    // DUT-30
    assign spmu_hit = 1'b0;
    assign spmu_outcome = pmu_pkg::OutcomeNone;
    assign spmu_data = '0;
    assign spmcfgr = '0;
  end

  ///////////////////////////
  // Outcome of the access //
  ///////////////////////////

  logic aarch64, of_spmu;
  logic [7:0] access_outcome;
  logic [63:0] access_data;

  assign aarch64 = access_kind == pmu_pkg::KindMrs || access_kind == pmu_pkg::KindMsr;

  // No encoding is of two of the three. Sampling and System PMUs have no other view than AArch64.
  assign of_spmu = aarch64 && spmu_hit;
  assign access_outcome = spe_hit ? spe_outcome : (of_spmu ? spmu_outcome : pmu_outcome);
  assign access_data = spe_hit ? spe_data : (of_spmu ? spmu_data : pmu_data);

  logic trapped;
  logic [31:0] trap_iss;

  // The syndrome of an AArch32 access is not in the documents (DUT-36).
  assign trapped = aarch64 && (access_outcome == pmu_pkg::OutcomeTrapEl1 ||
                               access_outcome == pmu_pkg::OutcomeTrapEl2 ||
                               access_outcome == pmu_pkg::OutcomeTrapEl3);

  // ETY-45: op0[21:20], op2[19:17], op1[16:14], CRn[13:10], Rt[9:5], CRm[4:1], Direction[0]
  assign trap_iss = !trapped ? '0 : {
    10'b0, access_address[15:14], access_address[2:0], access_address[13:11], access_address[10:7],
    cycle_input_q[pmu_pkg::InAccessRtLsb +: 5], access_address[6:3],
    access_kind == pmu_pkg::KindMrs
  };

  /////////////
  // Outputs //
  /////////////

  // DUT-02; DUT-10: the outputs of a cycle with reset are zero
  assign cycle_output_o = {
    72'b0,
    rst ? 120'b0 : spe_group,
    trap_iss,
    24'b0,
    access_outcome,
    access_data,
    increment
  };

  // Features from bit 0: TH, EDGE, TH2, CHAIN, PMUv3p1, EL2, EL3, SEL2, RME, SEBEP, SME, MT, TME,
  // MTPMU, FGT, FGT2, PMUv3p9, HPMN0, VHE, layout of 2021, access model of 2021, SPE, SPE_ERnd,
  // SPE_EXC
  localparam logic [23:0] Features = {
    1'(SpeExc), 1'(Ernd), 1'(Spe), 1'(Access2021), 1'(Layout2021), 1'(Vhe), 1'(Hpmn0),
    1'(Pmuv3p9), 1'(Fgt2), 1'(Fgt), 1'(Mtpmu), 1'(Tme), 1'(Mt), 1'(Sme), 1'(Sebep), 1'(Rme),
    1'(Sel2), 1'(El3), 1'(El2), 1'(Pmuv3p1), 1'(Chain), 1'(Th2), 1'(Edge), 1'(Th)
  };

  // Constants of their own: Yosys 0.23 takes a choice of these within a concatenation for 32 bits.
  localparam logic [7:0] StatedThWidth = (Th != 0) ? 8'(ThWidth) : 8'd0;
  localparam logic [7:0] StatedMaxInflight = (Spe != 0) ? 8'(MaxInflight) : 8'd0;

  assign parameters_o = {
    128'b0,
    spmcfgr,
    PmsidrRead,
    8'b0,
    8'(SystemPmus),
    StatedMaxInflight,
    8'(Threads),
    32'(Pmmir),
    8'b0, Features,
    8'd0,  // latency_spe
    8'd0,  // latency_access
    8'd0,  // latency_increment
    StatedThWidth,
    8'(EventWidth),
    8'(EventCount),
    8'(CounterBits),
    8'(Counters),
    pmu_pkg::LayoutVersion,
    pmu_pkg::ContractVersion,
    pmu_pkg::Magic
  };

  logic unused_input;
  assign unused_input = ^cycle_input_q;

endmodule

`undef PMU_ILLEGAL
