// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Turns the accesses of the DUT contract into APB transfers, and keeps the contract's order by
// delaying what is counted.
//
// An access in cycle k has three slots of two cycles (setup and access phase):
//
//   k+1 k+2   the upper half of PMCCNTR_EL0, if it is written
//   k+3 k+4   the register; the lower half of PMCCNTR_EL0
//   k+5 k+6   the upper half of PMCCNTR_EL0, if it is read
//
// so there is one in six cycles (DUT-70), and its outcome is shown in cycle k+7: latency_access is
// 7. All that changes or shows a counter is in k+4. In that cycle the counters must be given what
// the contract's cycle k counts: then a read has the counts up to k-1 (DUT-13), and a write is in
// force from k+1 on (DUT-12). Events, permissions to count and the reset are therefore delayed by
// four cycles.

module lockstep_dut (
    input  logic                                     clk_i,
    input  logic [lockstep_pkg::InputWidth-1:0]      cycle_input_i,
    output logic [lockstep_pkg::OutputWidth-1:0]     cycle_output_o,
    output logic [lockstep_pkg::ParametersWidth-1:0] parameters_o
);

    localparam int Events     = 16;
    localparam int EventWidth = 4;
    localparam int Delay      = 4;

    // DUT-01
    lockstep_pkg::cycle_input_t in;
    always_ff @(posedge clk_i) in <= cycle_input_i;

    // ------------------------------------------------------------------------
    // What is delayed

    typedef struct packed {
        logic                               reset;
        logic                               cycle_allowed;
        logic [5:0]                         allowed;
        logic [Events-1:0][EventWidth-1:0]  events;
    } counted_t;

    counted_t now;
    counted_t [Delay:1] late;

    assign now.reset         = in.reset[0];
    assign now.cycle_allowed = in.counting_allowed[lockstep_pkg::CycleCounter];
    assign now.allowed       = in.counting_allowed[5:0];
    for (genvar e = 0; e < Events; e++) begin : gen_event
        assign now.events[e] = in.events[e][EventWidth-1:0];
    end

    always_ff @(posedge clk_i) late <= {late[Delay-1:1], now};

    // ------------------------------------------------------------------------
    // Where the registers are

    typedef struct packed {
        logic       there;
        logic       wide;     // 64 bits: the upper half is at the next offset
        logic [7:0] offset;
    } place_t;

    function automatic place_t place(logic [15:0] address);
        logic [4:0] n = address[4:0];
        logic [7:0] word = {3'd0, n[2:0], 2'b00};
        if (address[15:5] == lockstep_pkg::BasePmevcntr) return '{n < 5'd6, 1'b0, word};
        if (address[15:5] == lockstep_pkg::BasePmevtyper && n < 5'd6) begin
            return '{1'b1, 1'b0, 8'h20 + word};
        end
        case (address)
            lockstep_pkg::AddrPmcr:       return '{1'b1, 1'b0, 8'h50};
            lockstep_pkg::AddrPmcntenset: return '{1'b1, 1'b0, 8'h54};
            lockstep_pkg::AddrPmcntenclr: return '{1'b1, 1'b0, 8'h58};
            lockstep_pkg::AddrPmovsset:   return '{1'b1, 1'b0, 8'h5c};
            lockstep_pkg::AddrPmovsclr:   return '{1'b1, 1'b0, 8'h60};
            lockstep_pkg::AddrPmccntr:    return '{1'b1, 1'b1, 8'h40};
            lockstep_pkg::AddrPmccfiltr:  return '{1'b1, 1'b0, 8'h48};
            lockstep_pkg::AddrPmmir:      return '{1'b1, 1'b0, 8'h64};
            default:                      return '0;
        endcase
    endfunction

    // ------------------------------------------------------------------------
    // The transfers

    typedef struct packed {
        logic        write;
        place_t      place;
        logic [63:0] data;
    } request_t;

    wire read  = in.access_kind == lockstep_pkg::KindMrs;
    wire write = in.access_kind == lockstep_pkg::KindMsr;
    wire start = !now.reset && (read || write);

    request_t request;
    // Bit i in cycle k+i; not reset, so that an access before a reset is finished
    logic [6:1] step;

    always_ff @(posedge clk_i) begin
        step <= {step[5:1], start};
        if (start) begin
            request.write <= write;
            request.place <= place(in.access_address);
            request.data  <= in.access_data;
        end
    end

    // Stimulus that was made for another design may not keep to the interval.
    always_ff @(posedge clk_i) begin
        if (start && (|step[5:1])) $error("an access within six cycles of the one before (DUT-70)");
    end

    wire first  = request.place.there && request.place.wide && request.write;
    wire second = request.place.there;
    wire third  = request.place.there && request.place.wide && !request.write;

    wire upper = step[1] || step[2] || step[5] || step[6];

    wire        psel    = first && (step[1] || step[2]) || second && (step[3] || step[4]) ||
                          third && (step[5] || step[6]);
    wire        penable = first && step[2] || second && step[4] || third && step[6];
    wire [7:0]  paddr   = request.place.offset + (upper ? 8'd4 : 8'd0);
    wire [31:0] pwdata  = upper ? request.data[63:32] : request.data[31:0];
    wire [31:0] prdata;
    wire        pready, pslverr;

    apb_pmu u_pmu (
        .pclk     (clk_i),
        .presetn  (!late[Delay].reset),
        .psel     (psel),
        .penable  (penable),
        .pwrite   (request.write),
        .paddr    (paddr),
        .pwdata   (pwdata),
        .prdata   (prdata),
        .pready   (pready),
        .pslverr  (pslverr),
        .ev       (late[Delay].events),
        .ev_allow (late[Delay].allowed),
        .cyc_allow(late[Delay].cycle_allowed)
    );

    // ------------------------------------------------------------------------
    // Outcome

    logic        refused;
    logic [31:0] lower;
    logic [7:0]  outcome;
    logic [63:0] read_data;

    always_ff @(posedge clk_i) begin
        if (step[4]) begin
            refused <= !request.place.there || pslverr;
            lower   <= prdata;
        end
        outcome   <= 8'd0;
        read_data <= 64'd0;
        if (step[6]) begin
            // DUT-30, DUT-31
            outcome <= refused ? lockstep_pkg::OutcomeUndefined : lockstep_pkg::OutcomeOk;
            if (!refused && !request.write) read_data <= {third ? prdata : 32'd0, lower};
        end
    end

    // DUT-71: the counters show no increments, which stay zero.
    lockstep_pkg::cycle_output_t out;

    always_comb begin
        out = '0;
        out.access_outcome = outcome;
        out.access_data    = read_data;
    end

    assign cycle_output_o = out;

    lockstep_pkg::parameters_t parameters;

    always_comb begin
        parameters = '0;
        parameters.magic            = lockstep_pkg::Magic;
        parameters.contract_version = lockstep_pkg::ContractVersion;
        parameters.layout_version   = lockstep_pkg::LayoutVersion;
        parameters.counters         = 8'd6;
        parameters.counter_bits     = 8'd32;
        parameters.event_count      = 8'(Events);
        parameters.event_width      = 8'(EventWidth);
        parameters.threads          = 8'd1;

        parameters.latency_access   = 8'd7;
        parameters.access_interval  = 8'd6;
        parameters.increment_form   = lockstep_pkg::IncrementsHidden;

        parameters.features[lockstep_pkg::FeatureChain] = 1'b1;

        parameters.lacks[lockstep_pkg::LacksPeState]          = 1'b1;
        parameters.lacks[lockstep_pkg::LacksThreadConditions] = 1'b1;
        parameters.lacks[lockstep_pkg::LacksAarch32]          = 1'b1;
        parameters.lacks[lockstep_pkg::LacksExternal]         = 1'b1;
        parameters.lacks[lockstep_pkg::LacksIndirect]         = 1'b1;
        parameters.lacks[lockstep_pkg::LacksClockStopped]     = 1'b1;
    end

    assign parameters_o = parameters;

    logic unused;
    assign unused = ^{in, pready};

endmodule
