// What the designs of this folder have in common: they state the parameters of the default
// implementation, and all of their outputs are zero. A stimulus that does nothing but reset them
// agrees with that, until they end badly in cycle Last.
package idle_pkg;

  localparam logic [511:0] Parameters = {
    128'd0,
    64'd0, 32'hE008_1F21, 32'h1128_3F09, // spmcfgr
    32'h0002_6227,    // pmsidr
    8'd0,
    8'd2,             // system_pmus
    8'd2,             // max_inflight
    8'd4,             // threads
    32'd0,            // pmmir
    32'h00E7_EFFF,    // features: all but TME and the two of 2021
    8'd0, 8'd0, 8'd0, // latencies
    8'd12,            // thwidth
    8'd16,            // event_width
    8'd64,            // event_count
    8'd64,            // counter_bits
    8'd31,            // counters
    16'd2, 16'd2,     // layout and contract version
    32'h554D_504C     // magic
  };

  // In the middle of a batch of whatever length
  localparam int unsigned Last = 2500;

endpackage
