#!/usr/bin/env python3
"""Measures whether failures of one bug are one kind of failures, and failures of different bugs different ones.

BUGS planted bugs, drawn by SEED, are designs of one suite with RUNS seeds each, drawn by SEED too. Kinds are compared
without the name of the design, as if one design had had all bugs in turn:

- purity: the share of failures that are of the bug that most failures of their kind are of;
- completeness: the share of failures that are of the kind that most failures of their bug are of.

Printed are both, and what lowers them; either below 0.95 is exit code 1. SEED is new each time, and printed. What the
runs came to is left in target/kinds/results.jsonl.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from planted import ENVIRONMENT, PATCHES, plant  # noqa: E402

LEAST = 0.95
# A bug that takes longer is not found by these runs, and says nothing of kinds.
CYCLES = 200_000


def kind(failure):
    """The kind of a failure, whatever the design."""
    signature = failure["signature"]
    return signature["verdict"], signature["what"], signature["class"]


def words(of_kind):
    """A kind in words."""
    _, what, of_class = of_kind
    return f"{what} ({of_class})" if of_class else what


def share(parts):
    """Which share of all is the most of its part."""
    total = sum(sum(part.values()) for part in parts.values())
    return sum(max(part.values()) for part in parts.values()) / total


def several(parts, one, many, said):
    """Prints the parts that have more than one thing in them."""
    for name, part in sorted(parts.items(), key=lambda item: said[0](item[0])):
        if len(part) > 1:
            print(f"  {one} {said[0](name)}: {len(part)} {many}")
            for other, count in part.most_common():
                print(f"    {count:>3} {said[1](other)}")


def main():
    """The suite, and what comes of it."""
    patches = sorted(PATCHES.glob("*.patch"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lockstep", type=Path, help="the program")
    parser.add_argument("--bugs", type=int, default=len(patches), help="how many of them; all by default")
    parser.add_argument("--runs", type=int, default=5, help="runs of each")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32, help="of the draw and of the runs")
    options = parser.parse_args()
    lockstep, runs, seed = options.lockstep.resolve(), options.runs, options.seed
    chosen = random.Random(seed).sample(patches, min(options.bugs, len(patches)))
    print(f"{len(chosen)} bugs, {runs} runs of each, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rtl = [plant(patch, folder).name for patch in chosen]
        suite = "name = 'kinds'\n" + "".join(f"[designs.{name}]\nrtl = ['{name}']\n" for name in rtl)
        suite += f"[[group]]\ndesigns = {json.dumps(rtl)}\ncycles = {CYCLES}\nseeds = {{ count = {runs}, base = '{seed}' }}\n"
        (folder / "suite.toml").write_text(suite, encoding="utf-8")
        command = [lockstep, "regress", "suite.toml", "--out", "out"]
        done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        if done.returncode != 1:
            sys.exit(f"exit code {done.returncode}, expected 1\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        text = (folder / "out/shard-1-of-1.jsonl").read_text(encoding="utf-8")
        (ROOT / "target/kinds/results.jsonl").write_text(text, encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    failures = [record for record in records if record["line"] == "run" and "failure" in record]
    of_bugs, of_kinds = defaultdict(Counter), defaultdict(Counter)
    for record in failures:
        bug, is_of = record["failure"]["signature"]["design"], kind(record["failure"])
        of_bugs[bug][is_of] += 1
        of_kinds[is_of][bug] += 1
    said = (str, words)
    several(of_bugs, "bug", "kinds", said)
    several(of_kinds, "kind", "bugs", said[::-1])
    purity, completeness = share(of_kinds), share(of_bugs)
    print(f"{len(failures)} failures of {len(of_bugs)} bugs are {len(of_kinds)} kinds")
    print(f"purity {purity:.3f}, completeness {completeness:.3f}")
    sys.exit(int(min(purity, completeness) < LEAST))


if __name__ == "__main__":
    main()
