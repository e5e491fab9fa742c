"""dvsim with its Slurm launcher: the configuration of ci/dvsim on a design as it is, and with a bug."""

import json
import shutil
from pathlib import Path

from machine import USER, Cannot, Failure

ROOT = Path(__file__).resolve().parents[2]
VERSION = "1.57.0"
EXAMPLE = ROOT / "examples/pipelined"
# Runs of its test.
RUNS = 4
# What its launcher asks of Slurm: one processor, and all memory of a node, which says nothing of how much it has.
ASKED = {
    "DVSIM_LAUNCHER": "slurm",
    "SLURM_QUEUE": "farm",
    "SLURM_MEM": "0",
    "SLURM_MINCPUS": "1",
    "SLURM_CPUS_PER_TASK": "1",
    "SLURM_TIMEOUT": "10",
}


def installed(machine):
    """Variables by which dvsim is found, which is fetched from PyPI.

    Raises `Cannot` where that fails."""
    folder = machine.folder / "dvsim-package"
    words = ["python3", "-m", "pip", "install", "--quiet", "--target", folder, f"dvsim=={VERSION}"]
    done = machine.run(*words, code=None)
    if done.returncode != 0:
        raise Cannot(f"pip cannot install it: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return {"PYTHONPATH": str(folder)}


def checkout(machine, name):
    """A git checkout with the design and the configuration."""
    folder = machine.folder / name
    shutil.copytree(EXAMPLE, folder / "rtl")
    shutil.copy(ROOT / "examples/lockstep_pkg.sv", folder)
    shutil.copytree(ROOT / "ci/dvsim", folder / "dvsim")
    machine.run("chown", "-R", f"{USER}:", folder)
    machine.run("git", "init", "--quiet", folder, user=USER)
    who = ["-c", "user.name=farm", "-c", "user.email=farm@localhost"]
    machine.run("git", "-C", folder, "add", ".", user=USER)
    machine.run("git", "-C", folder, *who, "commit", "--quiet", "-m", "design", user=USER)
    return folder


def results(machine, folder, environment, code):
    """What dvsim writes of the runs."""
    words = ["dvsim/lockstep.hjson", "--proj-root", folder, "-i", "smoke", "--reseed", str(RUNS)]
    python = ["python3", "-c", "import sys; from dvsim.cli import main; sys.exit(main())"]
    machine.run(*python, *words, user=USER, folder=folder, environment=environment | ASKED, code=code)
    (found,) = folder.glob("scratch/*/reports/pmu.json")
    return json.loads(found.read_text(encoding="utf-8"))


def check(machine, slurm):
    """Runs it, and reads what it shows.

    Returns the number of jobs that Slurm ran."""
    environment = installed(machine) | slurm.environment
    folder = checkout(machine, "dvsim-checkout")
    found = results(machine, folder, environment, 0)
    if (found["passed"], found["total"]) != (RUNS, RUNS):
        raise Failure(f"dvsim: expected {RUNS} runs that pass, found {found}")
    bug = (EXAMPLE / "bug.patch").read_text(encoding="utf-8")
    machine.run("patch", "-s", "-p1", "-d", folder / "rtl", text=bug, user=USER)
    found = results(machine, folder, environment, 1)
    failed = [job for jobs in found["failed_jobs"]["buckets"].values() for job in jobs]
    told = ["DIVERGENCE" in "".join(job["log_context"]) for job in failed]
    if (found["passed"], len(failed), all(told)) != (0, RUNS, True):
        raise Failure(f"dvsim: expected {RUNS} runs that fail with DIVERGENCE, found {found}")
    # Two designs are built, and each is run.
    jobs = slurm.ask("squeue", "-h", "-t", "all", "-o", "%j").split().count("bash")
    if jobs != 2 * (RUNS + 1):
        raise Failure(f"dvsim: expected {2 * (RUNS + 1)} jobs of Slurm, found {jobs}")
    return jobs
