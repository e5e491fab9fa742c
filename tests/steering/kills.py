#!/usr/bin/env python3
"""Measures in how many cycles steered runs find planted bugs, and others.

    tests/steering/kills.py LOCKSTEP BUG,BUG… STEERED UNSTEERED [STEERED UNSTEERED…]

STEERED and UNSTEERED are --out of `lockstep regress --until-coverage 100` of one suite and base, without and with
--unsteered, in the folder that both commands ran in. The runs of each are run again, in their order, with each planted
bug in the RTL until one fails, for as many cycles as the shorter of the two has in all. A bug is the number that its
patch begins with.
"""

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from planted import ENVIRONMENT, PATCHES, plant  # noqa: E402


def runs(out):
    """Words and cycles of the runs of a folder of results."""
    lines = (out / "shard-1-of-1.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [(shlex.split(run["command"])[1:], run["compared"]["cycles"]) for run in records if run["line"] == "run"]


def killed(lockstep, of_runs, budget, rtl, scratch):
    """Cycles until a run fails; none if none does within the budget."""
    before = 0
    for words, cycles in of_runs:
        more = ["--rtl", rtl, "--no-shrink", "--json", "--out", scratch / "out"]
        done = subprocess.run([lockstep, *words, *more], env=ENVIRONMENT, capture_output=True, text=True, check=False)
        if done.returncode == 1:
            before += json.loads(done.stdout)["divergence"]["cycle"]
            return before if before <= budget else None
        if done.returncode != 0:
            sys.exit(f"{words}: exit code {done.returncode}\n{done.stderr}")
        before += cycles
        if before >= budget:
            break
    return None


def main():
    """A line for each bug."""
    lockstep = Path(sys.argv[1]).resolve()
    folders = [Path(word) for word in sys.argv[3:]]
    pairs = [[runs(out) for out in folders[at : at + 2]] for at in range(0, len(folders), 2)]
    budgets = [min(sum(cycles for _, cycles in of_runs) for of_runs in pair) for pair in pairs]
    print(f"budgets: {', '.join(map(str, budgets))} cycles")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for number in sys.argv[2].split(","):
            (patch,) = PATCHES.glob(f"{number}-*.patch")
            rtl = plant(patch, scratch)
            told = []
            for side in (0, 1):
                found = [
                    killed(lockstep, pair[side], budget, rtl, scratch) for pair, budget in zip(pairs, budgets, strict=True)
                ]
                # One that was not found took longer than its budget, which the median needs no more of.
                median = statistics.median_low([cycles or budget for cycles, budget in zip(found, budgets, strict=True)])
                told.append(f"{sum(cycles is not None for cycles in found)} of {len(found)}, median {median:>7}")
            print(f"{patch.stem:<36} steered {told[0]}   others {told[1]}", flush=True)


if __name__ == "__main__":
    main()
