#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Fuzzes every reader of files, one after another, and tells how deep its corpus goes.

    fuzz/run.py [--runs N] [--seconds N] [--depth] [TARGET...]

For each target: executions and time, then, with --depth, the share of the regions of its reader's source that the
corpus reaches (LLVM's source-based coverage; needs llvm-profdata and llvm-cov of version 19 or later). Any compiler of
Rust does: no sanitizer is needed where no code is unsafe, and the flags that count coverage are stable ones. What is
found stays in fuzz/target/found; the exit code is 1 if something was, or if a corpus does not reach LEAST percent.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Percent of the regions of a reader that its corpus must reach.
LEAST = 90
# What the fuzzer needs of the compiler, as cargo-fuzz passes it.
FLAGS = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cdebug-assertions",
    "-Coverflow-checks",
]
# Target: longest input, folders of seeds beside its corpus, source of the reader.
TARGETS = {
    # Not block.rs: it has a version for each set of instructions, of which a machine runs one.
    "vcd": (512, ["tests/vcd/*/"], ["vcd/src/[!b]*.rs"]),
    "stimulus": (8192, [], ["bridge/stimulus/src/file.rs", "bridge/stimulus/src/reader.rs"]),
    "implementation": (4096, ["tests/implementations/"], [
        "bridge/implementation_file.rs", "model/src/implementation.rs", "model/src/spmu/problem.rs",
    ]),
    "profile": (4096, [], [f"bridge/stimulus/src/profile/{name}.rs" for name in ("mod", "areas", "weights")]),
    "waivers": (2048, [], ["bridge/engine/src/lockstep/waivers/file.rs", "bridge/base/src/glob.rs"]),
    "map": (4096, [], ["bridge/dumps/src/offline/map.rs"]),
    "vectors": (8192, [], [
        # Not what runs vectors on a design.
        f"bridge/conform/src/{name}.rs"
        for name in ("bench", "configuration", "cyc", "ety", "keys", "lib", "spe", "spmu", "th", "value")
    ]),
    "file_list": (1024, [], ["bridge/engine/src/dut/file_list/*.rs"]),
    "dump": (8192, [], [
        f"bridge/dumps/src/offline/{name}.rs" for name in ("check", "sampler", "wiring", "fields")
    ]),
}


def build(name, flags, optimization="3"):
    """Builds all targets with flags of the compiler; gives the folder of the programs."""
    target = os.path.join(HERE, "target", name)
    triple = re.search(r"^host: (.*)$", output(["rustc", "-vV"]), re.M).group(1)
    environment = dict(os.environ, CARGO_TARGET_DIR=target, CARGO_ENCODED_RUSTFLAGS="\x1f".join(flags),
                       CARGO_PROFILE_RELEASE_OPT_LEVEL=optimization)
    # With a target, the flags are not those of build scripts and macros.
    cargo = os.environ.get("CARGO", "cargo")
    package = ["--package", "pmu-lockstep-fuzz"]
    subprocess.run(
        [cargo, "build", "--quiet", "--release", *package, "--target", triple], cwd=HERE, env=environment, check=True,
    )
    return os.path.join(target, triple, "release")


def output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def seeds(target):
    folders = [os.path.join(HERE, "corpus", target)]
    for pattern in TARGETS[target][1]:
        folders += sorted(glob.glob(os.path.join(ROOT, pattern)))
    return folders


def fuzz(programs, target, arguments, scratch):
    """Runs a target; gives executions, or None if something was found."""
    found = os.path.join(HERE, "target", "found", target)
    os.makedirs(found, exist_ok=True)
    command = [
        os.path.join(programs, target), *arguments, f"-max_len={TARGETS[target][0]}",
        f"-artifact_prefix={found}/", "-print_final_stats=1", "-timeout=20", "-rss_limit_mb=4096", "-verbosity=0",
    ]
    dictionary = os.path.join(HERE, "dictionaries", f"{target}.dict")
    if os.path.exists(dictionary):
        command.append(f"-dict={dictionary}")
    corpus = os.path.join(HERE, "target", "corpus", target)
    os.makedirs(corpus, exist_ok=True)
    command += [corpus, *seeds(target)]
    start = time.monotonic()
    ran = subprocess.run(
        command, env=dict(os.environ, TMPDIR=scratch), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    )
    seconds = time.monotonic() - start
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", ran.stdout)
    if ran.returncode != 0 or executions is None:
        print(ran.stdout[-4000:], file=sys.stderr)
        print(f"{target:14}  FOUND something, exit code {ran.returncode}: see {found}")
        return None
    executions = int(executions.group(1))
    print(f"{target:14}  {executions:>10,} executions in {seconds:6.1f} s", flush=True)
    return executions


def tool(name):
    """The tool of LLVM with the highest version."""
    found = {0: shutil.which(name)}
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for path in glob.glob(os.path.join(folder, f"{name}-[0-9]*")):
            found[int(path.rsplit("-", 1)[1])] = path
    newest = found[max(found)]
    if newest is None:
        sys.exit(f"fuzz/run.py: {name} not found; install LLVM 19 or later (Debian 12: llvm-19)")
    return newest


def depth(programs, target, scratch):
    """Runs a corpus once; gives regions reached and all regions of the reader, and prints them by file."""
    folders = seeds(target)
    raw = os.path.join(scratch, f"{target}.profraw")
    data = os.path.join(scratch, f"{target}.profdata")
    program = os.path.join(programs, target)
    # The copy is needed since the fuzzer writes into the first folder.
    first = os.path.join(scratch, f"{target}.corpus")
    shutil.copytree(folders[0], first)
    subprocess.run(
        [program, "-runs=0", "-verbosity=0", f"-max_len={TARGETS[target][0]}", first, *folders[1:]],
        env=dict(os.environ, TMPDIR=scratch, LLVM_PROFILE_FILE=raw), check=True, stderr=subprocess.DEVNULL,
    )
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", raw, "-o", data], check=True)
    patterns = [os.path.join(ROOT, pattern) for pattern in TARGETS[target][2]]
    sources = sorted(path for pattern in patterns for path in glob.glob(pattern))
    report = json.loads(output(
        [tool("llvm-cov"), "export", "-summary-only", program, f"-instr-profile={data}", *sources]
    ))
    reached, all_regions = 0, 0
    lines = []
    for file in report["data"][0]["files"]:
        regions = file["summary"]["regions"]
        reached += regions["covered"]
        all_regions += regions["count"]
        name = os.path.relpath(file["filename"], ROOT)
        lines.append(f"    {name:40} {regions['covered']:>5} of {regions['count']:>5}")
    share = 100 * reached / max(all_regions, 1)
    print(f"{target:14}  {share:5.1f} % of the regions of its reader ({reached} of {all_regions})")
    print("\n".join(lines), flush=True)
    return share


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=0, help="executions of each target")
    parser.add_argument("--seconds", type=int, default=0, help="time of each target, instead of --runs")
    parser.add_argument("--depth", action="store_true", help="tell how much of each reader its corpus reaches")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all by default: " + " ".join(TARGETS))
    arguments = parser.parse_args()
    targets = arguments.targets or list(TARGETS)
    unknown = [target for target in targets if target not in TARGETS]
    if unknown:
        parser.error(f"unknown targets {' '.join(unknown)}; there are {' '.join(TARGETS)}")
    failed = False
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pmu-lockstep-fuzz-", dir=memory) as scratch:
        if arguments.runs or arguments.seconds:
            limit = f"-max_total_time={arguments.seconds}" if arguments.seconds else f"-runs={arguments.runs}"
            programs = build("fuzz", FLAGS)
            total = 0
            for target in targets:
                executions = fuzz(programs, target, [limit], scratch)
                failed |= executions is None
                total += executions or 0
            print(f"{'all':14}  {total:>10,} executions", flush=True)
        if arguments.depth:
            programs = build("depth", [*FLAGS, "-Cinstrument-coverage"], optimization="0")
            for target in targets:
                if depth(programs, target, scratch) < LEAST:
                    print(f"{target}: expected {LEAST} % or more; add seeds to fuzz/corpus/{target}", file=sys.stderr)
                    failed = True
    sys.exit(1 if failed else 0)


main()
