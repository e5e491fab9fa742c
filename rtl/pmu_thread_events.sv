// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Events of threads (DUT-51): those that count cycles, and INST_RETIRED. Their value depends on the
// threads that a counter counts, and so is another one for every counter. Bit n of a vector is
// event counter n.

module pmu_thread_events #(
  parameter int Counters = 31,
  parameter int EventWidth = 16,

  // At least one lane, so that the ports exist without counters
  localparam int Lanes = (Counters > 0) ? Counters : 1
) (
  input  logic clk_i,
  input  logic rst_i,

  // Write of PMEVTYPER<index_i>_EL0.evtCount
  input  logic we_i,
  input  logic [4:0] index_i,
  input  logic [pmu_pkg::TypeEventWidth-1:0] evt_count_i,

  // The conditions and counts of the threads hold; without it there are no such events
  input  logic driven_threads_i,
  input  logic [pmu_pkg::ThreadsWidth-1:0] threads_i,
  // Effective MT, and the threads that each counter counts: with MT == 0 thread 0 or none
  input  logic [31:0] mt_i,
  input  logic [pmu_pkg::MaxThreads*32-1:0] counted_i,

  // The event of the counter is one of thread 0, which it counts, or one of cycles, and counts this
  // one: it has the value of the multiplexer, which is 1 for an event of cycles
  output logic [31:0] occurs_o,
  // INST_RETIRED of several threads, and zero for every other event
  output logic [Lanes*EventWidth-1:0] retired_value_o
);

  ///////////////////////////////////////
  // What the event of a counter is of //
  ///////////////////////////////////////

  // An event that counts cycles is CPU_CYCLES under conditions (CYC-03): of a stall, a second one
  // (CYC-11, CYC-12), another one (CYC-13).
  logic is_retired, is_cycles;
  logic needs_stall, needs_frontend, needs_backend, needs_second, needs_other;

  always_comb begin
    {is_retired, is_cycles} = '0;
    {needs_stall, needs_frontend, needs_backend, needs_second, needs_other} = '0;
    case (evt_count_i)
      pmu_pkg::EventInstRetired:      is_retired = 1'b1;
      pmu_pkg::EventCpuCycles:        is_cycles = 1'b1;
      pmu_pkg::EventStall:            {is_cycles, needs_stall} = 2'b11;
      pmu_pkg::EventStallFrontend:    {is_cycles, needs_frontend} = 2'b11;
      pmu_pkg::EventStallBackend:     {is_cycles, needs_backend} = 2'b11;
      pmu_pkg::EventStallSecond:      {is_cycles, needs_stall, needs_second} = 3'b111;
      pmu_pkg::EventStallFrontendL1i: {is_cycles, needs_frontend, needs_second} = 3'b111;
      pmu_pkg::EventStallBackendL1d:  {is_cycles, needs_backend, needs_second} = 3'b111;
      pmu_pkg::EventOtherCycles:      {is_cycles, needs_other} = 2'b11;
      default:                        is_cycles = 1'b0;
    endcase
  end

  // Decoded when the register is written
  logic [31:0] retired_q, cycles_q, stall_q, frontend_q, backend_q, second_q, other_q;
  logic [31:0] lane;

  assign lane = 32'd1 << index_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11: evtCount is zero
      retired_q <= '0;
      cycles_q <= '0;
      stall_q <= '0;
      frontend_q <= '0;
      backend_q <= '0;
      second_q <= '0;
      other_q <= '0;
    end else if (we_i) begin
      retired_q <= (retired_q & ~lane) | ({32{is_retired}} & lane);
      cycles_q <= (cycles_q & ~lane) | ({32{is_cycles}} & lane);
      stall_q <= (stall_q & ~lane) | ({32{needs_stall}} & lane);
      frontend_q <= (frontend_q & ~lane) | ({32{needs_frontend}} & lane);
      backend_q <= (backend_q & ~lane) | ({32{needs_backend}} & lane);
      second_q <= (second_q & ~lane) | ({32{needs_second}} & lane);
      other_q <= (other_q & ~lane) | ({32{needs_other}} & lane);
    end
  end

  //////////////////////////
  // Conditions of cycles //
  //////////////////////////

  // Lane t: a thread that the counter counts, and that ...
  logic [pmu_pkg::MaxThreads*32-1:0] running;     // is not in WFI or WFE state
  logic [pmu_pkg::MaxThreads*32-1:0] not_stalled; // lacks the condition of the stall event
  logic [pmu_pkg::MaxThreads*32-1:0] has_second;
  logic [pmu_pkg::MaxThreads*32-1:0] has_other;

  for (genvar t = 0; t < pmu_pkg::MaxThreads; t++) begin : gen_thread
    localparam int ConditionsLsb = pmu_pkg::ThreadWidth*t + pmu_pkg::ThreadConditionsLsb;

    logic [31:0] counted;
    logic [6:0] conditions;
    logic [31:0] missing;

    assign counted = counted_i[32*t +: 32];
    assign conditions = threads_i[ConditionsLsb +: 7];
    assign missing = (conditions[pmu_pkg::ConditionStall] ? '0 : stall_q) |
                     (conditions[pmu_pkg::ConditionStallFrontend] ? '0 : frontend_q) |
                     (conditions[pmu_pkg::ConditionStallBackend] ? '0 : backend_q);

    // A-CYC-5, A-CYC-6: idle threads have their raw conditions.
    assign running[32*t +: 32] = conditions[pmu_pkg::ConditionWfx] ? '0 : counted;
    assign not_stalled[32*t +: 32] = counted & missing;
    assign has_second[32*t +: 32] = conditions[pmu_pkg::ConditionSecond] ? counted : '0;
    assign has_other[32*t +: 32] = conditions[pmu_pkg::ConditionOther] ? counted : '0;
  end

  logic [31:0] any_running, any_not_stalled, any_second, any_other;

  assign any_running = running[31:0] | running[63:32] | running[95:64] | running[127:96];
  assign any_not_stalled = not_stalled[31:0] | not_stalled[63:32] | not_stalled[95:64] |
                           not_stalled[127:96];
  assign any_second = has_second[31:0] | has_second[63:32] | has_second[95:64] |
                      has_second[127:96];
  assign any_other = has_other[31:0] | has_other[63:32] | has_other[95:64] | has_other[127:96];

  //////////////////////////////
  // Events that count cycles //
  //////////////////////////////

  logic active;
  logic [31:0] cpu_cycles;
  logic [31:0] cycle_event;

  assign active = threads_i[pmu_pkg::ThreadConditionsLsb + pmu_pkg::ConditionActive];

  // CYC-07, CYC-08 with A-CYC-2, for MT == 0; CYC-09, CYC-10 with A-CYC-4, for MT == 1
  assign cpu_cycles = any_running & (mt_i | {32{active}});

  // CYC-03, CYC-11, CYC-13, A-CYC-7; CYC-21: 0 or 1
  assign cycle_event = cycles_q & cpu_cycles & ~any_not_stalled & (any_second | ~second_q) &
                       (any_other | ~other_q);

  logic [31:0] own;
  logic [31:0] retired;

  assign own = counted_i[31:0];
  assign retired = driven_threads_i ? (retired_q & mt_i) : '0;
  assign occurs_o =
      driven_threads_i ? (cycle_event | (own & ~cycles_q & ~retired)) : own;

  //////////////////
  // INST_RETIRED //
  //////////////////

  // For the counters with MT == 1 alone: with MT == 0 it is an event of thread 0 (CYC-15).
  logic [EventWidth-1:0] count[pmu_pkg::MaxThreads];
  logic [EventWidth-1:0] sum[Lanes];

  // The sum is modulo 2^16, of which the low EventWidth bits are used.
  for (genvar t = 0; t < pmu_pkg::MaxThreads; t++) begin : gen_count
    assign count[t] = threads_i[pmu_pkg::ThreadWidth*t + pmu_pkg::ThreadCountLsb +: EventWidth];
  end

  // CYC-14
  always_comb begin
    for (int n = 0; n < Lanes; n++) sum[n] = '0;
    if (retired != '0) begin
      for (int n = 0; n < Lanes; n++) begin
        if (retired[n]) begin
          sum[n] = (counted_i[n] ? count[0] : '0) + (counted_i[32 + n] ? count[1] : '0) +
                   (counted_i[64 + n] ? count[2] : '0) + (counted_i[96 + n] ? count[3] : '0);
        end
      end
    end
  end

  for (genvar n = 0; n < Lanes; n++) begin : gen_counter
    assign retired_value_o[EventWidth*n +: EventWidth] = sum[n];
  end

  // Bits of vectors above the last counter, states of the threads, bits of counts
  logic unused_bits;
  assign unused_bits = ^{threads_i, counted_i};

endmodule
