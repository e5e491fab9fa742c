// Has a register that no reset clears, unless RESET_ALL is defined, and that nothing writes in a stimulus that does nothing:
// what it begins with shows as the increment of counter 3, 50 cycles after every reset.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  int unsigned since_q;
  logic [1:0] forgotten_q;

  always_ff @(posedge clk_i) begin
    since_q <= since_q + 1;
    if (cycle_input_i[0]) forgotten_q <= cycle_input_i[2:1];
    if (cycle_input_i[8*143]) begin
      since_q <= 0;
`ifdef RESET_ALL
      forgotten_q <= '0;
`endif
    end
  end

  always_comb begin
    cycle_output_o = '0;
    if (since_q == 50) cycle_output_o[16*3+:2] = forgotten_q;
  end

  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
