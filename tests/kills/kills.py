#!/usr/bin/env python3
"""Kills commands at random moments, and looks at what they leave.

    tests/kills/kills.py LOCKSTEP [KILLS] [SEED]

Each of run --record, replay, build, shrink and model is started and, at a random moment, gets SIGINT, SIGTERM, SIGHUP or
SIGKILL. Afterwards no process of it runs, no file under a final name is half-written, and the next command works and
leaves neither temporary files nor anything in the cache that an undisturbed build does not.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/apb"
IMPLEMENTATION = EXAMPLE / "implementation.toml"


def environment(folder):
    """That of every command, by which its processes are found."""
    return os.environ | {
        "LOCKSTEP_CACHE": str(folder / "cache"),
        "TMPDIR": str(folder / "tmp"),
    }


def running(folder):
    """Processes with that environment."""
    mark = f"TMPDIR={folder / 'tmp'}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass
    return found


def run(lockstep, folder, words, expected):
    """A command that is let."""
    done = subprocess.run(
        [lockstep, *words], cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    if done.returncode != expected:
        sys.exit(f"{words}: exit code {done.returncode}, expected {expected}\n{done.stdout}{done.stderr}")


def kill(lockstep, folder, words, number, after):
    """Starts a command, and ends it with a signal after so many seconds. Its exit code, or less than 0 for a signal."""
    with open(folder / "said", "w", encoding="utf-8") as said:
        process = subprocess.Popen(
            [lockstep, *words], cwd=folder, env=environment(folder), stdout=said, stderr=subprocess.STDOUT
        )
        time.sleep(after)
        process.send_signal(number)
        start = time.monotonic()
        code = process.wait(timeout=60)
    return code, time.monotonic() - start


def names(folder):
    """Every file below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def leftovers(folder):
    """Names that only something unfinished has."""
    marks = (".part", ".building", ".tmp", ".installing")
    below = [folder / "cache", folder]
    found = {str(path) for place in below for path in place.rglob("*") if any(mark in path.name for mark in marks)}
    return sorted(found) + [str(path) for path in (folder / "tmp").iterdir()]


def check(condition, words, what, folder):
    if not condition:
        said = (folder / "said").read_text(encoding="utf-8")
        sys.exit(f"after {words}: {what}\n{said}")


def main():
    lockstep = str(Path(sys.argv[1]).resolve())
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    print(f"{kills} kills, seed {seed}")
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        dut = ["--filelist", str(EXAMPLE / "dut.f")]
        built = ["--dut", "dut", "--implementation", str(IMPLEMENTATION)]
        run(lockstep, folder, ["build", *dut, "-o", "dut"], 0)
        run(lockstep, folder, ["run", *built, "--cycles", "300000", "--record", "whole.stim"], 0)
        patched = folder / "broken"
        subprocess.run(["cp", "-r", str(ROOT / "rtl"), str(patched)], check=True)
        patch = ROOT / "tests/planted/13-link-to-base-value.patch"
        with open(patch, encoding="utf-8") as text:
            subprocess.run(["patch", "-s", "-p2", "-d", str(patched)], stdin=text, check=True)
        run(lockstep, folder, ["run", "--rtl", "broken", "--record", "bug.stim", "--cycles", "3000"], 1)
        clean = names(folder / "cache")
        commands = {
            "run": (["run", *built, "--cycles", "3000000", "--record", "a.stim", "--out", "o1"], 1.5),
            "replay": (["replay", "whole.stim", "--dut", "dut", "--out", "o2"], 0.6),
            "build": (["build", *dut, "--define", "KILLED", "-o", "again"], 12.0),
            "shrink": (["shrink", "bug.stim", "--rtl", "broken", "--out", "o3"], 1.5),
            "model": (["model", "--cycles", "400000", "--trace", "trace.vcd"], 1.0),
        }
        answered = []
        for count in range(kills):
            which = list(commands)[count % len(commands)]
            words, length = commands[which]
            number = dice.choice(SIGNALS)
            for path in ("a.stim", "trace.vcd"):
                (folder / path).unlink(missing_ok=True)
            subprocess.run(["rm", "-rf", str(folder / "again")], check=True)
            code, took = kill(lockstep, folder, words, number, dice.uniform(0, length))
            what = f"{number.name} at {which}"
            limit = time.monotonic() + 3
            while running(folder) and time.monotonic() < limit:
                time.sleep(0.01)
            check(not running(folder), words, f"{what}: still running: {running(folder)}", folder)
            good = {0, 1, 130} | ({-signal.SIGKILL} if number == signal.SIGKILL else set())
            # Before it listens, a signal ends it as any program.
            good |= {-number}
            check(code in good, words, f"{what}: exit code {code}", folder)
            if number != signal.SIGKILL and code == 130:
                answered.append(took)
            if (folder / "a.stim").exists():
                run(lockstep, folder, ["replay", "a.stim", "--dut", "dut", "--cycles", "1000"][:4], 0)
            if (folder / "again").exists():
                run(lockstep, folder, ["run", "--dut", "again", *built[2:], "--cycles", "1000"], 0)
            run(lockstep, folder, ["run", *built, "--cycles", "1000", "--out", "o4"], 0)
            if which == "build":
                run(lockstep, folder, ["build", *dut, "-o", "dut"], 0)
            left = leftovers(folder)
            check(not left, words, f"{what}: left {left}", folder)
            if count % 20 == 19:
                print(f"  {count + 1} kills", flush=True)
        more = [name for name in names(folder / "cache") if name not in clean]
        run(lockstep, folder, ["build", *dut, "--define", "KILLED", "-o", "again"], 0)
        whole = [name for name in names(folder / "cache") if name not in clean]
        check(set(more) <= set(whole), "all", f"in the cache, and not of a build: {sorted(set(more) - set(whole))}", folder)
        answered.sort()
        print(f"nothing left, nothing half-written; answered within {answered[-1]:.2f} s, median {answered[len(answered) // 2]:.2f} s")


if __name__ == "__main__":
    main()
