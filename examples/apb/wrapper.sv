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
    logic [lockstep_pkg::InputWidth-1:0] in;
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

    assign now.reset         = in[lockstep_pkg::InResetLsb];
    assign now.cycle_allowed = in[lockstep_pkg::InCountingAllowedLsb + 31];
    assign now.allowed       = in[lockstep_pkg::InCountingAllowedLsb +: 6];
    for (genvar e = 0; e < Events; e++) begin : gen_event
        assign now.events[e] = in[lockstep_pkg::LaneWidth*e +: EventWidth];
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
        // PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0
        if (address[15:6] == {2'd3, 3'd3, 4'd14, 1'b1}) begin
            if (address[5] && n == 5'd31) return '{1'b1, 1'b0, 8'h48};  // PMCCFILTR_EL0
            return '{n < 5'd6, 1'b0, {2'b00, address[5], n[2:0], 2'b00}};
        end
        case (address)
            {2'd3, 3'd3, 4'd9, 4'd12, 3'd0}: return '{1'b1, 1'b0, 8'h50};  // PMCR_EL0
            {2'd3, 3'd3, 4'd9, 4'd12, 3'd1}: return '{1'b1, 1'b0, 8'h54};  // PMCNTENSET_EL0
            {2'd3, 3'd3, 4'd9, 4'd12, 3'd2}: return '{1'b1, 1'b0, 8'h58};  // PMCNTENCLR_EL0
            {2'd3, 3'd3, 4'd9, 4'd14, 3'd3}: return '{1'b1, 1'b0, 8'h5c};  // PMOVSSET_EL0
            {2'd3, 3'd3, 4'd9, 4'd12, 3'd3}: return '{1'b1, 1'b0, 8'h60};  // PMOVSCLR_EL0
            {2'd3, 3'd3, 4'd9, 4'd13, 3'd0}: return '{1'b1, 1'b1, 8'h40};  // PMCCNTR_EL0
            {2'd3, 3'd0, 4'd9, 4'd14, 3'd6}: return '{1'b1, 1'b0, 8'h64};  // PMMIR_EL1
            default:                         return '0;
        endcase
    endfunction

    // ------------------------------------------------------------------------
    // The transfers

    typedef struct packed {
        logic        write;
        place_t      place;
        logic [63:0] data;
    } request_t;

    wire [7:0] kind  = in[lockstep_pkg::InAccessKindLsb +: 8];
    wire       start = !now.reset && (kind == lockstep_pkg::KindMrs ||
                                      kind == lockstep_pkg::KindMsr);

    request_t request;
    logic [6:1] step;  // bit i in cycle k+i; not reset, so that an access before a reset is finished

    always_ff @(posedge clk_i) begin
        step <= {step[5:1], start};
        if (start) begin
            request.write <= kind == lockstep_pkg::KindMsr;
            request.place <= place(in[lockstep_pkg::InAccessAddressLsb +: 16]);
            request.data  <= in[lockstep_pkg::InAccessDataLsb +: 64];
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

    // DUT-71: the counters show no increments.
    assign cycle_output_o = {248'd0, outcome, read_data, 512'd0};

    assign parameters_o = {
        96'd0,
        16'h003F,       // lacks: all that a design can lack
        8'd1,           // increment_form: hidden
        8'd6,           // access_interval
        128'd0, 32'd0,  // spmcfgr, pmsidr
        8'd0,
        8'd0, 8'd0,     // system_pmus, max_inflight
        8'd1,           // threads
        32'd0,          // pmmir
        32'h0000_0008,  // features: CHAIN
        8'd0,           // latency_spe
        8'd7,           // latency_access
        8'd0,           // latency_increment
        8'd0,           // thwidth
        8'(EventWidth),
        8'(Events),
        8'd32,          // counter_bits
        8'd6,           // counters
        lockstep_pkg::LayoutVersion,
        lockstep_pkg::ContractVersion,
        lockstep_pkg::Magic
    };

    logic unused;
    assign unused = ^{in, pready};

endmodule
