// A counter with a wide register and a state machine, in the shape of a lockstep wrapper.
module lockstep_dut (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic [15:0]  count,
  output logic [127:0] wide,
  output logic         pulse_o
);
  typedef enum logic [1:0] {Idle, Arm, Fire, Done} state_e;
  logic [7:0] bank [4];
  logic [1:0][7:0] packed2;
  struct packed {logic valid; logic [6:0] level;} status;
  real ratio;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count <= '0;
      wide  <= '0;
      ratio <= 0.0;
      for (int i = 0; i < 4; i++) bank[i] <= '0;
    end else begin
      count <= count + 16'd1;
      wide  <= {wide[126:0], ~wide[127]} ^ {112'd0, count};
      ratio <= ratio + 0.125;
      bank[count[1:0]] <= count[7:0];
    end
  end
  assign packed2 = {count[7:0], ~count[7:0]};
  assign status = '{valid: count[3], level: count[6:0]};

  for (genvar g = 0; g < 2; g++) begin : gen_lane
    logic [3:0] lane;
    assign lane = count[g*4 +: 4];
  end

  sub u_sub (.clk_i, .rst_ni, .go_i(count[2]), .state(), .pulse_o);
endmodule

module sub (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       go_i,
  output logic [1:0] state,
  output logic       pulse_o
);
  parameter int Limit = 3;
  localparam real Half = 0.5;
  logic [0:3] ascending;
  logic \escaped[0].name ;
  assign \escaped[0].name = state[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state <= 2'd0;
    else if (go_i) state <= state + 2'd1;
  end
  assign pulse_o = state == 2'(Limit);
  assign ascending = {state, ~state};
endmodule
