// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Filtering: which threads each counter counts in this cycle (DUT-50). Bit n of every vector is
// event counter n, and bit 31 the cycle counter with PMCCFILTR_EL0.

module pmu_filter #(
  // Threads of the processor, 1 to 4
  parameter int Threads = 4,
  parameter bit El2 = 1'b1,
  parameter bit El3 = 1'b1,
  parameter bit Mtpmu = 1'b1
) (
  input  logic clk_i,
  input  logic rst_i,

  // Write of PMEVTYPER<index_i>_EL0, or with 31 of PMCCFILTR_EL0; bits that do not exist are zero
  input  logic we_i,
  input  logic [4:0] index_i,
  input  logic [63:0] wdata_i,

  // The states of the threads hold, and so do mtpme_*
  input  logic driven_pe_i,
  // The group is all threads, and not thread 0 alone
  input  logic driven_threads_i,
  input  logic [pmu_pkg::ThreadsWidth-1:0] threads_i,
  // MDCR_EL2.MTPME, MDCR_EL3.MTPME
  input  logic mtpme_el2_i,
  input  logic mtpme_el3_i,

  // Effective MT
  output logic [31:0] mt_o,
  // Lane t: the counter counts thread t, as a member of its group that is not filtered
  output logic [pmu_pkg::MaxThreads*32-1:0] counted_o,
  output logic [31:0] filtered_o
);

  // {Security state, Exception level}, and the values of Streaming mode
  localparam int States = 16;
  localparam int Modes = 2;

  //////////////////////////////////////////
  // One counter in one state: the tables //
  //////////////////////////////////////////

  // ETY-20, inverted. Fields that do not exist are zero, which is all that their features change.
  function automatic logic counts_in_state(input logic [3:0] state, input logic [63:0] typer);
    case (state)
      {pmu_pkg::StateNonSecure, 2'd0}:
        counts_in_state = typer[pmu_pkg::TypeU] == typer[pmu_pkg::TypeNsu];
      {pmu_pkg::StateSecure, 2'd0}:
        counts_in_state = !typer[pmu_pkg::TypeU];
      {pmu_pkg::StateRealm, 2'd0}:
        counts_in_state = typer[pmu_pkg::TypeU] == typer[pmu_pkg::TypeRlu];
      {pmu_pkg::StateNonSecure, 2'd1}:
        counts_in_state = typer[pmu_pkg::TypeP] == typer[pmu_pkg::TypeNsk];
      {pmu_pkg::StateSecure, 2'd1}:
        counts_in_state = !typer[pmu_pkg::TypeP];
      {pmu_pkg::StateRealm, 2'd1}:
        counts_in_state = typer[pmu_pkg::TypeP] == typer[pmu_pkg::TypeRlk];
      {pmu_pkg::StateNonSecure, 2'd2}:
        counts_in_state = typer[pmu_pkg::TypeNsh];
      {pmu_pkg::StateSecure, 2'd2}:
        counts_in_state = typer[pmu_pkg::TypeNsh] != typer[pmu_pkg::TypeSh];
      {pmu_pkg::StateRealm, 2'd2}:
        counts_in_state = typer[pmu_pkg::TypeNsh] != typer[pmu_pkg::TypeRlh];
      default:
        counts_in_state = typer[pmu_pkg::TypeM] == typer[pmu_pkg::TypeP];
    endcase
  endfunction

  // ETY-22, inverted: VS 01 filters Streaming mode, 10 the other, and 11 none (A-ETY-7).
  function automatic logic counts_in_mode(input logic streaming, input logic [1:0] vs);
    counts_in_mode = vs != (streaming ? 2'b01 : 2'b10);
  endfunction

  /////////////////////////////////////////////////////////////
  // The fields, as what they do: one vector for every state //
  /////////////////////////////////////////////////////////////

  // Decoded when the register is written, so that one look-up a thread serves every counter
  logic [31:0] in_state_q[States];
  logic [31:0] in_mode_q[Modes];
  logic [31:0] mt_q;
  logic [31:0] lane;
  logic [1:0] vs;

  assign lane = 32'd1 << index_i;
  assign vs = wdata_i[pmu_pkg::TypeVsLsb +: 2];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11: every register is zero
      for (int s = 0; s < States; s++) in_state_q[s] <= {32{counts_in_state(4'(s), 64'b0)}};
      for (int s = 0; s < Modes; s++) in_mode_q[s] <= {32{counts_in_mode(1'(s), 2'b00)}};
      mt_q <= '0;
    end else if (we_i) begin
      for (int s = 0; s < States; s++) begin
        in_state_q[s] <= (in_state_q[s] & ~lane) |
                         ({32{counts_in_state(4'(s), wdata_i)}} & lane);
      end
      for (int s = 0; s < Modes; s++) begin
        in_mode_q[s] <= (in_mode_q[s] & ~lane) | ({32{counts_in_mode(1'(s), vs)}} & lane);
      end
      mt_q <= (mt_q & ~lane) | ({32{wdata_i[pmu_pkg::TypeMt]}} & lane);
    end
  end

  //////////////////
  // Effective MT //
  //////////////////

  logic mt_enabled;

  // ETY-21, with the controls only where they hold (DUT-50)
  assign mt_enabled = !driven_pe_i || !Mtpmu || (El3 ? mtpme_el3_i : (!El2 || mtpme_el2_i));
  assign mt_o = mt_enabled ? mt_q : '0;

  ///////////////////////////////////////////
  // Threads that are counted, per counter //
  ///////////////////////////////////////////

  for (genvar t = 0; t < pmu_pkg::MaxThreads; t++) begin : gen_thread
    if (t < Threads) begin : gen_exists
      logic [4:0] state;
      logic [31:0] not_filtered;

      assign state = threads_i[pmu_pkg::ThreadWidth*t + pmu_pkg::ThreadStateLsb +: 5];
      assign not_filtered =
          driven_pe_i ? (in_state_q[state[3:0]] & in_mode_q[state[pmu_pkg::StateStreaming]]) : '1;

      // With MT == 0 a counter is of thread 0 alone (CYC-15), with MT == 1 of the group (A-CYC-8).
      if (t == 0) begin : gen_own
        assign counted_o[32*t +: 32] = not_filtered;
      end else begin : gen_other
        assign counted_o[32*t +: 32] = driven_threads_i ? (not_filtered & mt_o) : '0;
      end
    end else begin : gen_none
      assign counted_o[32*t +: 32] = '0;
    end
  end

  assign filtered_o = ~(counted_o[31:0] | counted_o[63:32] | counted_o[95:64] | counted_o[127:96]);

  logic unused_bits;
  assign unused_bits = ^{threads_i, wdata_i, driven_threads_i, mtpme_el2_i, mtpme_el3_i};

endmodule
