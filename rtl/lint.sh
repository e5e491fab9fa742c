#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Passes the RTL through Verilator, Icarus Verilog and Yosys, over several parameter sets, and
# elaborates every module alone; the designs of examples/ through Verilator. Any finding of any
# tool fails.
#
# Environment: VERILATOR (default: verilator on PATH), VERILATOR_ROOT if that program needs it,
# IVERILOG, YOSYS.

set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

verilator=${VERILATOR:-verilator}
iverilog=${IVERILOG:-iverilog}
yosys=${YOSYS:-yosys}

for tool in "$verilator" "$iverilog" "$yosys"; do
  if ! command -v "$tool" > /dev/null; then
    echo "lint.sh: $tool not found; install it, or name it in VERILATOR, IVERILOG or YOSYS" >&2
    exit 2
  fi
done

top=lockstep_dut
modules=(pmu_event_mux pmu_thread_events pmu_filter pmu_evtyper pmu_count_mode pmu_count_value
         pmu_event_counter pmu_cycle_counter pmu_control pmu_access_rules pmu_access
         pmu_event_counters spe_random spe_interval spe_collision spe_sampling pmu_access_spe
         spmu_access spmu_system_pmu spmu_registers "$top")
packages=(pmu_pkg.sv spe_pkg.sv spmu_pkg.sv)
files=("${packages[@]}" "${modules[@]/%/.sv}")

no_features="Chain=0 Pmuv3p1=0 El2=0 El3=0 Sel2=0 Rme=0 Sebep=0 Sme=0 Mt=0 Mtpmu=0 Fgt=0 Fgt2=0"
no_features+=" Pmuv3p9=0 Hpmn0=0 Vhe=0 Spe=0 Ernd=0 SpeExc=0 MaxInflight=0 Pmsidr=0 SystemPmus=0"
legal=(
  ""
  "Counters=0 SystemPmus=0"
  "Counters=1 Edge=0 Th2=0 Threads=1 SystemPmus=1"
  "Counters=3 ThWidth=4 EventWidth=4 EventCount=4 Threads=2 Layout2021=1 Access2021=1 SystemPmus=0"
  "Counters=6 ThWidth=4 Th2=0 Ernd=0 MaxInflight=255 SystemPmus=0"
  "Counters=8 CounterBits=32 ThWidth=0 Th=0 Edge=0 Th2=0 Threads=3 Mtpmu=0 SpeExc=0 SystemPmus=0"
  "Counters=2 EventWidth=1 EventCount=1 ThWidth=1 Threads=1 $no_features Tme=1 Pmmir=703710"
)
illegal=(
  "Counters=32" "CounterBits=48" "EventCount=0" "EventCount=65" "EventWidth=0" "EventWidth=17"
  "ThWidth=0" "ThWidth=13" "Edge=0" "Th=0" "Tme=2" "Pmmir=1048576" "El3=0" "El3=0 Sel2=0" "Mt=0"
  "Spe=0" "Spe=0 Ernd=0" "Layout2021=2" "Threads=0" "Threads=5" "MaxInflight=0" "MaxInflight=256"
  "SystemPmus=5"
)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# start CHECK...: judges something as soon as a core is free; what it says is told at the end, in this order
started=0
start() {
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
  started=$((started + 1))
  "$@" > "$scratch/$(printf 'told.%04d' "$started")" &
}

# check NAME COMMAND...: no output and exit code 0
check() {
  local name=$1 output code
  shift
  output=$("$@" 2>&1)
  code=$?
  # What 5.048 reports about itself; and Yosys builds small arrays from registers, as intended.
  output=$(grep -v -e '^- V' -e '^Warning: Replacing memory .* with list of registers' <<< "$output")
  if [[ $code -ne 0 || -n $output ]]; then
    printf 'FAIL %s (exit code %s)\n%s\n' "$name" "$code" "$output"
  else
    printf 'ok   %s\n' "$name"
  fi
}

# reject NAME COMMAND...: exit code not 0
reject() {
  local name=$1
  shift
  if "$@" &> /dev/null; then
    printf 'FAIL %s: an illegal parameter is accepted\n' "$name"
  else
    printf 'ok   %s is rejected\n' "$name"
  fi
}

run_verilator() {
  local parameters=() p
  for p in $1; do parameters+=("-G$p"); done
  "$verilator" --lint-only -Wall --top-module "$top" "${parameters[@]}" "${files[@]}"
}

# Compiles, and runs for time 0, where the parameter checks are
run_iverilog() {
  local parameters=() p
  for p in $1; do parameters+=("-P$top.$p"); done
  "$iverilog" -g2012 -Wall -s "$top" "${parameters[@]}" -o "$scratch/$BASHPID.vvp" "${files[@]}" &&
    "$scratch/$BASHPID.vvp"
}

run_yosys() {
  local parameters="" p
  for p in $1; do parameters+=" -chparam ${p/=/ }"; done
  "$yosys" -q -p "read_verilog -defer -sv ${files[*]}; hierarchy -check -top $top $parameters;
                  $2 check -assert"
}

run_alone() {
  # A module alone does not use every constant of the package.
  "$verilator" --lint-only -Wall -Wno-UNUSEDPARAM --top-module "$1" "${packages[@]}" -y . "$1.sv"
}

# run_example NAME TOP FLAGS...: no example uses every constant of its package.
run_example() {
  (cd "../examples/$1" && "$verilator" --lint-only -Wall -Wno-DECLFILENAME -Wno-UNUSEDPARAM \
    "${@:3}" --top-module "$2" -f dut.f)
}

# Gates take most of the time, and so come first. That they are few is not looked at.
for set in "${legal[@]}"; do
  # Those of 31 counters take half a minute: the default set stops before them.
  steps="synth -noabc -top $top;"
  if [[ -z $set ]]; then steps="synth -top $top -run begin:fine;"; fi
  start check "yosys ${set:-(default)}" run_yosys "$set" "$steps"
done

for set in "${legal[@]}"; do
  start check "verilator ${set:-(default)}" run_verilator "$set"
  start check "iverilog ${set:-(default)}" run_iverilog "$set"
done

for module in "${modules[@]}"; do
  start check "verilator $module alone" run_alone "$module"
done

start check "verilator examples/pipelined" run_example pipelined lockstep_dut
start check "verilator examples/apb" run_example apb lockstep_dut
# A netlist has the ports of its module, used or not.
start check "verilator examples/netlist" run_example netlist netlist_dut -Wno-UNUSEDSIGNAL

for set in "${illegal[@]}"; do
  start reject "verilator $set" run_verilator "$set"
  start reject "iverilog $set" run_iverilog "$set"
  start reject "yosys $set" run_yosys "$set" ""
done
wait

cat "$scratch"/told.*
failures=$(grep -c '^FAIL' <(cat "$scratch"/told.*))
if [[ $failures -ne 0 ]]; then
  echo "lint.sh: $failures findings"
  exit 1
fi
echo "lint.sh: clean"
