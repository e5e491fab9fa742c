# What dvsim calls for lockstep.hjson.
.PHONY: build run

build:
	mkdir -p $(build_dir)
	$(build_cmd) $(build_opts)

run:
	cd $(run_dir) && $(run_cmd) $(run_opts)
