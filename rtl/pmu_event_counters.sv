// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The PMU of one PE: control registers, event counters with their datapaths, cycle counter and the
// register port. Everything is in the cycle whose inputs are on the ports.

module pmu_event_counters #(
  parameter int Counters = 31,
  parameter int CounterBits = 64,
  parameter int EventCount = 64,
  parameter int EventWidth = 16,
  parameter int ThWidth = 12,
  parameter bit Th = 1'b1,
  parameter bit Edge = 1'b1,
  parameter bit Th2 = 1'b1,
  parameter bit Chain = 1'b1,
  parameter bit Pmuv3p1 = 1'b1,
  parameter bit El2 = 1'b1,
  parameter bit El3 = 1'b1,
  parameter bit Sel2 = 1'b1,
  parameter bit Rme = 1'b1,
  parameter bit Sebep = 1'b1,
  parameter bit Sme = 1'b1,
  parameter bit Mt = 1'b1,
  parameter bit Tme = 1'b0,
  parameter bit Mtpmu = 1'b1,
  parameter bit Fgt = 1'b1,
  parameter bit Pmuv3p9 = 1'b1,
  parameter bit Vhe = 1'b1,
  parameter bit Layout2021 = 1'b0,
  parameter bit Access2021 = 1'b0,
  parameter int Threads = 4,
  parameter logic [19:0] Pmmir = 20'h0_0000
) (
  input  logic clk_i,
  input  logic rst_i,
  // DUT-52: there is no Processor cycle
  input  logic hold_i,

  input  logic [pmu_pkg::EventsWidth-1:0] event_i,
  input  logic [31:0] counting_allowed_i,

  // State of the PE and of its threads: which of it holds, and what it is
  input  logic driven_pe_i,
  input  logic driven_threads_i,
  input  logic [31:0] controls_i,
  input  logic [4:0] hpmn_i,
  input  logic [31:0] pmuacr_i,
  input  logic [pmu_pkg::ThreadsWidth-1:0] threads_i,

  // SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION, in this order from bit 0
  input  logic [4*8-1:0] sample_i,

  // KindNone in reset, and without a Processor cycle
  input  logic [7:0] access_kind_i,
  input  logic [15:0] access_address_i,
  input  logic [63:0] access_data_i,

  output logic [pmu_pkg::IncrementsWidth-1:0] increment_o,
  output logic [63:0] access_data_o,
  output logic [7:0] access_outcome_o
);

  // At least one lane, so that the vectors exist without counters
  localparam int Lanes = (Counters > 0) ? Counters : 1;

  ///////////////////
  // Register port //
  ///////////////////

  logic [4:0] index;
  logic pmcr_we, pmcntenset_we, pmcntenclr_we, pmovsset_we, pmovsclr_we, pmselr_we;
  logic pmccntr_we, pmccfiltr_we, pmevcntr_we, pmevcntr_re, pmevtyper_we;
  logic [1:0] half;
  logic [63:0] half_wdata;

  logic pmcr_e, pmcr_lp;
  logic [31:0] pmcnten;
  logic [31:0] pmovs;
  logic [4:0] pmselr;
  logic [63:0] pmccntr;
  logic [63:0] pmccfiltr;
  logic [63:0] pmevcntr_index;
  logic [63:0] pmevtyper_index;

  pmu_access #(
    .Counters  (Counters),
    .ThWidth   (ThWidth),
    .Th        (Th),
    .Edge      (Edge),
    .Th2       (Th2),
    .El2       (El2),
    .El3       (El3),
    .Vhe       (Vhe),
    .Fgt       (Fgt),
    .Pmuv3p9   (Pmuv3p9),
    .Access2021(Access2021),
    .Pmmir     (Pmmir)
  ) u_access (
    .kind_i         (access_kind_i),
    .address_i      (access_address_i),
    .wdata_i        (access_data_i),
    .driven_pe_i,
    .level_i        (threads_i[pmu_pkg::ThreadStateLsb +: 2]),
    .controls_i,
    .hpmn_i,
    .pmuacr_i,
    .data_o         (access_data_o),
    .outcome_o      (access_outcome_o),
    .index_o        (index),
    .pmcr_we_o      (pmcr_we),
    .pmcntenset_we_o(pmcntenset_we),
    .pmcntenclr_we_o(pmcntenclr_we),
    .pmovsset_we_o  (pmovsset_we),
    .pmovsclr_we_o  (pmovsclr_we),
    .pmselr_we_o    (pmselr_we),
    .pmccntr_we_o   (pmccntr_we),
    .pmccfiltr_we_o (pmccfiltr_we),
    .pmevcntr_we_o  (pmevcntr_we),
    .pmevcntr_re_o  (pmevcntr_re),
    .pmevtyper_we_o (pmevtyper_we),
    .half_o         (half),
    .half_wdata_o   (half_wdata),
    .pmcr_e_i       (pmcr_e),
    .pmcr_lp_i      (pmcr_lp),
    .pmcnten_i      (pmcnten),
    .pmovs_i        (pmovs),
    .pmselr_i       (pmselr),
    .pmccntr_i      (pmccntr),
    .pmccfiltr_i    (pmccfiltr),
    .pmevcntr_i     (pmevcntr_index),
    .pmevtyper_i    (pmevtyper_index)
  );

  ///////////////////////
  // Control registers //
  ///////////////////////

  logic [31:0] counting;
  logic [31:0] filtered;
  logic [31:0] overflow;
  logic clear_events, clear_cycles;

  pmu_control #(
    .Counters   (Counters),
    .CounterBits(CounterBits)
  ) u_control (
    .clk_i,
    .rst_i,
    .hold_i,
    .counting_allowed_i,
    .filtered_i     (filtered),
    .overflow_i     (overflow),
    .pmcr_we_i      (pmcr_we),
    .pmcntenset_we_i(pmcntenset_we),
    .pmcntenclr_we_i(pmcntenclr_we),
    .pmovsset_we_i  (pmovsset_we),
    .pmovsclr_we_i  (pmovsclr_we),
    .pmselr_we_i    (pmselr_we),
    .wdata_i        (access_data_i[31:0]),
    .pmcr_e_o       (pmcr_e),
    .pmcr_lp_o      (pmcr_lp),
    .pmcnten_o      (pmcnten),
    .pmovs_o        (pmovs),
    .pmselr_o       (pmselr),
    .counting_o     (counting),
    .clear_events_o (clear_events),
    .clear_cycles_o (clear_cycles)
  );

  ///////////////////
  // Cycle counter //
  ///////////////////

  logic cycle_increment;

  pmu_cycle_counter u_cycle_counter (
    .clk_i,
    .rst_i,
    .counting_i (counting[pmu_pkg::CycleCounter]),
    .clear_i    (clear_cycles),
    .we_i       (pmccntr_we),
    .wdata_i    (access_data_i),
    .pmccntr_o  (pmccntr),
    .increment_o(cycle_increment),
    .overflow_o (overflow[pmu_pkg::CycleCounter])
  );

  ////////////////////
  // Configurations //
  ////////////////////

  logic [Lanes*64-1:0] pmevtyper;
  logic [63:0] pmevtyper_next;

  pmu_evtyper #(
    .Counters  (Counters),
    .ThWidth   (ThWidth),
    .Th        (Th),
    .Edge      (Edge),
    .Th2       (Th2),
    .Pmuv3p1   (Pmuv3p1),
    .El2       (El2),
    .El3       (El3),
    .Sel2      (Sel2),
    .Rme       (Rme),
    .Sebep     (Sebep),
    .Sme       (Sme),
    .Mt        (Mt),
    .Tme       (Tme),
    .Layout2021(Layout2021)
  ) u_evtyper (
    .clk_i,
    .rst_i,
    .pmevtyper_we_i (pmevtyper_we),
    .index_i        (index),
    .pmccfiltr_we_i (pmccfiltr_we),
    .half_i         (half),
    .wdata_i        (half_wdata),
    .pmevtyper_o    (pmevtyper_index),
    .pmccfiltr_o    (pmccfiltr),
    .next_o         (pmevtyper_next),
    .pmevtyper_all_o(pmevtyper)
  );

  ///////////////
  // Filtering //
  ///////////////

  logic [31:0] mt;
  logic [pmu_pkg::MaxThreads*32-1:0] counted;

  pmu_filter #(
    .Threads(Threads),
    .El2    (El2),
    .El3    (El3),
    .Mtpmu  (Mtpmu)
  ) u_filter (
    .clk_i,
    .rst_i,
    .we_i       (pmevtyper_we || pmccfiltr_we),
    .index_i    (index),
    .wdata_i    (pmevtyper_next),
    .driven_pe_i,
    .driven_threads_i,
    .threads_i,
    .mtpme_el2_i(controls_i[pmu_pkg::ControlMtpmeEl2]),
    .mtpme_el3_i(controls_i[pmu_pkg::ControlMtpmeEl3]),
    .mt_o       (mt),
    .counted_o  (counted),
    .filtered_o (filtered)
  );

  ////////////
  // Events //
  ////////////

  // DUT-51: a counter has a value of one of the two, and the other is zero.
  logic [Lanes*EventWidth-1:0] event_value;
  logic [Lanes*EventWidth-1:0] retired_value;
  logic [31:0] occurs;

  pmu_thread_events #(
    .Counters  (Counters),
    .EventWidth(EventWidth)
  ) u_thread_events (
    .clk_i,
    .rst_i,
    .we_i           (pmevtyper_we),
    .index_i        (index),
    .evt_count_i    (pmevtyper_next[pmu_pkg::TypeEventWidth-1:0]),
    .driven_threads_i,
    .threads_i,
    .mt_i           (mt),
    .counted_i      (counted),
    .occurs_o       (occurs),
    .retired_value_o(retired_value)
  );

  pmu_event_mux #(
    .Counters  (Counters),
    .EventCount(EventCount),
    .EventWidth(EventWidth),
    .Chain     (Chain)
  ) u_event_mux (
    .clk_i,
    .rst_i,
    .we_i         (pmevtyper_we),
    .index_i      (index),
    .evt_count_i  (pmevtyper_next[pmu_pkg::TypeEventWidth-1:0]),
    .event_i,
    .driven_threads_i,
    .count_i      (threads_i[pmu_pkg::ThreadCountLsb +: pmu_pkg::LaneWidth]),
    .sample_i,
    .occurs_i     (occurs),
    .event_value_o(event_value)
  );

  ////////////////////
  // Event counters //
  ////////////////////

  // V is V_B
  logic [31:0] plain;

  pmu_count_mode u_count_mode (
    .clk_i,
    .rst_i,
    .we_i   (pmevtyper_we),
    .index_i(index),
    .tc_i   (pmevtyper_next[pmu_pkg::TypeTcLsb +: 3]),
    .te_i   (pmevtyper_next[pmu_pkg::TypeTe]),
    .tlc_i  (pmevtyper_next[pmu_pkg::TypeTlcLsb +: 2]),
    .th_i   (pmevtyper_next[pmu_pkg::TypeThLsb +: pmu_pkg::TypeThWidth]),
    .plain_o(plain)
  );

  // Writes that win over the increment (DUT-20, DUT-21): its overflow is lost, and no CHAIN driven.
  logic [31:0] written;

  assign written = clear_events ? '1 : (pmevcntr_we ? (32'd1 << index) : '0);

  // Carries of the sums out of bit 31 and bit 63
  logic [30:0] carry_31;
  logic [30:0] carry_63;

  // What odd counters take from their even neighbour: V[n-1] and its overflow out of bit 31. Lanes
  // of odd counters are zero, so that no vector depends on itself.
  logic [Lanes*EventWidth-1:0] link_v;
  logic [Lanes-1:0] link_chain;

  // One lane per counter, for waves (quantities: section 1.1 of the requirements)
  logic [Lanes*64-1:0] pmevcntr;
  logic [Lanes*EventWidth-1:0] v_b;
  logic [Lanes-1:0] c_t;
  logic [Lanes-1:0] c_p;
  logic [Lanes-1:0] c_e;
  logic [Lanes*EventWidth-1:0] v_t;
  logic [Lanes*EventWidth-1:0] v_e;
  logic [Lanes*EventWidth-1:0] v;

  for (genvar n = 0; n < Counters; n++) begin : gen_counter
    localparam bit Odd = n % 2 == 1;
    localparam int Even = n - n % 2;

    logic [63:0] typer;
    logic [EventWidth-1:0] value_n, value;
    logic [EventWidth-1:0] v_link;
    logic [EventWidth-1:0] v_n;
    logic carry_31_n;

    assign typer = pmevtyper[64*n +: 64];

    // TH-06, TH-10: odd counters take V[n-1] of the same cycle.
    assign v_link = Odd ? link_v[EventWidth*Even +: EventWidth] : '0;

    assign value_n = event_value[EventWidth*n +: EventWidth] |
                     retired_value[EventWidth*n +: EventWidth];

    // DUT-17
    if (Chain && Odd) begin : gen_chain
      assign value = (typer[pmu_pkg::TypeEventWidth-1:0] == pmu_pkg::EventChain) ?
          EventWidth'(link_chain[Even]) : value_n;
    end else begin : gen_no_chain
      assign value = value_n;
    end

    pmu_count_value #(
      .Odd       (Odd),
      .EventWidth(EventWidth),
      .ThWidth   (ThWidth),
      .Th        (Th),
      .Edge      (Edge),
      .Th2       (Th2)
    ) u_count_value (
      .clk_i,
      .rst_i,
      .hold_i,
      .counting_i   (counting[n]),
      .event_value_i(value),
      .v_link_i     (v_link),
      .tc_i         (typer[pmu_pkg::TypeTcLsb +: 3]),
      .te_i         (typer[pmu_pkg::TypeTe]),
      .tlc_i        (typer[pmu_pkg::TypeTlcLsb +: 2]),
      .th_i         (typer[pmu_pkg::TypeThLsb +: pmu_pkg::TypeThWidth]),
      .plain_i      (plain[n]),
      .v_b_o        (v_b[EventWidth*n +: EventWidth]),
      .c_t_o        (c_t[n]),
      .c_p_o        (c_p[n]),
      .c_e_o        (c_e[n]),
      .v_t_o        (v_t[EventWidth*n +: EventWidth]),
      .v_e_o        (v_e[EventWidth*n +: EventWidth]),
      .v_o          (v_n)
    );

    pmu_event_counter #(
      .CounterBits(CounterBits),
      .EventWidth (EventWidth)
    ) u_event_counter (
      .clk_i,
      .rst_i,
      .v_i       (v_n),
      .clear_i   (clear_events),
      .we_i      (pmevcntr_we && index == 5'(n)),
      .wdata_i   (access_data_i),
      .pmevcntr_o(pmevcntr[64*n +: 64]),
      .carry_31_o(carry_31_n),
      .carry_63_o(carry_63[n])
    );

    assign carry_31[n] = carry_31_n;

    assign v[EventWidth*n +: EventWidth] = v_n;

    assign link_v[EventWidth*n +: EventWidth] = Odd ? '0 : v_n;
    // DUT-17: an overflow of a 32-bit counter
    assign link_chain[n] = !Odd && carry_31_n && !pmcr_lp && !written[n];
  end

  // The counter that is read, of those up to n
  for (genvar n = 0; n < Lanes; n++) begin : gen_read
    logic [63:0] upto;

    if (n == 0) begin : gen_first
      assign upto = pmevcntr[63:0];
    end else begin : gen_next
      assign upto = (index == 5'(n)) ? pmevcntr[64*n +: 64] : gen_read[n-1].upto;
    end
  end

  // Lanes without a counter
  for (genvar n = Counters; n < 31; n++) begin : gen_no_counter
    assign carry_31[n] = 1'b0;
    assign carry_63[n] = 1'b0;
  end
  if (Counters == 0) begin : gen_no_counters
    assign link_v = '0;
    assign link_chain = '0;
    assign pmevcntr = '0;
    assign {v_b, c_t, c_p, c_e, v_t, v_e, v} = '0;
  end

  assign pmevcntr_index = pmevcntr_re ? gen_read[Lanes-1].upto : '0;

  // DUT-22
  assign overflow[30:0] = (pmcr_lp ? carry_63 : carry_31) & ~written[30:0];

  /////////////
  // Outputs //
  /////////////

  // DUT-15
  for (genvar n = 0; n < 31; n++) begin : gen_increment
    if (n < Counters) begin : gen_counter
      assign increment_o[pmu_pkg::LaneWidth*n +: pmu_pkg::LaneWidth] =
          pmu_pkg::LaneWidth'(v[EventWidth*n +: EventWidth]);
    end else begin : gen_none
      assign increment_o[pmu_pkg::LaneWidth*n +: pmu_pkg::LaneWidth] = '0;
    end
  end
  assign increment_o[pmu_pkg::LaneWidth*pmu_pkg::CycleCounter +: pmu_pkg::LaneWidth] =
      pmu_pkg::LaneWidth'(cycle_increment);

  // Read by waves alone, or not by every parameter set
  logic unused_waves;
  assign unused_waves = ^{pmevtyper, pmevcntr, event_value, retired_value, counting, link_v,
                          link_chain, written, plain, v_b, c_t, c_p, c_e, v_t, v_e, v};

endmodule
