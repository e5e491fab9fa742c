// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Field positions of the registers of sampling, and the step of the random number generator.

package spe_pkg;

  // PMSICR_EL1 (SPE-01): ECOUNT[63:56], COUNT[31:0]
  localparam int EcountLsb = 56;

  // PMSIRR_EL1 (SPE-02): INTERVAL[31:8], RND[0]
  localparam int IntervalLsb = 8;
  localparam int Rnd = 0;

  // PMBSR_ELx (SPE-04): MSS2[55:32], EC[31:26], DL[19], EA[18], S[17], COLL[16], MSS[15:0]
  localparam logic [63:0] PmbsrMask = 64'h00FF_FFFF_FC0F_FFFF;
  localparam int Coll = 16;

  // D17.3.2: the generator is reset into a usable state, which is any but zero. The fifth byte from
  // this one is zero, so that the case e == 0 of SPE-22 is not left to long runs.
  localparam logic [31:0] RandomReset = 32'h4922_57FA;

  // The state after a draw; the byte drawn is its low byte. These are eight steps of the shift
  // register of x^32 + x^31 + x^30 + x^10 + 1, which is primitive: the period is 2^32 - 1 bytes,
  // in which any four successive bytes take every value but all zero exactly once.
  function automatic logic [31:0] random_draw(input logic [31:0] state);
    random_draw = (state << 8) |
                  (((state >> 24) ^ (state >> 23) ^ (state >> 22) ^ (state >> 2)) & 32'h0000_00FF);
  endfunction

endpackage
