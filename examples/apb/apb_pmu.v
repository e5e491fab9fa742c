// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Six event counters of 32 bits and a cycle counter of 64 behind an APB port. Verilog-2001.
//
//   offset     register
//   00 + 4 n   EVCNTR<n>, n = 0..5
//   20 + 4 n   EVTYPER<n>: P 31, U 30, event 9:0
//   40         CCNTRL     bits 31:0 of the cycle counter
//   44         CCNTRH     bits 63:32
//   48         CCFILTR    P 31, U 30
//   50         CTRL       E 0; P 1 and C 2 clear the counters; reads 1 in bit 6, and 6 in 15:11
//   54, 58     CNTENS, CNTENC  write 1 to set, to clear: event counters 5:0, cycle counter 31
//   5c, 60     OVSS, OVSC      the same, overflow flags
//   64         ID         read-only
//
// The cycle counter is read and written whole by way of HOLD: a read of CCNTRL leaves bits 63:32 of
// the same cycle there, where CCNTRH reads them; a write of CCNTRH goes there, and a write of CCNTRL
// takes it along.
//
// There are no wait states. Anything else than the above is answered with pslverr.

module apb_pmu (
    pclk, presetn, psel, penable, pwrite, paddr, pwdata, prdata, pready, pslverr,
    ev, ev_allow, cyc_allow
);

    input         pclk;
    input         presetn;
    input         psel;
    input         penable;
    input         pwrite;
    input  [7:0]  paddr;
    input  [31:0] pwdata;
    output [31:0] prdata;
    output        pready;
    output        pslverr;

    input  [63:0] ev;         // value of event e in bits 4 e + 3 : 4 e
    input  [5:0]  ev_allow;   // the counters may count
    input         cyc_allow;

    localparam A_CCNTRL  = 8'h40,
               A_CCNTRH  = 8'h44,
               A_CCFILTR = 8'h48,
               A_CTRL    = 8'h50,
               A_CNTENS  = 8'h54,
               A_CNTENC  = 8'h58,
               A_OVSS    = 8'h5c,
               A_OVSC    = 8'h60,
               A_ID      = 8'h64;

    localparam EV_CHAIN = 10'h01e;

    reg         e;
    reg  [5:0]  en;
    reg         en_cyc;
    reg  [5:0]  ovs;
    reg         ovs_cyc;
    reg  [63:0] cyc;
    reg  [1:0]  cyc_filter;
    reg  [31:0] hold;

    wire access = psel & penable;
    wire wr     = access & pwrite;
    wire rd     = access & ~pwrite;

    wire wr_ctrl = wr & (paddr == A_CTRL);
    wire clr_ev  = wr_ctrl & pwdata[1];
    wire clr_cyc = wr_ctrl & pwdata[2];

    // ------------------------------------------------------------------------
    // Event counters

    wire [191:0] evcntr;      // 32 bits a counter
    wire [191:0] evtyper;
    wire [5:0]   overflow;
    wire [2:0]   carry;       // of counters 0, 2, 4

    function [3:0] value;
        input [9:0]  number;
        input [63:0] lanes;
        begin
            if (number[9:4] != 6'd0) value = 4'd0;
            else                     value = lanes[{number[3:0], 2'b00} +: 4];
        end
    endfunction

    genvar n;
    generate
        for (n = 0; n < 6; n = n + 1) begin : g_counter
            reg  [31:0] count;
            reg  [1:0]  filter;
            reg  [9:0]  number;

            wire        on     = e & en[n] & ev_allow[n];
            wire        wr_cnt = wr & (paddr == 4 * n);
            wire        wr_typ = wr & (paddr == 32 + 4 * n);
            wire        link   = (n % 2 == 1) & carry[n / 2];
            wire [3:0]  inc    = !on                  ? 4'd0 :
                                 (number == EV_CHAIN) ? {3'd0, link} : value(number, ev);
            wire [32:0] sum    = {1'b0, count} + {29'd0, inc};

            // What is written or cleared does not overflow.
            assign overflow[n] = sum[32] & ~wr_cnt & ~clr_ev;

            if (n % 2 == 0) begin : g_even
                assign carry[n / 2] = overflow[n];
            end

            always @(posedge pclk or negedge presetn)
                if (!presetn)    count <= 32'd0;
                else if (clr_ev) count <= 32'd0;
                else if (wr_cnt) count <= pwdata;
                else             count <= sum[31:0];

            always @(posedge pclk or negedge presetn)
                if (!presetn)    {filter, number} <= 12'd0;
                else if (wr_typ) {filter, number} <= {pwdata[31:30], pwdata[9:0]};

            assign evcntr[32*n +: 32]  = count;
            assign evtyper[32*n +: 32] = {filter, 20'd0, number};
        end
    endgenerate

    // ------------------------------------------------------------------------
    // Cycle counter

    wire cyc_on       = e & en_cyc & cyc_allow;
    wire wr_cyc       = wr & (paddr == A_CCNTRL);
    wire overflow_cyc = cyc_on & (&cyc) & ~wr_cyc & ~clr_cyc;

    always @(posedge pclk or negedge presetn)
        if (!presetn)     cyc <= 64'd0;
        else if (clr_cyc) cyc <= 64'd0;
        else if (wr_cyc)  cyc <= {hold, pwdata};
        else if (cyc_on)  cyc <= cyc + 64'd1;

    // Not reset: it is of a transfer, and not of the counter.
    always @(posedge pclk)
        if (rd & (paddr == A_CCNTRL))      hold <= cyc[63:32];
        else if (wr & (paddr == A_CCNTRH)) hold <= pwdata;

    // ------------------------------------------------------------------------
    // Control

    wire [6:0] bits    = {pwdata[31], pwdata[5:0]};
    wire [6:0] ovs_set = (wr & (paddr == A_OVSS)) ? bits : 7'd0;
    wire [6:0] ovs_clr = (wr & (paddr == A_OVSC)) ? bits : 7'd0;

    always @(posedge pclk or negedge presetn)
        if (!presetn) begin
            e             <= 1'b0;
            {en_cyc, en}  <= 7'd0;
            {ovs_cyc,ovs} <= 7'd0;
            cyc_filter    <= 2'd0;
        end else begin
            if (wr_ctrl)                       e            <= pwdata[0];
            if (wr & (paddr == A_CNTENS))      {en_cyc, en} <= {en_cyc, en} | bits;
            else if (wr & (paddr == A_CNTENC)) {en_cyc, en} <= {en_cyc, en} & ~bits;
            if (wr & (paddr == A_CCFILTR))     cyc_filter   <= pwdata[31:30];
            // An overflow wins over a clear.
            {ovs_cyc, ovs} <= ({ovs_cyc, ovs} & ~ovs_clr) | ovs_set | {overflow_cyc, overflow};
        end

    // ------------------------------------------------------------------------
    // Read data

    reg [31:0] data;
    reg        mapped;

    always @* begin
        mapped = 1'b1;
        data   = 32'd0;
        case (paddr)
            8'h00:     data = evcntr[31:0];
            8'h04:     data = evcntr[63:32];
            8'h08:     data = evcntr[95:64];
            8'h0c:     data = evcntr[127:96];
            8'h10:     data = evcntr[159:128];
            8'h14:     data = evcntr[191:160];
            8'h20:     data = evtyper[31:0];
            8'h24:     data = evtyper[63:32];
            8'h28:     data = evtyper[95:64];
            8'h2c:     data = evtyper[127:96];
            8'h30:     data = evtyper[159:128];
            8'h34:     data = evtyper[191:160];
            A_CCNTRL:  data = cyc[31:0];
            A_CCNTRH:  data = hold;
            A_CCFILTR: data = {cyc_filter, 30'd0};
            A_CTRL:    data = {16'd0, 5'd6, 4'd0, 1'b1, 5'd0, e};
            A_CNTENS,
            A_CNTENC:  data = {en_cyc, 25'd0, en};
            A_OVSS,
            A_OVSC:    data = {ovs_cyc, 25'd0, ovs};
            A_ID:      mapped = ~pwrite;
            default:   mapped = 1'b0;
        endcase
    end

    assign prdata  = data;
    assign pready  = 1'b1;
    assign pslverr = access & ~mapped;

endmodule
