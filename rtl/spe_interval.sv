// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The sample interval counters: PMSICR_EL1, PMSIRR_EL1, and which operations of the cycle they
// select for sampling.
//
// SPE-28 is a rule for one operation, applied to up to 15 operations a cycle. Between two
// operations that find COUNT == 0 ("expiries") it is a subtraction, so what is left to do in steps
// is the expiries. A cycle has at most one of them unless INTERVAL is 0, and most cycles have none.

module spe_interval #(
  parameter bit Ernd = 1'b1
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic hold_i,

  input  logic [3:0] operations_i,
  input  logic enabled_i,

  // The next byte of the random number generator. With INTERVAL of at least 1 it is drawn once in a
  // cycle; otherwise the interval is UNKNOWN (SPE-29), and one byte serves every load of the cycle.
  input  logic [7:0] random_byte_i,
  output logic random_drawn_o,

  input  logic pmsicr_we_i,
  input  logic pmsirr_we_i,
  input  logic [63:0] wdata_i,

  output logic [63:0] pmsicr_o,
  output logic [63:0] pmsirr_o,
  output logic [63:0] pmsicr_after_o,

  // Operations selected in this cycle, and the place of the first of them
  output logic [3:0] selected_o,
  output logic [3:0] first_selected_o
);

  // An expiry takes an operation.
  localparam int MaxExpiries = 15;

  // ECOUNT stays zero without FEAT_SPE_ERnd (SPE-01).
  logic [31:0] count_q, count, count_d;
  logic [7:0] ecount_q, ecount, ecount_d;
  logic [23:0] interval_q;
  logic rnd_q;
  logic enabled_q;

  // Where the random byte goes (SPE-31): into COUNT[7:0] at every load, or into ECOUNT at expiry
  logic random_in_count, random_in_ecount;
  logic [31:0] reload;
  logic run;
  logic start;

  assign random_in_count = rnd_q && !Ernd;
  assign random_in_ecount = rnd_q && Ernd;
  assign reload = {interval_q, 8'h00};

  // SPE-11, DUT-52
  assign run = enabled_i && !hold_i && !rst_i;
  // SPE-10
  assign start = !enabled_q && count_q == '0 && ecount_q == '0;

  // Operations not yet counted, place of the first of them, selections
  logic [3:0] rest, place;
  logic [3:0] selected, first;
  logic drawn;

  always_comb begin
    count = count_q;
    ecount = ecount_q;
    rest = operations_i;
    place = '0;
    selected = '0;
    first = '0;
    drawn = 1'b0;

    if (run) begin
      // SPE-12; ECOUNT is zero here, and stays.
      if (start) begin
        count = reload;
        if (random_in_count) begin
          count[7:0] = random_byte_i;
          drawn = 1'b1;
        end
      end

      if (32'(rest) > count) begin
        for (int i = 0; i < MaxExpiries; i++) begin
          if (32'(rest) > count) begin
            // SPE-23: ECOUNT runs out before the expiry. Else the expiry draws anew (A-SPE-4).
            if (random_in_ecount && ecount != '0 && 32'(ecount) <= count) begin
              if (selected == '0) first = place + 4'(ecount) - 4'd1;
              selected++;
            end

            // SPE-20
            place += 4'(count);
            rest -= 4'(count) + 4'd1;

            // SPE-21, SPE-22
            drawn = rnd_q;
            count = reload;
            if (random_in_count) count[7:0] = random_byte_i;
            if (random_in_ecount) ecount = random_byte_i;
            if (!random_in_ecount || random_byte_i == '0) begin
              if (selected == '0) first = place;
              selected++;
            end
            place++;
          end
        end
      end

      // SPE-20
      count -= 32'(rest);

      // SPE-23; ECOUNT keeps its value while RND is 0 (A-SPE-10).
      if (random_in_ecount && ecount != '0) begin
        if (ecount <= 8'(rest)) begin
          if (selected == '0) first = place + 4'(ecount) - 4'd1;
          selected++;
          ecount = '0;
        end else begin
          ecount -= 8'(rest);
        end
      end
    end

    // Once, so that nothing outside sees the count on its way
    selected_o = selected;
  end

  assign first_selected_o = first;
  assign random_drawn_o = drawn;

  logic write;

  // DUT-60: a write is last, and wins (A-SPE-6).
  assign write = pmsicr_we_i && !hold_i;
  assign count_d = write ? 32'(wdata_i) : count;
  assign ecount_d = !write ? ecount : (Ernd ? 8'(wdata_i >> spe_pkg::EcountLsb) : 8'd0);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q <= '0;
      ecount_q <= '0;
      interval_q <= '0;
      rnd_q <= 1'b0;
      enabled_q <= 1'b0;  // DUT-11
    end else if (!hold_i) begin
      count_q <= count_d;
      ecount_q <= ecount_d;
      enabled_q <= enabled_i;
      if (pmsirr_we_i) begin
        interval_q <= wdata_i[spe_pkg::IntervalLsb +: 24];
        rnd_q <= wdata_i[spe_pkg::Rnd];
      end
    end
  end

  assign pmsicr_o = {ecount_q, 24'b0, count_q};
  assign pmsirr_o = {32'b0, interval_q, 7'b0, rnd_q};
  assign pmsicr_after_o = rst_i ? '0 : {ecount_d, 24'b0, count_d};

endmodule
