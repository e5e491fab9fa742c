// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Third stage: the counters and their overflow flags, and the accesses to them. An access comes
// here together with the increments of its own cycle.

module pipe_count
  import pipe_pkg::*;
(
  input  logic                     clk,
  input  cycle_t                   cycle,
  input  value_t [NumCounters-1:0] values,
  output logic [63:0]              read_data
);

  logic [63:0] counters [NumCounters];
  logic [63:0] cycles;
  logic [31:0] flags;

  // DUT-13: before the increments of the cycle
  always_comb begin
    case (cycle.op)
      OpReadCounter: read_data = counters[cycle.index[2:0]];
      OpReadCycles:  read_data = cycles;
      OpReadFlags:   read_data = {32'd0, flags};
      OpNone:        read_data = cycle.data;
      default:       read_data = '0;
    endcase
  end

  localparam logic [31:0] MaskFlags = {1'b1, 31'((1 << NumCounters) - 1)};

  always_ff @(posedge clk) begin
    logic [31:0] next;
    next = flags;
    if (cycle.op == OpClearFlags) next &= ~cycle.data[31:0];
    if (cycle.op == OpSetFlags) next |= cycle.data[31:0] & MaskFlags;

    for (int n = 0; n < NumCounters; n++) begin
      logic [32:0] low;
      logic [32:0] high;
      low  = {1'b0, counters[n][31:0]} + 33'(values[n]);
      high = {1'b0, counters[n][63:32]} + 33'(low[32]);
      // DUT-20, DUT-21: the increment is lost.
      if (cycle.op == OpZero && cycle.data[1]) counters[n] <= '0;
      else if (cycle.op == OpWriteCounter && cycle.index == index_t'(n)) counters[n] <= cycle.data;
      else begin
        counters[n] <= {high[31:0], low[31:0]};
        // DUT-22, DUT-23
        if (cycle.lp ? high[32] : low[32]) next[n] = 1'b1;
      end
    end

    if (cycle.op == OpZero && cycle.data[2]) cycles <= '0;
    else if (cycle.op == OpWriteCycles) cycles <= cycle.data;
    else begin
      cycles <= cycles + 64'(cycle.cycle);
      if (cycle.cycle && &cycles) next[31] = 1'b1;
    end

    flags <= next;

    // DUT-10: when the cycle with the reset comes here
    if (cycle.reset) begin
      flags  <= '0;
      cycles <= '0;
      for (int n = 0; n < NumCounters; n++) counters[n] <= '0;
    end
  end

  logic unused;
  assign unused = ^{cycle.bubble, cycle.outcome};

endmodule
