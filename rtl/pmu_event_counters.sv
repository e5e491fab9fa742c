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
  parameter logic [19:0] Pmmir = 20'h0_0000
) (
  input  logic clk_i,
  input  logic rst_i,

  input  logic [pmu_pkg::EventsWidth-1:0] event_i,
  input  logic [31:0] counting_allowed_i,
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
  logic pmccntr_we, pmccfiltr_we, pmevcntr_we, pmevtyper_we;

  logic pmcr_e, pmcr_lp;
  logic [31:0] pmcnten;
  logic [31:0] pmovs;
  logic [4:0] pmselr;
  logic [63:0] pmccntr;
  logic [63:0] pmccfiltr;
  logic [63:0] pmevcntr_index;
  logic [63:0] pmevtyper_index;

  pmu_access #(
    .Counters(Counters),
    .ThWidth (ThWidth),
    .Th      (Th),
    .Edge    (Edge),
    .Th2     (Th2),
    .Pmmir   (Pmmir)
  ) u_access (
    .rst_i,
    .kind_i         (access_kind_i),
    .address_i      (access_address_i),
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
    .pmevtyper_we_o (pmevtyper_we),
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
  logic [31:0] overflow;
  logic clear_events, clear_cycles;

  pmu_control #(
    .Counters   (Counters),
    .CounterBits(CounterBits)
  ) u_control (
    .clk_i,
    .rst_i,
    .counting_allowed_i,
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
  logic [Lanes*pmu_pkg::TypeEventWidth-1:0] evt_count;
  logic [Lanes*EventWidth-1:0] event_value;

  pmu_evtyper #(
    .Counters(Counters),
    .ThWidth (ThWidth),
    .Th      (Th),
    .Edge    (Edge),
    .Th2     (Th2),
    .Pmuv3p1 (Pmuv3p1),
    .El2     (El2),
    .El3     (El3),
    .Sel2    (Sel2),
    .Rme     (Rme),
    .Sebep   (Sebep),
    .Sme     (Sme),
    .Mt      (Mt),
    .Tme     (Tme)
  ) u_evtyper (
    .clk_i,
    .rst_i,
    .pmevtyper_we_i (pmevtyper_we),
    .index_i        (index),
    .pmccfiltr_we_i (pmccfiltr_we),
    .wdata_i        (access_data_i),
    .pmevtyper_o    (pmevtyper_index),
    .pmccfiltr_o    (pmccfiltr),
    .pmevtyper_all_o(pmevtyper)
  );

  pmu_event_mux #(
    .Counters  (Counters),
    .EventCount(EventCount),
    .EventWidth(EventWidth),
    .Chain     (Chain)
  ) u_event_mux (
    .event_i,
    .evt_count_i  (evt_count),
    .event_value_o(event_value)
  );

  ////////////////////
  // Event counters //
  ////////////////////

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

  // For reads
  logic [63:0] pmevcntr_lane[32];

  for (genvar n = 0; n < Counters; n++) begin : gen_counter
    localparam bit Odd = n % 2 == 1;
    localparam int Even = n - n % 2;

    logic [63:0] typer;
    logic [EventWidth-1:0] value;
    logic [EventWidth-1:0] v_link;
    logic [EventWidth-1:0] v_n;
    logic chain;

    assign typer = pmevtyper[64*n +: 64];
    assign evt_count[pmu_pkg::TypeEventWidth*n +: pmu_pkg::TypeEventWidth] =
        typer[pmu_pkg::TypeEventWidth-1:0];

    // TH-06, TH-10: odd counters take V[n-1] of the same cycle.
    assign v_link = Odd ? link_v[EventWidth*Even +: EventWidth] : '0;

    // DUT-17
    if (Chain && Odd) begin : gen_chain
      assign value = (typer[pmu_pkg::TypeEventWidth-1:0] == pmu_pkg::EventChain) ?
          EventWidth'(link_chain[Even]) : event_value[EventWidth*n +: EventWidth];
    end else begin : gen_no_chain
      assign value = event_value[EventWidth*n +: EventWidth];
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
      .counting_i   (counting[n]),
      .event_value_i(value),
      .v_link_i     (v_link),
      .tc_i         (typer[pmu_pkg::TypeTcLsb +: 3]),
      .te_i         (typer[pmu_pkg::TypeTe]),
      .tlc_i        (typer[pmu_pkg::TypeTlcLsb +: 2]),
      .th_i         (typer[pmu_pkg::TypeThLsb +: pmu_pkg::TypeThWidth]),
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
      .lp_i      (pmcr_lp),
      .clear_i   (clear_events),
      .we_i      (pmevcntr_we && index == 5'(n)),
      .wdata_i   (access_data_i),
      .pmevcntr_o(pmevcntr_lane[n]),
      .overflow_o(overflow[n]),
      .chain_o   (chain)
    );

    assign v[EventWidth*n +: EventWidth] = v_n;
    assign pmevcntr[64*n +: 64] = pmevcntr_lane[n];

    assign link_v[EventWidth*n +: EventWidth] = Odd ? '0 : v_n;
    assign link_chain[n] = !Odd && chain;
  end

  // Lanes without a counter
  for (genvar n = Counters; n < 32; n++) begin : gen_no_counter
    assign pmevcntr_lane[n] = '0;
    if (n < 31) begin : gen_overflow
      assign overflow[n] = 1'b0;
    end
  end
  if (Counters == 0) begin : gen_no_counters
    assign evt_count = '0;
    assign link_v = '0;
    assign link_chain = '0;
    assign pmevcntr = '0;
    assign {v_b, c_t, c_p, c_e, v_t, v_e, v} = '0;
  end

  assign pmevcntr_index = pmevcntr_lane[index];

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
  assign unused_waves = ^{pmevtyper, pmevcntr, event_value, counting, link_v, link_chain,
                          pmevcntr_we, clear_events, v_b, c_t, c_p, c_e, v_t, v_e, v};

endmodule
