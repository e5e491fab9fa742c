// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Access rules of the registers that identify a System PMU (SPMU-30, DUT-38).

module spmu_access #(
  parameter bit El2 = 1'b1,
  parameter bit El3 = 1'b1,
  parameter bit Fgt2 = 1'b1
) (
  input  logic driven_i,
  input  logic [1:0] level_i,
  input  logic [31:0] controls_i,
  input  logic [63:0] spmaccessr_el2_i,
  input  logic [63:0] spmaccessr_el3_i,

  // SPMSELR_EL0.SYSPMUSEL
  input  logic [5:0] syspmusel_i,
  // The register is SPMDEVAFF_EL1
  input  logic spmdevaff_i,

  // Outcome of a read
  output logic [7:0] outcome_o
);

  logic el2_enabled, sdd, enspm, enpm2;
  logic fgt, closed_el2, closed_el3;

  assign el2_enabled = El2 && controls_i[spmu_pkg::ControlEl2Enabled];
  assign sdd = controls_i[spmu_pkg::ControlHalted] && controls_i[spmu_pkg::ControlSdd];

  assign enspm = controls_i[spmu_pkg::ControlEnspm];
  assign enpm2 = controls_i[spmu_pkg::ControlEnpm2];

  // Row 3
  assign fgt = Fgt2 && ((El3 && !controls_i[spmu_pkg::ControlFgten2]) ||
                        !controls_i[spmdevaff_i ? spmu_pkg::ControlNspmdevaff
                                                : spmu_pkg::ControlNspmid]);

  // Rows 5 and 7; DUT-38: a reserved SYSPMUSEL has no field, and is taken as 11.
  assign closed_el2 = !syspmusel_i[5] && 2'(spmaccessr_el2_i >> {syspmusel_i[4:0], 1'b0}) == 2'b00;
  assign closed_el3 = !syspmusel_i[5] && 2'(spmaccessr_el3_i >> {syspmusel_i[4:0], 1'b0}) == 2'b00;

  // Rows 1 and 2 do not apply: EL3 has no trap priority (A-ETY-12).
  always_comb begin
    outcome_o = spmu_pkg::OutcomeOk;
    if (driven_i) begin
      if (level_i == 2'd0) begin
        outcome_o = spmu_pkg::OutcomeUndefined;
      end else if (level_i == 2'd1 && el2_enabled && (fgt || !enspm || closed_el2)) begin
        outcome_o = spmu_pkg::OutcomeTrapEl2;
      end else if (level_i != 2'd3 && El3 && (!enpm2 || closed_el3)) begin
        outcome_o = sdd ? spmu_pkg::OutcomeUndefined : spmu_pkg::OutcomeTrapEl3;
      end
    end
  end

  logic unused_controls;
  assign unused_controls = ^controls_i;

endmodule
