../lockstep_pkg.sv
pipe_pkg.sv
pipe_select.sv
pipe_value.sv
pipe_count.sv
pipe_top.sv
wrapper.sv
