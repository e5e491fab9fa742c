// A counter that adds what it is told, and prints, and stops, when it is told.
//
// Input: [31:0] what to add, [32] print, [33] $error, [34] $fatal, [35] $stop, [36] $finish,
// [37] make a_allowed fail, [38] loop without end, [39] oscillate, [40] reset, [41] $warning.
// Output: [31:0] the count after this cycle, [63:32] what was added, [95:64] the parameter Step.
module lockstep_dut #(
  parameter int unsigned Step = 1,
  parameter int unsigned MaxStep = 100
) (
  input  logic        clk_i,
  input  logic [95:0] cycle_input_i,
  output logic [95:0] cycle_output_o,
  output logic [31:0] parameters_o
);

  logic [31:0] count_q, added_q;
  logic        oscillate_q;
  wire  [31:0] added = cycle_input_i[31:0] * Step;

  always_ff @(posedge clk_i) begin
    added_q     <= added;
    count_q     <= cycle_input_i[40] ? '0 : count_q + added;
    oscillate_q <= cycle_input_i[39];
    if (cycle_input_i[32]) $display("count is %0d", count_q);
    if (cycle_input_i[33]) $error("count %0d is wrong", count_q);
    if (cycle_input_i[34]) $fatal(1, "count %0d is fatal", count_q);
    if (cycle_input_i[35]) $stop;
    if (cycle_input_i[36]) $finish;
    if (cycle_input_i[41]) $warning("count %0d is odd", count_q);
    a_allowed : assert (!cycle_input_i[37]);
    while (cycle_input_i[38]) begin
      if (count_q == 32'hffff_ffff) break;
    end
  end

  // A loop through combinational logic that settles only while oscillate_q is 0.
  /* verilator lint_off UNOPTFLAT */
  logic loop_a, loop_b;
  always_comb loop_a = oscillate_q ? ~loop_b : 1'b0;
  always_comb loop_b = loop_a;
  /* verilator lint_on UNOPTFLAT */

  assign cycle_output_o = {Step, added_q, count_q};
  assign parameters_o = Step ^ {31'b0, loop_b};

  initial if (Step > MaxStep) $fatal(1, "Step %0d is above MaxStep", Step);

  final $display("final count %0d", count_q);

endmodule
