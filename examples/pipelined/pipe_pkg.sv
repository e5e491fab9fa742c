// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sizes, registers and what travels from stage to stage.

package pipe_pkg;

  localparam int NumCounters = 8;
  localparam int NumEvents   = 32;
  localparam int ValueBits   = 10;  // of the value of an event in one cycle
  localparam int ThBits      = 8;   // PMMIR_EL1.THWIDTH

  typedef logic [ValueBits-1:0] value_t;
  typedef logic [4:0]           index_t;

  // A System register encoding
  typedef struct packed {
    logic [1:0] op0;
    logic [2:0] op1;
    logic [3:0] crn;
    logic [3:0] crm;
    logic [2:0] op2;
  } sysreg_t;

  localparam sysreg_t PMCR       = '{2'd3, 3'd3, 4'd9, 4'd12, 3'd0};
  localparam sysreg_t PMCNTENSET = '{2'd3, 3'd3, 4'd9, 4'd12, 3'd1};
  localparam sysreg_t PMCNTENCLR = '{2'd3, 3'd3, 4'd9, 4'd12, 3'd2};
  localparam sysreg_t PMOVSCLR   = '{2'd3, 3'd3, 4'd9, 4'd12, 3'd3};
  localparam sysreg_t PMSELR     = '{2'd3, 3'd3, 4'd9, 4'd12, 3'd5};
  localparam sysreg_t PMCCNTR    = '{2'd3, 3'd3, 4'd9, 4'd13, 3'd0};
  localparam sysreg_t PMXEVTYPER = '{2'd3, 3'd3, 4'd9, 4'd13, 3'd1};
  localparam sysreg_t PMXEVCNTR  = '{2'd3, 3'd3, 4'd9, 4'd13, 3'd2};
  localparam sysreg_t PMOVSSET   = '{2'd3, 3'd3, 4'd9, 4'd14, 3'd3};
  localparam sysreg_t PMMIR      = '{2'd3, 3'd0, 4'd9, 4'd14, 3'd6};

  // PMEVTYPER<n>_EL0, with the fields of a PE that has EL2 and EL3 (ETY-02)
  typedef struct packed {
    logic [2:0]  tc;
    logic        te;
    logic [3:0]  res0_59_56;
    logic [1:0]  tlc;
    logic [9:0]  res0_53_44;
    logic [11:0] th;
    logic        p;
    logic        u;
    logic        nsk;
    logic        nsu;
    logic        nsh;
    logic        m;
    logic [9:0]  res0_25_16;
    logic [15:0] evt_count;
  } evtyper_t;

  // Filter bits and evtCount; TC, TE and TH (ETY-03: bits 11:8 of TH are RES0); TLC if odd (TH-06)
  localparam logic [63:0] MaskFilter = 64'h0000_0000_FC00_0000;
  localparam logic [63:0] MaskEven   = 64'hF000_00FF_FC00_FFFF;
  localparam logic [63:0] MaskOdd    = 64'hF0C0_00FF_FC00_FFFF;

  // What an access does when it reaches the counters
  typedef enum logic [3:0] {
    OpNone,          // no access, or all was done in the first stage
    OpReadCounter,
    OpWriteCounter,
    OpReadCycles,
    OpWriteCycles,
    OpReadFlags,
    OpSetFlags,
    OpClearFlags,
    OpZero           // PMCR_EL0: P in bit 1 of the data, C in bit 2
  } op_t;

  // What belongs to a cycle and not to a counter
  typedef struct packed {
    logic        reset;
    logic        bubble;   // there was no Processor cycle
    logic        lp;       // PMCR_EL0.LP of the cycle
    logic        cycle;    // PMCCNTR_EL0 counts
    logic [7:0]  outcome;  // of the access
    op_t         op;
    index_t      index;
    logic [63:0] data;     // write data, or what the first stage read
  } cycle_t;

  // A counter after the comparison
  typedef struct packed {
    logic   counting;
    value_t base;      // V_B
    logic   met;       // C_T
  } compared_t;

  // What its configuration makes of that
  typedef struct packed {
    logic       plain;    // V is V_B
    logic       by_one;   // TC[0]
    logic       on_edge;  // TE
    logic [1:0] link;     // TLC
  } mode_t;

endpackage
