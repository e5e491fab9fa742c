// Events: one a tick, two a tick, at the time of a change, never, and in a scope below.
`timescale 1ns/1ns
module events;
  event tick, twice, never;
  reg [3:0] count;
  sub u ();

  initial begin
    $dumpfile("events.vcd");
    $dumpvars(0, events);
    count = 0;
    repeat (6) begin
      #5 ->tick;
      #5 ->twice;
      #0 ->twice;
      count = count + 1;
      if (count[0]) ->u.below;
    end
    #3 $dumpoff;
    #3 ->tick;
    #3 $dumpon;
    #3 ->tick;
    #1 $finish;
  end
endmodule

module sub;
  event below;
endmodule
