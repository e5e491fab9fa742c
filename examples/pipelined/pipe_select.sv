// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First stage: the configuration registers, the register port, the event of each counter and its
// comparison with the threshold. What it finds about a cycle is registered at its end.

module pipe_select
  import pipe_pkg::*;
(
  input  logic                  clk,
  input  logic                  reset,
  input  logic                  clock_stopped,
  input  value_t [NumEvents-1:0] events,
  input  logic [31:0]           counting_allowed,
  input  logic                  read,
  input  logic                  write,
  input  sysreg_t               address,
  input  logic [63:0]           write_data,

  output cycle_t                      cycle,
  output compared_t [NumCounters-1:0] lanes,
  output mode_t [NumCounters-1:0]     modes
);

  logic        enable, lp;
  logic [31:0] enabled;
  index_t      selected;
  evtyper_t    types [NumCounters];
  logic [63:0] cycle_filter;

  // ---- Register port --------------------------------------------------------------------------

  typedef enum logic [3:0] {
    RegUndefined, RegControl, RegEnableSet, RegEnableClear, RegFlagsClear, RegFlagsSet, RegSelect,
    RegCycles, RegCounter, RegType, RegCycleFilter, RegIdentity
  } reg_t;

  reg_t   which;
  index_t index;

  // PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0 are in op0 = 3, op1 = 3, CRn = 14, CRm = 1xxx.
  wire group  = address.op0 == 2'd3 && address.op1 == 3'd3 &&
                address.crn == 4'd14 && address.crm[3];
  wire typed  = group && address.crm[2] || address == PMXEVTYPER;
  wire counts = group && !address.crm[2] || address == PMXEVCNTR;

  assign index = group ? {address.crm[1:0], address.op2} : selected;  // DUT-33

  always_comb begin
    which = RegUndefined;  // DUT-30, DUT-31
    if (typed && index == 5'd31) which = RegCycleFilter;
    else if (typed && index < index_t'(NumCounters)) which = RegType;
    else if (counts && index < index_t'(NumCounters)) which = RegCounter;
    else begin
      case (address)
        PMCR:       which = RegControl;
        PMCNTENSET: which = RegEnableSet;
        PMCNTENCLR: which = RegEnableClear;
        PMOVSCLR:   which = RegFlagsClear;
        PMOVSSET:   which = RegFlagsSet;
        PMSELR:     which = RegSelect;
        PMCCNTR:    which = RegCycles;
        PMMIR:      which = write ? RegUndefined : RegIdentity;
        default:    which = RegUndefined;
      endcase
    end
  end

  logic [63:0] read_data;

  always_comb begin
    read_data = '0;
    case (which)
      RegControl:     read_data = {48'd0, 5'(NumCounters), 3'd0, lp, 1'b1, 5'd0, enable};
      RegEnableSet,
      RegEnableClear: read_data = {32'd0, enabled};
      RegSelect:      read_data = {59'd0, selected};
      RegType:        read_data = types[index[2:0]];
      RegCycleFilter: read_data = cycle_filter;
      RegIdentity:    read_data = {36'd0, 4'd2, 4'(ThBits), 20'd0};
      default:        read_data = '0;
    endcase
  end

  // DUT-12: a write is in these registers from the next cycle on.
  localparam logic [31:0] MaskEnable = {1'b1, 31'((1 << NumCounters) - 1)};

  always_ff @(posedge clk) begin
    if (reset) begin
      enable       <= 1'b0;
      lp           <= 1'b0;
      enabled      <= '0;
      selected     <= '0;
      cycle_filter <= '0;
      for (int n = 0; n < NumCounters; n++) types[n] <= '0;
    end else if (write) begin
      case (which)
        RegControl:     {lp, enable} <= {write_data[7], write_data[0]};
        RegEnableSet:   enabled <= enabled | write_data[31:0] & MaskEnable;
        RegEnableClear: enabled <= enabled & ~write_data[31:0];
        RegSelect:      selected <= write_data[4:0];
        RegType:        types[index[2:0]] <= write_data & (index[0] ? MaskOdd : MaskEven);
        RegCycleFilter: cycle_filter <= write_data & MaskFilter;
        default:        ;
      endcase
    end
  end

  // ---- The cycle ------------------------------------------------------------------------------

  always_comb begin
    cycle = '0;
    cycle.reset  = reset;
    cycle.bubble = clock_stopped;
    cycle.lp     = lp;
    cycle.cycle  = enable && enabled[31] && counting_allowed[31] && !reset && !clock_stopped;
    cycle.index  = index;
    if (read || write) begin
      cycle.outcome = which == RegUndefined ? lockstep_pkg::OutcomeUndefined :
                                              lockstep_pkg::OutcomeOk;
      cycle.data    = write ? write_data : read_data;
      case (which)
        RegControl:    cycle.op = write ? OpZero : OpNone;
        RegCounter:    cycle.op = write ? OpWriteCounter : OpReadCounter;
        RegCycles:     cycle.op = write ? OpWriteCycles : OpReadCycles;
        RegFlagsSet:   cycle.op = write ? OpSetFlags : OpReadFlags;
        RegFlagsClear: cycle.op = write ? OpClearFlags : OpReadFlags;
        default:       cycle.op = OpNone;
      endcase
      if (write && cycle.op == OpNone) cycle.data = '0;  // DUT-32
    end
  end

  // ---- The counters ---------------------------------------------------------------------------

  // TH-30 to TH-33
  function automatic logic reserved(logic [1:0] tc, logic te, logic [1:0] tlc, logic odd);
    return te && tc == 2'b00 ||
           odd && (tlc == 2'b11 || te && tlc == 2'b01 || tc[0] && !te && tlc == 2'b10);
  endfunction

  // TH-20, unsigned and without cutting the value (TH-21)
  function automatic logic compare(value_t base, logic [1:0] comparison, value_t th);
    case (comparison)
      2'b00:   return base != th;
      2'b01:   return base == th;
      2'b10:   return base >= th;
      default: return base < th;
    endcase
  endfunction

  always_comb begin
    for (int n = 0; n < NumCounters; n++) begin
      logic   counting, met, plain;
      value_t base;

      // DUT-14, without filters
      counting = enable && enabled[n] && counting_allowed[n] && !reset && !clock_stopped;

      // TH-09; an event that there is not has the value 0 (DUT-16)
      base = '0;
      if (counting && types[n].evt_count < 16'(NumEvents)) base = events[types[n].evt_count[4:0]];
      met = counting && compare(base, types[n].tc[2:1], value_t'(types[n].th));
      lanes[n] = '{counting: counting, base: base, met: met};

      // TH-27, DUT-34
      plain = {types[n].tc, types[n].te, types[n].tlc, types[n].th} == '0 ||
              reserved(types[n].tc[1:0], types[n].te, types[n].tlc, n % 2 == 1);
      modes[n] = '{plain: plain, by_one: types[n].tc[0], on_edge: types[n].te,
                   link: types[n].tlc};
    end
  end

endmodule
