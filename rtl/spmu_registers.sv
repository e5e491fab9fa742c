// SPDX-License-Identifier: MIT OR Apache-2.0
//
// System registers of the System PMUs. The counters of a System PMU do not count here: what counts
// them is outside of the PE.

module spmu_registers #(
  // System PMUs, 0 to 4: those with SYSPMUSEL 0 and up
  parameter int SystemPmus = 1,
  // One lane of 320 bits for each System PMU, see spmu_pkg
  parameter logic [4*320-1:0] Config = '0,
  parameter bit El2 = 1'b1,
  parameter bit El3 = 1'b1,
  parameter bit Fgt2 = 1'b1
) (
  input  logic clk_i,
  input  logic rst_i,

  // An AArch64 access in this cycle; both zero if there is none, or no Processor cycle
  input  logic read_i,
  input  logic write_i,
  input  logic [15:0] address_i,
  input  logic [63:0] wdata_i,

  // DUT-38: the access rules apply, with the state below
  input  logic driven_i,
  input  logic [1:0] level_i,
  input  logic [31:0] controls_i,
  input  logic [63:0] spmaccessr_el2_i,
  input  logic [63:0] spmaccessr_el3_i,

  // The encoding is of a System PMU's register; without it the other outputs mean nothing
  output logic hit_o,
  output logic [7:0] outcome_o,
  output logic [63:0] rdata_o,

  // SPMCFGR_EL1 of each System PMU, constant
  output logic [4*32-1:0] spmcfgr_all_o
);

endmodule
