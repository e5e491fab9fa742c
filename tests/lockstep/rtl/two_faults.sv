// Shows two mistakes that never meet: 100 cycles after every other reset a counter counts, another one each time, and 50
// cycles after the others there is the outcome of an access that nobody made.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

  int unsigned resets_q = 0;
  int unsigned since_q = 0;

  always_ff @(posedge clk_i) begin
    since_q <= since_q + 1;
    if (cycle_input_i[8*143]) begin
      since_q <= 0;
      resets_q <= resets_q + 1;
    end
  end

  always_comb begin
    cycle_output_o = '0;
    if (resets_q[0] && since_q == 100) cycle_output_o[16*(2+resets_q)] = 1'b1;
    if (!resets_q[0] && since_q == 50) cycle_output_o[577] = 1'b1;
  end

  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
