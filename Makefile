# pmu-lockstep: `make help` lists the targets.

CARGO ?= cargo
SEED ?= 1
CYCLES ?= 1000000
VECTORS ?=
KILLS ?= 200
MUTANTS ?= 200
GATES ?= 500
GIGABYTES ?= 2
RUNS ?= 100000
BUGS ?= 40
# What `make prove` proves by the command line: the netlist of the examples, and the bundled RTL for all implementations.
EXAMPLE = examples/netlist
OF_EXAMPLE = --filelist $(EXAMPLE)/dut.f --top netlist_dut --implementation $(EXAMPLE)/implementation.toml
PROVED = $(if $(filter short,$(FORM)),,$(wildcard tests/implementations/*.toml))
TESTS ?= examples own_design lockstep verilate stops shared
LOCKSTEP = $(CARGO) run --quiet --release --bin lockstep --
# All packages that `make test` compiles, so that nothing is compiled again with other features.
WITH_PROOFS = --release --workspace --exclude lockstep-mutants --exclude pmu-lockstep-fuzz
ALL = $(WITH_PROOFS) --exclude lockstep-prove
TEST = $(CARGO) test $(ALL)
FIND_VERILATOR = $(CARGO) build --quiet $(ALL) --example find && target/release/examples/find .tools

.DEFAULT_GOAL := help
.PHONY: prove kills kinds farm large help run test test-5006 bugs mutants gates cover exhaust conform tables plan bench sanitize fuzz docs lint lint-rust lint-rtl lint-cpp format clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Set everything up and run the bundled RTL in lockstep (SEED=, CYCLES=)
	@[ -e target/release/lockstep ] || echo 'The first build takes some minutes: three on two cores.'
	$(CARGO) build --release
	$(LOCKSTEP) run --seed $(SEED) --cycles $(CYCLES)

test: ## Run all tests but the planted bugs
	$(TEST)

test-5006: ## Run the tests of other RTL with Verilator 5.006, the oldest that will do (TESTS=)
	root=$$(python3 tests/support/verilator_5006.py .tools) && $(TEST) \
		--config "target.'cfg(all())'.runner = ['env', 'VERILATOR_ROOT=$$root']" $(addprefix --test ,$(TESTS))

bugs: ## Plant every bug of tests/planted in the RTL and hunt it
	$(TEST) --test planted

mutants: ## Make bugs that nobody has seen of the RTL, hunt and explain them (SEED=, else of the time; MUTANTS=)
	$(CARGO) run --release --package lockstep-mutants -- --mutants $(MUTANTS) $(if $(filter-out file,$(origin SEED)),--seed $(SEED))

gates: ## Make bugs of the RTL's netlist by Yosys, hunt them, and prove that the others are none (SEED=, else of the time; GATES=)
	$(CARGO) build --release
	$(CARGO) build $(WITH_PROOFS) --bin lockstep-prove
	$(LOCKSTEP) score --mutants $(GATES) $(if $(filter-out file,$(origin SEED)),--seed $(SEED))

cover: ## Run every implementation of tests/implementations, and demand that they take every rule
	$(TEST) --test cover

exhaust: ## Run every threshold, edge and link configuration at 4-bit widths
	$(LOCKSTEP) exhaust

prove: ## Prove the bundled RTL for some implementations, and that proofs notice bugs (FORM=short: fewer)
	$(CARGO) build --release
	$(CARGO) test $(WITH_PROOFS) --quiet --lib -- circuit::tests reach:: correspondence::tests table::tests lrat::tests propagation::tests score:: solver::tests suggest:: yosys::find::tests
	$(CARGO) test $(WITH_PROOFS) --quiet --test counter --test slow_contract --test reach --test truth_tables
	$(CARGO) test $(WITH_PROOFS) --test proofs -- --include-ignored $(if $(filter short,$(FORM)),bundled operator)
	$(CARGO) test $(WITH_PROOFS) --test score -- --include-ignored
	$(CARGO) build $(WITH_PROOFS) --bin lockstep-prove
	$(LOCKSTEP) prove $(OF_EXAMPLE) --suggest > target/suggested.toml
	$(LOCKSTEP) prove $(OF_EXAMPLE) --correspondence target/suggested.toml
	$(LOCKSTEP) reach --out target/reach
	for file in $(PROVED); do echo "$$file" && $(LOCKSTEP) prove --implementation "$$file" || exit; done

kills: ## Kill commands at random moments, and look at what they leave (KILLS=)
	$(CARGO) build --release
	tests/kills/kills.py target/release/lockstep $(KILLS)

kinds: ## Measure whether failures of one planted bug are one kind (BUGS=, SEED=, else of the time)
	$(CARGO) build --release
	tests/kinds/kinds.py target/release/lockstep --bugs $(BUGS) $(if $(filter-out file,$(origin SEED)),--seed $(SEED))

farm: ## Run ci/slurm.sh and ci/grid-engine.sh on a Slurm and a Grid Engine of this machine (FORM=short: minutes less)
	$(CARGO) build --release
	tests/farm/farm.py target/release/lockstep --form $(or $(FORM),full)

large: ## Run every command on a VCD of 2 GB, and look at its memory (GIGABYTES=)
	$(CARGO) build --release
	env $$($(FIND_VERILATOR)) tests/large/large.py target/release/lockstep $(GIGABYTES)

conform: ## Run conformance vectors on the model (VECTORS='FILE…')
	$(LOCKSTEP) conform $(or $(VECTORS),$(wildcard tests/conformance/vectors/*.jsonl))

tables: ## Write the tables of docs/dut-contract.md from those of model/src/contract
	UPDATE_TABLES=1 $(TEST) --quiet --lib tables_of_the_contract

plan: ## Write docs/verification-plan.md: code and tests of every rule
	$(LOCKSTEP) plan --write docs/verification-plan.md

bench: ## Measure where the time of a run goes, as ratios to the bare design
	$(CARGO) bench --bench lockstep
	$(CARGO) bench --bench vcd
	$(CARGO) bench --bench fst
	$(CARGO) build --release
	benches/jobs.py target/release/lockstep

sanitize: ## Look for errors of memory in all C++, with sanitizers and valgrind (FORM=short: minutes less)
	tests/sanitize/run.sh $(FORM)

fuzz: ## Fuzz every reader of files, and tell how deep the corpora go (RUNS=)
	fuzz/run.py --runs $(RUNS) --depth

docs: ## Make a book of docs/, in target/book
	@command -v mdbook > /dev/null || test -x .tools/mdbook/bin/mdbook || $(CARGO) install --quiet --locked mdbook --root .tools/mdbook
	PATH="$$PATH:$(CURDIR)/.tools/mdbook/bin" mdbook build docs

lint: lint-rust lint-rtl lint-cpp ## Run every linter; RTL needs Icarus and Yosys, C++ needs clang-format

lint-rust: ## rustfmt, clippy and the documentation; and that make test compiles nothing again
	tests/support/compiled_once.py $(ALL)
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	$(CARGO) clippy --release --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --quiet --release --workspace --no-deps

lint-rtl: ## Verilator -Wall, Icarus and Yosys on the RTL
	env $$($(FIND_VERILATOR)) rtl/lint.sh

lint-cpp: ## clang-format on the bridge
	@command -v clang-format > /dev/null || { echo 'make lint-cpp: clang-format not found; install it (Debian: clang-format)' >&2; exit 2; }
	clang-format --dry-run --Werror bridge/verilator-sys/cpp/*.h bridge/verilator-sys/cpp/*.cpp

format: ## Format Rust and C++
	$(CARGO) fmt --all
	clang-format -i bridge/verilator-sys/cpp/*.h bridge/verilator-sys/cpp/*.cpp

clean: ## Remove what was built; .tools stays
	$(CARGO) clean
