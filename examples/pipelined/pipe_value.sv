// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second stage: edges, and the link of an odd counter to the one below it.

module pipe_value
  import pipe_pkg::*;
(
  input  logic                        clk,
  input  logic                        bubble,
  input  compared_t [NumCounters-1:0] lanes,
  input  mode_t [NumCounters-1:0]     modes,
  output value_t [NumCounters-1:0]    values  // V
);

  // C_P. A cycle of reset has no counter counting, and so clears it (TH-28).
  logic [NumCounters-1:0] previous;

  always_ff @(posedge clk) begin
    if (!bubble) begin
      for (int n = 0; n < NumCounters; n++) previous[n] <= lanes[n].met;
    end
  end

  function automatic value_t value(compared_t c, mode_t mode, logic was_met,
                                  value_t below);
    logic   edge_met;
    value_t own, linked;
    // TH-22
    edge_met = mode.by_one ? c.met && !was_met : c.met != was_met;
    // TH-23, TH-24: rows (A) to (E)
    own    = mode.by_one ? value_t'(1) : c.base;
    linked = mode.link == 2'b00 ? '0 : below;
    if (!c.counting) return '0;      // TH-09
    if (mode.plain)  return c.base;  // TH-27
    if (mode.on_edge) begin
      if (!edge_met) return '0;
      return mode.link[1] ? below : value_t'(1);  // TH-25, TH-26: rows (F) and (G)
    end
    if (mode.link[1]) return c.met ? below : '0;
    return c.met ? own : linked;
  endfunction

  // TH-10, TH-11: the odd counter takes V of the even one in the same stage.
  always_comb begin
    for (int n = 0; n < NumCounters; n += 2) begin
      values[n]   = value(lanes[n], modes[n], previous[n], '0);
      values[n+1] = value(lanes[n+1], modes[n+1], previous[n+1], values[n]);
    end
  end

endmodule
