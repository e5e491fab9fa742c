// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Access rules of PMEVTYPER<n>_EL0: the outcome of an MRS, MSR, MRC or MCR, by rows (a) to (j) of
// ETY-40. Row (b) is not of this design (A-ETY-12), and neither is another choice of ETY-42 than
// UNDEFINED for (a) and a trap to EL2 for (f) (A-ETY-5).

module pmu_access_rules #(
  parameter bit El2 = 1'b1,
  parameter bit El3 = 1'b1,
  parameter bit Vhe = 1'b1,
  parameter bit Fgt = 1'b1,
  parameter bit Pmuv3p9 = 1'b1,
  // A-ETY-4: the order and the rows of 2021
  parameter bit Access2021 = 1'b0
) (
  // n, whether there is a counter n, and the direction
  input  logic [4:0] index_i,
  input  logic exists_i,
  input  logic write_i,

  // The state below holds; without it row (a) alone applies (DUT-35)
  input  logic driven_pe_i,
  input  logic [1:0] level_i,
  input  logic [31:0] controls_i,
  // MDCR_EL2.HPMN
  input  logic [4:0] hpmn_i,
  input  logic [31:0] pmuacr_i,

  output logic [7:0] outcome_o,
  // RAZ/WI, if the outcome is OK
  output logic ignored_o
);

  //////////////
  // Notation //
  //////////////

  logic el0, below_el2, below_el3;
  logic e2, tge, sdd, uen, hdfg, fgt, tpm_el2, tpm_el3;

  assign el0 = level_i == 2'd0;
  assign below_el2 = level_i < 2'd2;
  assign below_el3 = level_i != 2'd3;

  assign e2 = El2 && controls_i[pmu_pkg::ControlEl2Enabled];
  assign tge = controls_i[pmu_pkg::ControlTge];
  assign sdd = controls_i[pmu_pkg::ControlHalted] && controls_i[pmu_pkg::ControlSdd];
  assign uen = Pmuv3p9 && !Access2021 && controls_i[pmu_pkg::ControlUserUen];
  assign hdfg = write_i ? controls_i[pmu_pkg::ControlHdfgwtrEvtyper] :
                          controls_i[pmu_pkg::ControlHdfgrtrEvtyper];
  assign fgt = e2 && Fgt && (!El3 || controls_i[pmu_pkg::ControlFgten]) && hdfg;
  assign tpm_el2 = e2 && controls_i[pmu_pkg::ControlTpmEl2];
  assign tpm_el3 = El3 && controls_i[pmu_pkg::ControlTpmEl3];

  //////////
  // Rows //
  //////////

  logic row_a, row_c, row_d, row_e, row_f, row_g, row_i;
  logic host;
  logic [7:0] outcome_c, outcome_g;

  assign row_a = !exists_i;

  assign row_c = el0 && !controls_i[pmu_pkg::ControlUserEn] && !uen;
  assign outcome_c = (e2 && tge) ? pmu_pkg::OutcomeTrapEl2 : pmu_pkg::OutcomeTrapEl1;

  // ETY-41: only this row is masked in EL0 of a host.
  assign host = Vhe && controls_i[pmu_pkg::ControlE2h] && tge;
  assign row_d = below_el2 && fgt && !(el0 && host);

  assign row_e = below_el2 && tpm_el2;

  // ETY-43, A-ETY-6: row (a) goes before, and n < N is above min(HPMN, N) iff it is above HPMN.
  assign row_f = below_el2 && e2 && index_i >= hpmn_i;

  assign row_g = below_el3 && tpm_el3;
  assign outcome_g = sdd ? pmu_pkg::OutcomeUndefined : pmu_pkg::OutcomeTrapEl3;

  assign row_i = el0 && uen &&
                 (!pmuacr_i[index_i] || (write_i && controls_i[pmu_pkg::ControlUserEr]));

  ///////////
  // Order //
  ///////////

  if (Access2021) begin : gen_2021
    always_comb begin
      if (driven_pe_i && row_c) outcome_o = outcome_c;
      else if (driven_pe_i && (row_d || row_e)) outcome_o = pmu_pkg::OutcomeTrapEl2;
      else if (driven_pe_i && row_g) outcome_o = outcome_g;
      else if (row_a) outcome_o = pmu_pkg::OutcomeUndefined;  // row (h): (a), then (f)
      else if (driven_pe_i && row_f) outcome_o = pmu_pkg::OutcomeTrapEl2;
      else outcome_o = pmu_pkg::OutcomeOk;  // row (j)
    end

    assign ignored_o = 1'b0;

    logic unused_row;
    assign unused_row = row_i;
  end else begin : gen_current
    always_comb begin
      if (row_a) outcome_o = pmu_pkg::OutcomeUndefined;
      else if (!driven_pe_i) outcome_o = pmu_pkg::OutcomeOk;
      else if (row_c) outcome_o = outcome_c;
      else if (row_d || row_e || row_f) outcome_o = pmu_pkg::OutcomeTrapEl2;
      else if (row_g) outcome_o = outcome_g;
      else outcome_o = pmu_pkg::OutcomeOk;  // rows (i) and (j)
    end

    assign ignored_o = driven_pe_i && row_i;
  end

  logic unused_bits;
  assign unused_bits = ^{controls_i, pmuacr_i};

endmodule
