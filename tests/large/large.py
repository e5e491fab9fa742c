#!/usr/bin/env python3
"""Runs every command on a large VCD, and looks at the memory that each needs.

    tests/large/large.py LOCKSTEP [GIGABYTES]

The bench of `lockstep new-bench` dumps the bundled RTL with Verilator until the dump has so many gigabytes (2). Then
every command of `lockstep vcd` reads it. The exit code is 1 if one fails, or needs more than MOST megabytes. Files are
in a scratch folder beside the program, and end with this. VERILATOR names Verilator's program, and VERILATOR_ROOT its
folder.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Megabytes that a command may need.
MOST = 64
# Cycles of a first dump, from whose size the number of the large one follows.
FIRST = 2000


def make(folder, lockstep, cycles):
    """Dumps so many cycles; gives the bytes."""
    subprocess.run(
        ["make", "-s", "verilator", f"CYCLES={cycles}", f"LOCKSTEP={lockstep}", f"VERILATOR={os.environ['VERILATOR']}",
         # A Verilator of another compiler than this one.
         "VERILATOR_FLAGS=-CFLAGS -std=c++20 -CFLAGS -fcoroutines -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include"],
        cwd=folder, check=True, stdout=subprocess.DEVNULL,
    )
    return os.path.getsize(os.path.join(folder, "dump.vcd"))


def measure(folder, lockstep, arguments):
    """Runs a command; gives its exit code, seconds and the most megabytes that it had."""
    start = time.monotonic()
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen([lockstep, "vcd", *arguments], cwd=folder, stdout=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, time.monotonic() - start, usage.ru_maxrss / 1024


def main():
    lockstep = os.path.abspath(sys.argv[1])
    gigabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 2
    folder = tempfile.mkdtemp(prefix="large-", dir=os.path.dirname(lockstep))
    try:
        rtl = sorted(glob.glob(os.path.join(ROOT, "rtl/*.sv")), key=lambda name: (not name.endswith("_pkg.sv"), name))
        with open(os.path.join(folder, "dut.f"), "w", encoding="utf-8") as files:
            files.write("\n".join(rtl) + "\n")
        subprocess.run([lockstep, "new-bench", "."], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        cycles = int(gigabytes * 1e9 / make(folder, lockstep, FIRST) * FIRST * 1.01)
        size = make(folder, lockstep, cycles)
        print(f"{cycles:,} cycles, {size / 1e9:.2f} GB")
        os.link(os.path.join(folder, "dump.vcd"), os.path.join(folder, "same.vcd"))
        facts = json.loads(subprocess.run([lockstep, "vcd", "info", "dump.vcd", "--json"], cwd=folder, check=True,
                                          stdout=subprocess.PIPE).stdout)
        cycle, late = (str(int(0.95 * end)) for end in (cycles, facts["ticks"][1]))
        show = ["show", "dump.vcd", "--signals", "**"]
        commands = [
            ["info", "dump.vcd"],
            ["info", "dump.vcd", "--signals", "--json"],
            [*show, "--cycle", cycle],
            [*show, "--at", late, "--changes"],
            [*show, "--at", late, "--changes", "--window", "100", "--csv"],
            ["show", "dump.vcd", "--signals", "lockstep_bench.*", "--at", late, "--window", "10000"],
            ["find", "dump.vcd", "$changed(cycle_output)", "--count"],
            ["stats", "dump.vcd"],
            ["cut", "dump.vcd", "--from", late, "-o", "part.vcd"],
            ["cut", "dump.vcd", "-o", "-"],
            ["cut", "dump.vcd", "-o", "whole.fst"],
            ["diff", "dump.vcd", "same.vcd"],
            ["map", "dump.vcd"],
            ["check", "dump.vcd", "--map", "map.toml"],
        ]
        failed = False
        for arguments in commands:
            code, seconds, megabytes = measure(folder, lockstep, arguments)
            bad = code != 0 or megabytes > MOST
            failed |= bad
            print(f"{megabytes:6.1f} MB  {seconds:6.2f} s  exit {code}  vcd {' '.join(arguments)}{'  <--' if bad else ''}",
                  flush=True)
        return int(failed)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
