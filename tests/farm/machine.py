"""What a farm needs of this machine: packages, a user for jobs, free ports, and processes that end with it."""

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

# Jobs are those of a user who is nobody in particular: Grid Engine starts none of root's.
USER = "nobody"
# In the environment of every process of the farm, by which they are found again.
MARK = "LOCKSTEP_FARM"
# Whoever installs a daemon with this file in place is not left with one that runs.
POLICY = Path("/usr/sbin/policy-rc.d")
PR_SET_CHILD_SUBREAPER = 36


class Cannot(Exception):
    """Why a farm cannot run on this machine."""


class Failure(Exception):
    """What went wrong."""


def install(needed, answers=""):
    """Sees that programs are there: a package for each, which Debian's are installed of. `answers` are for debconf."""
    missing = sorted({package for program, package in needed.items() if shutil.which(program) is None})
    if os.geteuid() != 0:
        raise Cannot("daemons that start jobs of others need root")
    if not missing:
        return
    if not Path("/etc/debian_version").exists() or shutil.which("apt-get") is None:
        raise Cannot(f"{', '.join(missing)}: not found, and can be installed on Debian alone")
    print(f"installing {', '.join(missing)}", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}

    def do(*words, text=None):
        done = subprocess.run(words, input=text, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "nothing was said").splitlines()[-1]
            raise Cannot(f"{', '.join(missing)}: {words[0]} failed: {said}")

    own_policy = not POLICY.exists()
    try:
        if own_policy:
            POLICY.write_text("#!/bin/sh\nexit 101\n", encoding="ascii")
            POLICY.chmod(0o755)
        if answers:
            do("debconf-set-selections", text=answers)
        do("apt-get", "update", "-qq")
        do("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing)
    finally:
        if own_policy:
            POLICY.unlink(missing_ok=True)


def ports(count):
    """Ports that nobody listens at."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def wait(what, happened, seconds=60.0, pause=0.1):
    """Waits until `happened()` is true, and returns what it said."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        if time.monotonic() > end:
            raise Failure(f"waited {seconds:.0f} s for {what}")
        time.sleep(pause)
    return found


class Machine:
    """A scratch folder, and the processes that were started for it."""

    def __init__(self, folder):
        # What loses its parent becomes a child of this process, and is found when all is ended: daemons detach
        # themselves, and slurmstepd writes its title over its environment.
        if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise Failure("prctl(PR_SET_CHILD_SUBREAPER) failed")
        self.folder = Path(folder)
        self.folder.chmod(0o755)
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        for name in ("bin", "home", "tmp", "cache"):
            self.own(self.folder / name)
        self.daemons = []
        # What a user has, and nothing of who runs the test: variables of a scheduler above would name another shard.
        self.environment = {
            "PATH": f"{self.folder / 'bin'}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "LOCKSTEP_CACHE": str(self.folder / "cache"),
            "LANG": "C.UTF-8",
            MARK: str(self.folder),
        }

    def own(self, folder, user=USER):
        """A folder that belongs to a user."""
        folder.mkdir(parents=True, exist_ok=True)
        owner = pwd.getpwnam(user)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        return folder

    def run(self, *words, user=None, folder=None, code=0, text=None, environment=None):
        """A program and what it printed. `code` is what it must end with; None: anything."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=folder or self.folder,
            env=self.environment | (environment or {}),
            input=text,
            capture_output=True,
            text=True,
            check=False,
            **self.identity(user),
        )
        if code is not None and done.returncode != code:
            command = " ".join(map(str, words))
            said = f"{done.stdout}{done.stderr}"
            raise Failure(f"{command}: exit code {done.returncode}, expected {code}\n{said}")
        return done

    def start(self, name, *words, user=None, folder=None, environment=None):
        """A program that goes on, with its output in logs/NAME."""
        with open(self.logs / name, "ab") as log:
            return subprocess.Popen(
                [str(word) for word in words],
                cwd=folder or self.folder,
                env=self.environment | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self.identity(user),
            )

    def daemon(self, name, *words, user=None, environment=None):
        """A daemon, in the foreground."""
        self.daemons.append((name, self.start(name, *words, user=user, environment=environment)))

    def alive(self):
        """That every daemon runs."""
        for name, daemon in self.daemons:
            if daemon.poll() is not None:
                raise Failure(f"{name} ended with exit code {daemon.returncode}, see its log")

    @staticmethod
    def identity(user):
        """Arguments of subprocess for a process of a user."""
        if user is None:
            return {}
        owner = pwd.getpwnam(user)
        return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}

    def processes(self, *variables):
        """Processes of the farm that have all these variables, by their numbers."""
        wanted = {f"{MARK}={self.folder}".encode(), *(text.encode() for text in variables)}
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and wanted <= set((entry / "environ").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def last(self, *words, environment):
        """A program that asks daemons to end something, if they still listen."""
        if self.daemons:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                environment = self.environment | environment
                subprocess.run(words, env=environment, capture_output=True, check=False, timeout=10)

    @staticmethod
    def descendants():
        """Processes below this one that have not ended."""
        parents, ended = {}, set()
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit():
                    # Behind the name, which may hold anything.
                    state, parent = (entry / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[:2]
                    parents[int(entry.name)] = int(parent)
                    if state == "Z":
                        ended.add(int(entry.name))
        found = {os.getpid()}
        while below := {process for process, parent in parents.items() if parent in found} - found:
            found |= below
        return found - ended - {os.getpid()}

    def down(self):
        """Ends what runs.

        Returns the command lines of what was left when all that was asked to end had its time."""
        for _, daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.terminate()
        for _, daemon in self.daemons:
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(timeout=30)
        self.daemons.clear()
        left = []
        # What is killed may have started something meanwhile.
        for _ in range(100):
            processes = self.descendants()
            if not processes:
                break
            for process in processes:
                with contextlib.suppress(OSError):
                    command = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                    if command not in left:
                        left.append(command)
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.1)
        # Orphans that have ended; who started a process here waits for it no more.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        return left
