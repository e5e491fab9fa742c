// Makes an object of a class in every cycle, and lets go of that of the last one.
//
// Input: [31:0] what to add. Output: [31:0] the sum after this cycle.
module lockstep_dut (
  input  logic        clk_i,
  input  logic [95:0] cycle_input_i,
  output logic [95:0] cycle_output_o,
  output logic [31:0] parameters_o
);

  class Sum;
    logic [31:0] value;
    logic [31:0] filler[256];
  endclass

  Sum sum;
  logic [31:0] value_q;

  always @(posedge clk_i) begin
    automatic Sum next = new;
    next.value = cycle_input_i[31:0] + value_q;
    sum = next;
    value_q <= next.value;
  end

  assign cycle_output_o = {64'b0, value_q};
  assign parameters_o = '0;

endmodule
