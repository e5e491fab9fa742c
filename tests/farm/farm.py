#!/usr/bin/env python3
"""Runs the templates of ci/ on a Slurm and a Grid Engine of this machine, and compares what comes of them.

    tests/farm/farm.py LOCKSTEP [--form full|short] [--strict] [--only slurm|grid-engine]

One suite runs in one process, as four shards, and as an array of 16 tasks through ci/slurm.sh and ci/grid-engine.sh:
their reports must be the same but for times. Then tasks of an array of 64 are killed and pre-empted, and no run may be
lost or counted twice; a shard that is missing or cut must be told; and dvsim runs a design through its Slurm launcher.
`--form short` leaves out the last three.

As root on Debian it installs what is missing. Where a system cannot run, it says why and goes on; with --strict that is
a failure. Daemons, jobs and files are in a scratch folder and end with it; what they logged is kept in target/farm when
something failed.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True

import dvsim  # noqa: E402
import grid_engine  # noqa: E402
import slurm  # noqa: E402
from machine import USER, Cannot, Failure, Machine, wait  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "target/farm"
SYSTEMS = {"slurm": (slurm, slurm.Slurm), "grid-engine": (grid_engine, grid_engine.GridEngine)}
# From examples/: built once here, and carried as folders.
EXAMPLES = {"apb": False, "pipelined": False, "broken": True}
TASKS = 16
# Of the array that is disturbed: tasks, runs of each, and how many are killed and how many pre-empted.
MANY, EACH, KILLED, PREEMPTED = 64, 6, 5, 5
# The design with a bug makes tasks fail, and gives the report something to tell.
RUNS, FAILED = 200, 4

HEAD = """\
[limits]
wall_seconds = 600

[implementations]
threshold_only = "threshold_only.toml"
apb = "apb.toml"
pipelined = "pipelined.toml"

[designs]
apb = { dut = "../designs/apb" }
pipelined = { dut = "../designs/pipelined" }
broken = { dut = "../designs/broken" }
"""

SUITE = (
    'name = "farm"\n'
    + HEAD
    + """
[[group]]
implementations = ["default", "threshold_only"]
designs = ["bundled"]
seeds = { count = 48, base = "farm" }
cycles = 5000

[[group]]
implementations = ["apb"]
designs = ["apb"]
seeds = { count = 48, base = "farm" }
cycles = 5000

[[group]]
implementations = ["pipelined"]
designs = ["pipelined"]
seeds = { count = 48, base = "farm" }
cycles = 5000

[[group]]
implementations = ["pipelined"]
designs = ["broken"]
seeds = "1-4"
cycles = 5000

[[group]]
implementations = ["default"]
designs = ["bundled"]
seeds = "1-4"
cycles = 5000
coverage = true
"""
)

LONGER = (
    'name = "longer"\n'
    + HEAD
    + f"""
[[group]]
implementations = ["default"]
designs = ["bundled"]
seeds = {{ count = {MANY * EACH // 2}, base = "longer" }}
cycles = 120000

[[group]]
implementations = ["pipelined"]
designs = ["pipelined"]
seeds = {{ count = {MANY * EACH // 2}, base = "longer" }}
cycles = 240000
"""
)


class Row:
    """A line of the table."""

    def __init__(self, system, version, tasks):
        self.words = [system, version, tasks]
        self.start = time.monotonic()

    def end(self, result):
        """What came of it."""
        self.words += [f"{time.monotonic() - self.start:.1f} s", result]
        print("  {:<13} {:<12} {:>9} {:>9}  {}".format(*self.words), flush=True)


def summary(report):
    """A summary and a JUnit file without what depends on where and when runs ran."""
    found = json.loads((report / "summary.json").read_text(encoding="utf-8"))
    del found["times"]
    junit = (report / "junit.xml").read_text(encoding="utf-8")
    return found, re.sub(r' (time|timestamp|uuid)="[^"]*"', "", junit)


def same(report, expected, what, but=()):
    """That a report is the expected one, `but` for some keys of its summary."""
    found = summary(report)
    for key in but:
        found[0][key] = expected[0][key]
    if found == expected:
        return
    (new, old) = ((json.dumps(one[0], indent=1, sort_keys=True) + one[1]).splitlines() for one in (found, expected))
    differ = [f"{b!r}, found {a!r}" for a, b in zip(new, old) if a != b] or ["more lines"]
    raise Failure(f"{what}: another report than that of one process, first where that has {differ[0]}")


def records(path):
    """Names of the runs in a file of results."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [line["id"] for line in lines if line["line"] == "run"]


class Farm:
    """The suites, and what runs them."""

    def __init__(self, machine, lockstep):
        self.machine = machine
        self.lockstep = machine.folder / "bin/lockstep"
        shutil.copy2(lockstep, self.lockstep)
        # A name that a shell takes apart unless it is quoted.
        self.folder = machine.own(machine.folder / "a suite")
        self.designs = machine.own(machine.folder / "designs")
        self.templates = machine.folder / "templates"

    def prepare(self):
        """Builds the designs once, and writes the suites."""
        copies = self.machine.folder / "copies"
        # What was built is kept for the next time; this user's folder may be closed to those of jobs.
        kept = {"LOCKSTEP_CACHE": str(KEPT / "cache")}
        for name, has_bug in EXAMPLES.items():
            copy = copies / name
            shutil.copytree(ROOT / "examples", copy)
            example = copy / ("pipelined" if has_bug else name)
            if has_bug:
                bug = (example / "bug.patch").read_text(encoding="utf-8")
                self.machine.run("patch", "-s", "-p1", "-d", example, text=bug)
            else:
                shutil.copy(example / "implementation.toml", self.folder / f"{name}.toml")
            words = ["lockstep", "build", "--filelist", example / "dut.f", "-o", self.designs / name]
            self.machine.run(*words, environment=kept)
        # Nobody can build them again.
        shutil.rmtree(copies)
        shutil.copy(ROOT / "tests/implementations/threshold_only.toml", self.folder)
        (self.folder / "suite.toml").write_text(SUITE, encoding="utf-8")
        (self.folder / "longer.toml").write_text(LONGER, encoding="utf-8")
        systems = [word for name in SYSTEMS for word in ("--for", name)]
        self.machine.run("lockstep", "init-ci", self.templates, *systems)

    def regress(self, suite, out, code, *words):
        """A suite, or a part of it, on this machine."""
        command = ["lockstep", "regress", f"{suite}.toml", "--out", out, *words]
        return self.machine.run(*command, user=USER, folder=self.folder, code=code)

    def merge(self, out, code):
        """A report of results."""
        command = ["lockstep", "merge", out, "-o", f"{out}-merged"]
        return self.machine.run(*command, user=USER, folder=self.folder, code=code)

    def alone(self, suite, code, runs, failed):
        """A suite in one process: what all others are compared with."""
        row = Row("one process", "", "1")
        self.regress(suite, f"{suite}-alone", code)
        found = summary(self.folder / f"{suite}-alone/report")
        told = found[0]["runs"]
        if (told["ended"], told["failed"]) != (runs, failed):
            raise Failure(f"{suite}: expected {runs} runs, {failed} of which fail, found {told}")
        row.end(f"{runs} runs, {failed} of which fail")
        return found

    def shards(self, expected):
        """Four shards side by side on this machine."""
        row = Row("shards", "", "4")
        parts = [
            self.machine.start(
                f"shard-{index}",
                *("lockstep", "regress", "suite.toml", "--out", "four", "--shard", f"{index}/4", "--jobs", "1"),
                user=USER,
                folder=self.folder,
            )
            for index in range(1, 5)
        ]
        for part in parts:
            if part.wait() not in (0, 1):
                raise Failure(f"a shard ended with exit code {part.returncode}")
        self.merge("four", 1)
        same(self.folder / "four-merged", expected, "four shards")
        row.end("the same report")

    def submit(self, system, kind, suite, out, tasks):
        """A template, as a user starts it."""
        words = ["sh", self.templates / kind.TEMPLATE, f"{suite}.toml", self.folder / out, str(tasks)]
        log = f"{kind.TEMPLATE}-{out}"
        return self.machine.start(log, *words, user=USER, folder=self.folder, environment=system.environment)

    def ended(self, submitted, system, code):
        """The end of a template, which is that of its merge, and how many tasks ran at a time."""
        most = 0
        while submitted.poll() is None:
            self.machine.alive()
            most = max(most, len(system.running()))
            time.sleep(0.3)
        if submitted.returncode != code:
            raise Failure(f"the template ended with exit code {submitted.returncode}, expected {code}")
        return most

    def array(self, system, kind, expected):
        """The suite as an array of 16 tasks."""
        row = Row(kind.NAME, system.version, str(TASKS))
        out = f"suite-{kind.TEMPLATE}"
        most = self.ended(self.submit(system, kind, "suite", out, TASKS), system, 1)
        files = [self.folder / out / f"shard-{index}-of-{TASKS}.jsonl" for index in range(1, TASKS + 1)]
        missing = [path.name for path in files if not path.exists()]
        if missing:
            raise Failure(f"{kind.NAME}: no {', '.join(missing)}")
        if any(path.stat().st_size for path in self.folder.glob(f"{out}/shard-*/designs/*/*")):
            raise Failure(f"{kind.NAME}: a design was built by a task")
        if most < 2:
            raise Failure(f"{kind.NAME}: no two tasks ran at a time")
        same(self.folder / out / "report", expected, kind.NAME)
        row.end(f"the same report, {most} tasks at a time")

    def partial(self, out, task):
        """Runs of a task that goes on."""
        try:
            return len((self.folder / out / f"shard-{task}-of-{MANY}.jsonl.partial").read_bytes().splitlines()) - 1
        except OSError:
            return -1

    def disturbed(self, system, kind):
        """The longer suite as an array of 64 tasks, some of which are killed and some pre-empted."""
        expected = self.alone("longer", 0, MANY * EACH, 0)
        row = Row(kind.NAME, system.version, str(MANY))
        out = "longer-array"
        submitted = self.submit(system, kind, "longer", out, MANY)

        def victims():
            # Those that have begun, with as much before them as there is.
            done = {task: self.partial(out, task) for task in range(1, MANY + 1)}
            found = [task for task in done if 1 <= done[task] <= EACH - 2]
            return found if len(found) >= KILLED + PREEMPTED else None

        chosen = wait("ten tasks with runs behind them and before them", victims)
        killed, preempted = chosen[:KILLED], chosen[KILLED : KILLED + PREEMPTED]
        for task in killed:
            for process in self.machine.processes(f"SLURM_ARRAY_TASK_ID={task}"):
                if self.is_ours(process):
                    self.kill(process)
        array = system.array()
        for task in preempted:
            system.requeue(task, array)
        self.ended(submitted, system, 5)
        started = (self.machine.logs / f"{kind.TEMPLATE}-{out}").read_text(encoding="utf-8")
        told = self.log(f"slurm-{started.split()[-1]}.out")
        for task in killed:
            if f"shard {task} of {MANY} is not whole" not in told:
                raise Failure(f"task {task} was killed, and the merge does not name its shard:\n{told}")
        for task in preempted:
            log = self.log(f"slurm-{array}_{task}.out")
            for words in ("lockstep: interrupted; what has ended is in ", " are done already, and are kept"):
                if words not in log:
                    raise Failure(f"task {task} was pre-empted, and its log has no `{words.strip()}`:\n{log}")
        # The same again does what is left.
        self.ended(self.submit(system, kind, "longer", out, MANY), system, 0)
        # A run whose design got the signal before its task did was started again.
        same(self.folder / out / "report", expected, "the array that was disturbed", but=["retried"])
        runs = [run for path in sorted((self.folder / out).glob("shard-*.jsonl")) for run in records(path)]
        if len(runs) != MANY * EACH or len(set(runs)) != len(runs):
            raise Failure(f"expected {MANY * EACH} runs, found {len(runs)} with {len(set(runs))} names")
        row.end(f"the same report; {KILLED} tasks killed, {PREEMPTED} requeued, none lost or counted twice")
        return out

    def dvsim(self, system):
        """dvsim, whose jobs are those of Slurm.

        Returns why it could not run."""
        row = Row("dvsim", dvsim.VERSION, "")
        try:
            row.words[2] = str(dvsim.check(self.machine, system))
        except Cannot as why:
            return [f"dvsim: {why}"]
        row.end("its Slurm launcher ran them, and its results are those of the runs")
        return []

    def is_ours(self, process):
        """Whether it is a process of lockstep."""
        try:
            return os.readlink(f"/proc/{process}/exe") == str(self.lockstep)
        except OSError:
            return False

    @staticmethod
    def kill(process):
        """Ends a process as a node does that has no memory left."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

    def log(self, pattern):
        """What is in the files with a name like this."""
        return "".join(path.read_text(encoding="utf-8") for path in sorted(self.folder.glob(pattern)))

    def damaged(self, out):
        """A shard without its file, and one whose file was cut."""
        row = Row("merge", "", "2")
        for task, damage, words in ((7, None, "is missing"), (9, 0.5, "is not whole")):
            path = self.folder / out / f"shard-{task}-of-{MANY}.jsonl"
            whole = path.read_bytes()
            if damage is None:
                path.unlink()
            else:
                path.write_bytes(whole[: int(len(whole) * damage)])
            told = self.merge(out, 5).stdout
            if f"shard {task} of {MANY} {words}" not in told:
                raise Failure(f"expected `shard {task} of {MANY} {words}`, found:\n{told}")
            path.write_bytes(whole)
        self.merge(out, 0)
        row.end("a shard that is missing and one that was cut are told by their numbers")


def check(machine, args):
    """Everything, in turns.

    Returns why systems could not run."""
    print(f"  {'what':<13} {'version':<12} {'tasks':>9} {'time':>9}  result")
    farm = Farm(machine, args.lockstep)
    row = Row("lockstep build", "", str(len(EXAMPLES)))
    farm.prepare()
    row.end("designs that every task carries")
    expected = farm.alone("suite", 1, RUNS, FAILED)
    farm.shards(expected)
    cannot = []
    for name, (module, start) in SYSTEMS.items():
        if args.only not in (None, name):
            continue
        system = start(machine)
        try:
            system.up()
            farm.array(system, module, expected)
            if name == "slurm" and args.form == "full":
                farm.damaged(farm.disturbed(system, module))
                cannot += farm.dvsim(system)
        except Cannot as why:
            cannot.append(f"{module.NAME}: {why}")
            print(f"  {module.NAME:<13} cannot run here: {why}", flush=True)
        finally:
            system.down()
            left = machine.down()
        if left:
            raise Failure(f"{module.NAME} left processes: {'; '.join(left)}")
    return cannot


def no_logs(folder, names):
    """What is not kept: programs, and what is no file."""
    large = {"bin", "designs", "cache"}
    paths = {name: Path(folder, name) for name in names}
    return [name for name, path in paths.items() if name in large or not (path.is_file() or path.is_dir())]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("lockstep", type=Path)
    words.add_argument("--form", choices=("full", "short"), default="full", help="short: the arrays of 16 tasks alone")
    words.add_argument("--strict", action="store_true", help="where a system cannot run, fail")
    words.add_argument("--only", choices=tuple(SYSTEMS))
    args = words.parse_args()
    start = time.monotonic()

    def end(number, _):
        # The first one is enough.
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)
        raise Failure(f"ended by {signal.Signals(number).name}")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    if os.geteuid() != 0:
        return verdict(["needs root: daemons of farms start jobs of other users"], args, start)
    KEPT.mkdir(parents=True, exist_ok=True)
    logs = KEPT / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    # Paths of sockets are short.
    folder = Path(tempfile.mkdtemp(prefix="lockstep-farm-", dir="/tmp"))
    machine = Machine(folder)
    try:
        cannot = check(machine, args)
    except Exception as failure:
        if isinstance(failure, Failure):
            print(f"farm: {failure}", file=sys.stderr)
        else:
            traceback.print_exc()
        machine.down()
        shutil.copytree(folder, logs, symlinks=True, ignore=no_logs)
        print(f"farm: FAIL; logs in {logs}", file=sys.stderr)
        return 1
    finally:
        machine.down()
        shutil.rmtree(folder, ignore_errors=True)
    return verdict(cannot, args, start)


def verdict(cannot, args, start):
    """The last line, and the exit code."""
    for why in cannot:
        print(f"farm: SKIPPED {why}")
    if cannot and args.strict:
        print("farm: FAIL: --strict, and something was skipped")
        return 1
    print(f"farm: {'PASS but for what was skipped' if cannot else 'PASS'} ({time.monotonic() - start:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
