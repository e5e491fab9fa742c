// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The registers of one System PMU.
//
// Those that can be written are in a memory with one port: an access reads a word, and a write puts
// it back. A bit per word tells whether it has been written since reset, so that reset, which takes
// one cycle (DUT-11), need not clear the memory. The memory has rows of four words: one row of
// SPMCNTEN, SPMOVS and SPMINTEN, then SPMEVCNTR, SPMEVTYPER, SPMEVFILTR and SPMEVFILT2R of every
// counter index up to the last.

module spmu_system_pmu #(
  // See spmu_pkg
  parameter logic [319:0] Lane = (320'd8 << 128) | (320'd1 << 120) | 320'd1
) (
  input  logic clk_i,
  input  logic rst_i,

  // A permitted access to a register of this System PMU, exactly one of the three kinds
  input  logic identification_i,
  input  logic set_i,
  input  logic counter_i,
  input  logic write_i,
  input  logic [63:0] wdata_i,

  // Read-only registers: which of them
  input  logic [2:0] op2_i,
  // Sets of counters, counters: the column of the row
  input  logic [1:0] column_i,
  // Sets of counters: a write of one clears the bit, and does not set it
  input  logic clear_i,
  // Counters: SPMU-16
  input  logic [5:0] index_i,

  // Zero for a write, and without an access
  output logic [63:0] rdata_o,

  // Constant
  output logic [31:0] spmcfgr_o
);

  ///////////////////
  // Configuration //
  ///////////////////

  localparam logic [7:0] Groups = Lane[spmu_pkg::LaneGroupsLsb +: 8];
  localparam logic [7:0] Size = Lane[spmu_pkg::LaneSizeLsb +: 8];

  // SPMU-12; the table has no row for one group (A-SPMU-2).
  localparam int Max = (Groups == 8'd1) ? 64 :
                       (Groups == 8'd2) ? 32 :
                       (Groups <= 8'd4) ? 16 :
                       (Groups <= 8'd8) ? 8 : 4;

  // Number of counters of group g in byte g. SPMU-17: none beyond the last group
  localparam logic [127:0] GroupCounters = {8'd0, Lane[119:0]} &
                                           ((128'd1 << (8 * 32'(Groups))) - 128'd1);

  // SPMU-14
  function automatic logic [7:0] sum_of_bytes(input logic [127:0] bytes);
    sum_of_bytes = 8'd0;
    for (int g = 0; g < 16; g++) sum_of_bytes = sum_of_bytes + bytes[8*g +: 8];
  endfunction

  // SPMU-04, SPMU-10
  localparam logic [3:0] Ncg = 4'(Groups - 8'd1);
  localparam logic [7:0] N = sum_of_bytes(GroupCounters) - 8'd1;
  localparam logic [31:0] Spmcfgr = {Ncg, 8'd0, Lane[spmu_pkg::LaneBit19], 5'd0,
                                     6'(Size - 8'd1), N} |
                                    (Lane[spmu_pkg::LaneFeaturesLsb +: 32] &
                                     spmu_pkg::FeaturesMask);

  // SPMU-05: SPMCGCR1, SPMCGCR0; SPMU-10: RAZ with one group
  localparam logic [127:0] Spmcgcr = (Groups == 8'd1) ? 128'd0 : GroupCounters;

  // SPMU-13, SPMU-15
  logic [63:0] implemented;

  for (genvar i = 0; i < 64; i++) begin : gen_implemented
    assign implemented[i] = GroupCounters[8*(i/Max) +: 8] > 8'(i % Max);
  end

  // The last group has the highest indices.
  localparam int IndexEnd = Max * (32'(Groups) - 1) +
                            32'(GroupCounters[8 * (32'(Groups) - 1) +: 8]);

  // The bits of SPMEVCNTR<n>_EL0
  localparam logic [63:0] CounterMask = 64'hFFFF_FFFF_FFFF_FFFF >> (8'd64 - Size);

  ////////////
  // Memory //
  ////////////

  localparam int Words = 4 * (1 + IndexEnd);
  localparam int AddressWidth = $clog2(Words);

  logic [63:0] words_q [Words];
  logic [Words-1:0] written_q;

  logic exists;
  logic [AddressWidth-1:0] address;
  logic [63:0] word, word_d;

  // SPMU-15: a counter that is not implemented has no word.
  assign exists = set_i || (counter_i && implemented[index_i]);

  // The number of words is not a power of two: without a word, an address that has one.
  always_comb begin
    address = AddressWidth'(column_i);
    if (exists && !set_i) address = AddressWidth'({7'(index_i) + 7'd1, column_i});
  end

  assign word = (exists && written_q[address]) ? words_q[address] : '0;

  always_comb begin
    word_d = wdata_i;
    if (set_i) word_d = clear_i ? (word & ~wdata_i) : (word | (wdata_i & implemented));
    else if (column_i == spmu_pkg::Spmevcntr) word_d = wdata_i & CounterMask;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) written_q <= '0;  // DUT-11
    else if (exists && write_i) written_q[address] <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (exists && write_i) words_q[address] <= word_d;
  end

  ///////////////
  // Read data //
  ///////////////

  always_comb begin
    rdata_o = '0;
    if (identification_i) begin
      case (op2_i)
        spmu_pkg::Op2Spmcgcr0:   rdata_o = 64'(Spmcgcr);
        spmu_pkg::Op2Spmcgcr1:   rdata_o = 64'(Spmcgcr >> 64);
        spmu_pkg::Op2Spmiidr:    rdata_o = 64'(Lane[spmu_pkg::LaneSpmiidrLsb +: 32]);
        spmu_pkg::Op2Spmdevarch: rdata_o = 64'(Lane[spmu_pkg::LaneSpmdevarchLsb +: 32]);
        spmu_pkg::Op2Spmdevaff:  rdata_o = Lane[spmu_pkg::LaneSpmdevaffLsb +: 64];
        spmu_pkg::Op2Spmcfgr:    rdata_o = 64'(Spmcfgr);
        default:                 rdata_o = '0;
      endcase
    end else if (!write_i) begin
      rdata_o = word;
    end
  end

  assign spmcfgr_o = Spmcfgr;

endmodule
