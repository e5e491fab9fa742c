#!/usr/bin/env python3
"""Measures what `lockstep regress` costs, and what a second job brings, as ratios within one run.

A suite of runs of 10^6 cycles is run with one job on one core, and with two jobs on two; in turns with them, the same
number of `lockstep run` with nothing around them, one after another on one core, and two at a time on one core each.
What two of those bring is what the machine can give, which on many is less than twice: cores share caches, power, and
often their units. Printed is the median of the rounds, and the least and the most.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

SUITE = "name = 'jobs'\n[[group]]\ncycles = {cycles}\nseeds = {{ count = {runs}, base = 'jobs' }}\n"


def start(command, cores, folder):
    """Starts a command on some cores, without its words."""
    return subprocess.Popen(
        list(map(str, command)), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )


def timed(started):
    """Seconds until all of the commands that `started` starts have ended."""
    before = time.perf_counter()
    for process in started():
        if process.wait() != 0:
            raise SystemExit(f"{process.args}: exit code {process.returncode}, expected 0")
    return time.perf_counter() - before


def main():
    """The rounds, and a line for each ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lockstep", type=Path, help="the program")
    parser.add_argument("--cycles", type=int, default=1_000_000, help="cycles of a run")
    parser.add_argument("--runs", type=int, default=8, help="runs of a suite")
    parser.add_argument("--rounds", type=int, default=7, help="rounds")
    options = parser.parse_args()
    lockstep = options.lockstep.resolve()
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SystemExit("expected two cores, found one: nothing to compare")
    told = {"machine": [], "two jobs": [], "harness": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = folder / "suite.toml"
        suite.write_text(SUITE.format(cycles=options.cycles, runs=options.runs), encoding="utf-8")

        def regress(jobs):
            """Seconds of the suite, and its runs."""
            out = folder / f"out-{time.time_ns()}"
            command = [lockstep, "regress", suite, "--out", out, "--jobs", jobs]
            took = timed(lambda: [start(command, set(cores[:jobs]), folder)])
            lines = (out / "shard-1-of-1.jsonl").read_text(encoding="utf-8").splitlines()
            return took, [record for record in map(json.loads, lines) if record["line"] == "run"]

        def bare(jobs):
            """Seconds of the same runs, one after another on each core."""
            words = [f"{shlex.quote(str(lockstep))} run --seed {seed} --cycles {options.cycles}" for seed in seeds]
            commands = [["sh", "-c", " && ".join(words[at::jobs])] for at in range(jobs)]
            return timed(lambda: [start(command, {core}, folder) for command, core in zip(commands, cores)])

        _, records = regress(2)  # The design is built here.
        seeds = [record["seed"] for record in records]
        for _ in range(options.rounds):
            one, two = bare(1), bare(2)
            one_job, records = regress(1)
            two_jobs, _ = regress(2)
            own = sum(record["time"]["process"] for record in records)
            told["machine"].append(one / two)
            told["two jobs"].append(one_job / two_jobs)
            told["harness"].append(one_job / own - 1)
    print(f"{options.runs} runs of {options.cycles} cycles, {options.rounds} rounds: median (least to most)")
    for name, words, of, unit in (
        ("machine", "two runs at a time, of the rate of one", 1, ""),
        ("two jobs", "two jobs, of the rate of one", 1, ""),
        ("harness", "around the runs, of their own time", 100, " %"),
    ):
        values = [value * of for value in told[name]]
        print(f"  {words:<40} {statistics.median(values):.2f}{unit} ({min(values):.2f} to {max(values):.2f})")


if __name__ == "__main__":
    main()
