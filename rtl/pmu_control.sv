// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Control registers: PMCR_EL0, counter enables, overflow flags, PMSELR_EL0, and which counter
// counts in this cycle. Bit 31 of every vector is the cycle counter.

module pmu_control #(
  parameter int Counters = 31,
  parameter int CounterBits = 64
) (
  input  logic clk_i,
  input  logic rst_i,

  // DUT-52: there is no Processor cycle
  input  logic hold_i,

  input  logic [31:0] counting_allowed_i,
  input  logic [31:0] filtered_i,
  input  logic [31:0] overflow_i,

  input  logic pmcr_we_i,
  input  logic pmcntenset_we_i,
  input  logic pmcntenclr_we_i,
  input  logic pmovsset_we_i,
  input  logic pmovsclr_we_i,
  input  logic pmselr_we_i,
  input  logic [31:0] wdata_i,

  output logic pmcr_e_o,
  output logic pmcr_lp_o,
  output logic [31:0] pmcnten_o,
  output logic [31:0] pmovs_o,
  output logic [4:0] pmselr_o,

  output logic [31:0] counting_o,
  // PMCR_EL0.P, PMCR_EL0.C written as one
  output logic clear_events_o,
  output logic clear_cycles_o
);

  // Bits of the implemented counters; the others are RES0.
  localparam logic [31:0] Implemented = 32'h8000_0000 | 32'((64'd1 << Counters) - 64'd1);

  logic pmcr_e_q, pmcr_lp_q;
  logic [31:0] pmcnten_q;
  logic [31:0] pmovs_q;
  logic [4:0] pmselr_q;
  logic [31:0] wmask;

  assign wmask = wdata_i & Implemented;

  ///////////
  // State //
  ///////////

  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11
      pmcr_e_q <= 1'b0;
      pmcr_lp_q <= 1'b0;
      pmcnten_q <= '0;
      pmovs_q <= '0;
      pmselr_q <= '0;
    end else begin
      if (pmcr_we_i) begin
        pmcr_e_q <= wdata_i[pmu_pkg::PmcrE];
        pmcr_lp_q <= (CounterBits == 64) && wdata_i[pmu_pkg::PmcrLp];
      end
      if (pmcntenset_we_i) pmcnten_q <= pmcnten_q | wmask;
      if (pmcntenclr_we_i) pmcnten_q <= pmcnten_q & ~wmask;
      if (pmselr_we_i) pmselr_q <= wdata_i[4:0];

      // DUT-23
      pmovs_q <= (pmovs_q & ~(pmovsclr_we_i ? wmask : '0)) |
                 (pmovsset_we_i ? wmask : '0) |
                 overflow_i;
    end
  end

  assign pmcr_e_o = pmcr_e_q;
  assign pmcr_lp_o = pmcr_lp_q;
  assign pmcnten_o = pmcnten_q;
  assign pmovs_o = pmovs_q;
  assign pmselr_o = pmselr_q;

  ///////////////////
  // In this cycle //
  ///////////////////

  logic counts;

  // DUT-14, with the state at the start of the cycle (DUT-12). No output during reset (DUT-10).
  assign counts = pmcr_e_q && !rst_i && !hold_i;
  assign counting_o = counts ? (pmcnten_q & counting_allowed_i & ~filtered_i) : '0;

  // DUT-21
  assign clear_events_o = pmcr_we_i && wdata_i[pmu_pkg::PmcrP];
  assign clear_cycles_o = pmcr_we_i && wdata_i[pmu_pkg::PmcrC];

endmodule
