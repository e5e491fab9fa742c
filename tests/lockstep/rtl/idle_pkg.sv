// What the designs of this folder have in common: they state the parameters of the default
// implementation, and all of their outputs are zero. A stimulus that does nothing but reset them
// agrees with that, until they end badly in cycle Last.
package idle_pkg;

  localparam logic [255:0] Parameters = {
    64'd0,
    32'd0,            // pmmir
    32'h0000_0FFF,    // features: all but TME
    8'd0, 8'd0, 8'd0, // latencies
    8'd12,            // thwidth
    8'd16,            // event_width
    8'd64,            // event_count
    8'd64,            // counter_bits
    8'd31,            // counters
    16'd1, 16'd1,     // layout and contract version
    32'h554D_504C     // magic
  };

  // In the middle of a batch of whatever length
  localparam int unsigned Last = 2500;

endpackage
