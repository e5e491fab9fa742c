../lockstep_pkg.sv
apb_pmu.v
wrapper.sv
