// SPDX-License-Identifier: MIT OR Apache-2.0
//
// System registers of the System PMUs: SPMSELR_EL0, decode, and outcome. The counters of a System
// PMU do not count: what they would count is not in the contract.

module spmu_registers #(
  // System PMUs, 0 to 4: those with SYSPMUSEL 0 and up
  parameter int SystemPmus = 1,
  // One lane of 320 bits for each System PMU, see spmu_pkg
  parameter logic [4*320-1:0] Config = {4{(320'd8 << 128) | (320'd1 << 120) | 320'd1}},
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

  logic [5:0] syspmusel_q;
  logic [1:0] bank_q;

  ////////////
  // Decode //
  ////////////

  logic [2:0] op2;
  logic is_identification, is_spmselr, is_set, is_counter;
  logic clear;
  logic [1:0] set_column, column;

  assign op2 = address_i[2:0];

  // DUT-30: two values of op2 are of no register.
  assign is_identification = address_i[15:3] == spmu_pkg::BaseIdentification &&
                             op2 != 3'd2 && op2 != 3'd3;
  assign is_counter = address_i[15:6] == spmu_pkg::BaseCounter;
  assign is_spmselr = address_i == spmu_pkg::AddrSpmselr;

  always_comb begin
    is_set = 1'b1;
    clear = 1'b0;
    set_column = spmu_pkg::Spmcnten;
    case (address_i)
      spmu_pkg::AddrSpmcntenset: set_column = spmu_pkg::Spmcnten;
      spmu_pkg::AddrSpmcntenclr: begin
        set_column = spmu_pkg::Spmcnten;
        clear = 1'b1;
      end
      spmu_pkg::AddrSpmovsset:   set_column = spmu_pkg::Spmovs;
      spmu_pkg::AddrSpmovsclr: begin
        set_column = spmu_pkg::Spmovs;
        clear = 1'b1;
      end
      spmu_pkg::AddrSpmintenset: set_column = spmu_pkg::Spminten;
      spmu_pkg::AddrSpmintenclr: begin
        set_column = spmu_pkg::Spminten;
        clear = 1'b1;
      end
      default:                   is_set = 1'b0;
    endcase
  end

  assign column = is_counter ? address_i[5:4] : set_column;

  // DUT-30: without a System PMU there is none of these registers.
  assign hit_o = SystemPmus != 0 && (is_identification || is_counter || is_spmselr || is_set);

  /////////////
  // Outcome //
  /////////////

  logic [7:0] identification_outcome;
  logic accessed, permitted, write;

  spmu_access #(
    .El2 (El2),
    .El3 (El3),
    .Fgt2(Fgt2)
  ) u_access (
    .driven_i,
    .level_i,
    .controls_i,
    .spmaccessr_el2_i,
    .spmaccessr_el3_i,
    .syspmusel_i (syspmusel_q),
    .spmdevaff_i (op2 == spmu_pkg::Op2Spmdevaff),
    .outcome_o   (identification_outcome)
  );

  assign accessed = hit_o && !rst_i && (read_i || write_i);

  // SPMU-06: a write of an identification register
  assign outcome_o = !accessed ? spmu_pkg::OutcomeNone :
                     (!is_identification ? spmu_pkg::OutcomeOk :
                      (write_i ? spmu_pkg::OutcomeUndefined : identification_outcome));

  // DUT-32
  assign permitted = outcome_o == spmu_pkg::OutcomeOk;
  assign write = permitted && write_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      syspmusel_q <= '0;  // DUT-11
      bank_q <= '0;
    end else if (write && is_spmselr) begin
      syspmusel_q <= wdata_i[9:4];
      bank_q <= wdata_i[1:0];
    end
  end

  /////////////////
  // System PMUs //
  /////////////////

  logic [63:0] spmselr;
  logic [4*64-1:0] rdata;

  for (genvar s = 0; s < 4; s++) begin : gen_system_pmu
    if (s < SystemPmus) begin : gen_present
      logic selected;

      // DUT-33. SPMU-18: a SYSPMUSEL of no System PMU selects nothing, which is RAZ/WI.
      assign selected = permitted && syspmusel_q == 6'(s);

      spmu_system_pmu #(
        .Lane(Config[spmu_pkg::LaneWidth*s +: spmu_pkg::LaneWidth])
      ) u_system_pmu (
        .clk_i,
        .rst_i,
        .identification_i(selected && is_identification),
        .set_i           (selected && is_set),
        .counter_i       (selected && is_counter),
        .write_i,
        .wdata_i,
        .op2_i           (op2),
        .column_i        (column),
        .clear_i         (clear),
        .index_i         ({bank_q, address_i[3:0]}),
        .rdata_o         (rdata[64*s +: 64]),
        .spmcfgr_o       (spmcfgr_all_o[32*s +: 32])
      );
    end else begin : gen_absent
      assign rdata[64*s +: 64] = '0;
      assign spmcfgr_all_o[32*s +: 32] = '0;
    end
  end

  if (SystemPmus == 0) begin : gen_unused
    logic unused_bits;
    assign unused_bits = ^{wdata_i, clear, column};
  end

  assign spmselr = (permitted && is_spmselr && !write_i) ? {54'b0, syspmusel_q, 2'b0, bank_q} : '0;

  // DUT-13; at most one of them is not zero.
  assign rdata_o = spmselr | rdata[0 +: 64] | rdata[64 +: 64] | rdata[128 +: 64] | rdata[192 +: 64];

endmodule
