#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Makes the netlists of this folder from rtl/pmu_count_value.sv, one for even and one for odd
# counters. Needs Yosys; the netlists that are here were made by Yosys 0.23.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

for odd in 0 1; do
  name=count_value_$([[ $odd == 0 ]] && echo even || echo odd)
  ${YOSYS:-yosys} -q -p "
    read_liberty -lib cells.lib
    read_verilog -sv ../../rtl/pmu_pkg.sv ../../rtl/pmu_count_value.sv
    chparam -set Odd $odd -set EventWidth 8 -set ThWidth 6 pmu_count_value
    hierarchy -top pmu_count_value
    rename -top $name
    synth -flatten -top $name
    dfflibmap -liberty cells.lib
    abc -liberty cells.lib
    splitnets -driver
    opt_clean -purge
    check -assert
    write_verilog -noattr -noexpr -nohex netlist.tmp"
  # One line for a cell instead of six
  awk '
    BEGIN { print "// Written by synthesize.sh." }
    /^ *\/\*/ { next }
    /^  [A-Z0-9]+ _?[^ ]* \($/ { cell = $0; next }
    cell != "" { sub(/^ */, ""); cell = cell $0 (/,$/ ? " " : ""); if (/;$/) { print cell; cell = "" } next }
    { print }' netlist.tmp > "$name.v"
  rm netlist.tmp
done
