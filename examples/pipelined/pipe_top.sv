// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The counters as a pipeline of three stages: select and compare, edge and link, count. What is
// about one cycle goes down it side by side, so that the stages need not know of each other.

module pipe_top
  import pipe_pkg::*;
(
  input  logic                   clk,

  // Cycle k, from registers
  input  logic                   reset,
  input  logic                   clock_stopped,
  input  value_t [NumEvents-1:0] events,
  input  logic [31:0]            counting_allowed,
  input  logic                   read,
  input  logic                   write,
  input  sysreg_t                address,
  input  logic [63:0]            write_data,

  // Cycle k-2
  output value_t [NumCounters-1:0] values,
  output logic                     cycle_counted,
  output logic [7:0]               outcome,
  output logic [63:0]              read_data
);

  cycle_t                      cycle_1, cycle_2, cycle_3;
  compared_t [NumCounters-1:0] lanes_1, lanes_2;
  mode_t [NumCounters-1:0]     modes_1, modes_2;
  value_t [NumCounters-1:0]    values_2, values_3;

  pipe_select u_select (
    .clk             (clk),
    .reset           (reset),
    .clock_stopped   (clock_stopped),
    .events          (events),
    .counting_allowed(counting_allowed),
    .read            (read),
    .write           (write),
    .address         (address),
    .write_data      (write_data),
    .cycle           (cycle_1),
    .lanes           (lanes_1),
    .modes           (modes_1)
  );

  always_ff @(posedge clk) begin
    cycle_2 <= cycle_1;
    lanes_2 <= lanes_1;
    modes_2 <= modes_1;
  end

  pipe_value u_value (
    .clk   (clk),
    .bubble(cycle_2.bubble),
    .lanes (lanes_2),
    .modes (modes_2),
    .values(values_2)
  );

  always_ff @(posedge clk) begin
    cycle_3  <= cycle_2;
    values_3 <= values_2;
  end

  pipe_count u_count (
    .clk      (clk),
    .cycle    (cycle_3),
    .values   (values_3),
    .read_data(read_data)
  );

  assign values        = values_3;
  assign cycle_counted = cycle_3.cycle;
  assign outcome       = cycle_3.outcome;

endmodule
