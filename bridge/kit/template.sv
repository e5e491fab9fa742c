// The wrapper of your design for lockstep: what it must do is docs/dut-contract.md, statement by statement (DUT-nn).
// As it is, it builds and runs, and diverges at the first register access: there is no design in it yet.
//
//   lockstep run --filelist dut.f --top @TOP@ --implementation implementation.toml

module @TOP@ (
  input  logic                                    clk_i,
  input  logic [lockstep_pkg::InputWidth-1:0]      cycle_input_i,
  output logic [lockstep_pkg::OutputWidth-1:0]     cycle_output_o,
  output logic [lockstep_pkg::ParametersWidth-1:0] parameters_o
);

  // What the design is. The implementation file says the same.
  localparam int Counters = @COUNTERS@;     // event counters (PMCR_EL0.N)
  localparam int EventCount = @EVENT_COUNT@;  // events that it is given
  localparam int EventWidth = @EVENT_WIDTH@;  // bits of an event's value

  ////////////////////////////////////////////////////////////
  // 1. Inputs: registered here (DUT-01), and nowhere else  //
  ////////////////////////////////////////////////////////////

  lockstep_pkg::cycle_input_t in;

  always_ff @(posedge clk_i) begin
    in <= cycle_input_i;
  end

  // The only reset (DUT-03, DUT-10): synchronous, for this cycle. The state after it is the reset state (DUT-11).
  logic rst;
  assign rst = in.reset[0];

  // No Processor cycle (DUT-52): the whole state stays as it is. A design without a clock enable sets `lacks` bit
  // LacksClockStopped below, and this is never 1.
  logic hold;
  assign hold = in.clock_stopped[0] && !rst;

  // Register access (section 6). There is one in a cycle at most.
  logic is_read, is_write, is_other;
  assign is_read = !rst && !hold && in.access_kind == lockstep_pkg::KindMrs;
  assign is_write = !rst && !hold && in.access_kind == lockstep_pkg::KindMsr;
  // MRC, MCR and external accesses (DUT-36, DUT-37); with LacksAarch32 and LacksExternal there are none.
  assign is_other = !rst && !hold && in.access_kind >= lockstep_pkg::KindMrc;

  ////////////////////////////////////////////////////////////
  // 2. Your design                                         //
  ////////////////////////////////////////////////////////////

  // V[n], the increment of each event counter in this cycle (DUT-15), and that of the cycle counter.
  // Not visible from outside? Reach in with a hierarchical name, or show the counters instead, or nothing: DUT-71.
  logic [Counters > 0 ? Counters-1 : 0:0][15:0] increment;
  logic cycle_increment;

  // What the design says to the access: is there such a register, and its value (at the start of the cycle: DUT-13).
  logic hit;
  logic [63:0] read_data;

  // my_pmu u_pmu (
  //   .clk_i,
  //   .rst_i     (rst),
  //   .events_i  (in.events),            // events[e], e < EventCount, the low EventWidth bits (DUT-16)
  //   .allowed_i (in.counting_allowed),  // bit n: counter n may count (DUT-14); bit 31: the cycle counter
  //   .read_i    (is_read),
  //   .write_i   (is_write),             // takes effect from the next cycle on (DUT-12)
  //   .address_i (in.access_address),    // op0 op1 CRn CRm op2; lockstep_pkg::AddrPmcr and so on
  //   .data_i    (in.access_data),
  //   ...
  // );
  assign increment = '0;
  assign cycle_increment = 1'b0;
  assign hit = 1'b0;
  assign read_data = 64'd0;

  ////////////////////////////////////////////////////////////
  // 3. Outputs (section 3): stable when the clock falls    //
  ////////////////////////////////////////////////////////////

  lockstep_pkg::cycle_output_t out;

  always_comb begin
    // What a design does not have is zero, and so is everything in a cycle of reset (DUT-10).
    out = '0;
    if (!rst) begin
      for (int n = 0; n < Counters; n++) begin
        out.increment[n] = increment[n];
      end
      out.increment[lockstep_pkg::CycleCounter] = {15'd0, cycle_increment};
      if (is_read || is_write || is_other) begin
        // Traps (DUT-35, DUT-38) are outcomes of their own, with trap_iss.
        out.access_outcome = hit ? lockstep_pkg::OutcomeOk : lockstep_pkg::OutcomeUndefined;
        out.access_data = hit && is_read ? read_data : 64'd0;
      end
      // Statistical Profiling (DUT-60 to DUT-63): pmsicr, in_flight, selected, first_selected, collided, coll,
      // random_drawn, random_byte. Zero without it.
    end
  end

  assign cycle_output_o = out;

  ////////////////////////////////////////////////////////////
  // 4. What the design states of itself (section 4)        //
  ////////////////////////////////////////////////////////////

  lockstep_pkg::parameters_t parameters;

  always_comb begin
    parameters = '0;
    parameters.magic = lockstep_pkg::Magic;
    parameters.contract_version = lockstep_pkg::ContractVersion;
    parameters.layout_version = lockstep_pkg::LayoutVersion;
    parameters.counters = 8'(Counters);
    parameters.counter_bits = 8'd@COUNTER_BITS@;  // 64 with FEAT_PMUv3p5, else 32
    parameters.event_count = 8'(EventCount);
    parameters.event_width = 8'(EventWidth);
    parameters.thwidth = 8'd@THWIDTH@;  // PMMIR_EL1.THWIDTH; 0 without FEAT_PMUv3_TH
    parameters.pmmir = 32'h@PMMIR@;  // PMMIR_EL1[19:0]
    parameters.threads = 8'd@THREADS@;
    parameters.max_inflight = 8'd@MAX_INFLIGHT@;  // 0 without SPE
    parameters.system_pmus = 8'd@SYSTEM_PMUS@;
    parameters.pmsidr = 32'h@PMSIDR@;
@SPMCFGR@
    // Cycles that a group of outputs comes late (DUT-02). All the comparison needs to know of a pipeline.
    parameters.latency_increment = 8'd0;
    parameters.latency_access = 8'd0;
    parameters.latency_spe = 8'd0;

    // Features that are there.
@FEATURES@
    // What is simpler than the contract (section 8), so that it is never driven, or not compared.
    parameters.access_interval = 8'd@ACCESS_INTERVAL@;  // cycles from one access to the next, at least
    parameters.increment_form = lockstep_pkg::Increments@INCREMENTS@;  // or Hidden, Counters
@LACKS@  end

  assign parameters_o = parameters;

  // Inputs that your design does not use; remove it when all are.
  logic unused;
  assign unused = ^in;

endmodule
