"""A Slurm on this machine alone: munged, slurmctld and two slurmd in a scratch folder."""

import os
import socket

from machine import USER, install, ports, wait

NAME = "Slurm"
TEMPLATE = "slurm.sh"
# More CPUs than there are, so that sixteen tasks of four run at a time.
CPUS = 32
# Seconds until a task that was requeued may start again: the credentials of its first start have to expire.
EXPIRE = 5

CONFIGURATION = """\
ClusterName=farm
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire={expire}
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
# No cgroups, which containers do not have.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=100000,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
JobRequeue=1
KillWait=30
ReturnToService=2
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{ports[1]}-{last}] CPUs={cpus}
PartitionName=farm Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def pair():
    """A port, and the first of two beside each other."""
    while True:
        one, two = ports(2)
        with socket.socket() as after:
            try:
                after.bind(("127.0.0.1", two + 1))
            except OSError:
                continue
        if one not in (two, two + 1):
            return one, two


class Slurm:
    """A Slurm, which runs between `up` and `down`."""

    def __init__(self, machine):
        self.machine = machine
        self.folder = machine.folder / "slurm"
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        self.version = ""

    def up(self):
        """Starts it.

        Raises `Cannot` where it is missing and cannot be installed."""
        machine, folder = self.machine, self.folder
        install({"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"})
        for name in ("state", "spool/n1", "spool/n2"):
            (folder / name).mkdir(parents=True)
        munge = machine.own(folder / "munge", "munge")
        key = munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        machine.run("chown", "munge:", key)
        chosen = pair()
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                folder=folder, host=socket.gethostname(), ports=chosen, last=chosen[1] + 1, cpus=CPUS, expire=EXPIRE
            ),
            encoding="utf-8",
        )
        machine.daemon(
            "munged",
            *("munged", "--foreground", f"--key-file={key}", f"--socket={munge}/socket", f"--pid-file={munge}/pid"),
            *(f"--log-file={munge}/log", f"--seed-file={munge}/seed"),
            user="munge",
        )
        wait("munged", (munge / "socket").exists)
        machine.daemon("slurmctld", "slurmctld", "-D", environment=self.environment)
        for node in ("n1", "n2"):
            machine.daemon(f"slurmd-{node}", "slurmd", "-D", "-N", node, environment=self.environment)
        wait("two nodes that are idle", self.is_ready)
        self.version = self.ask("sinfo", "--version").split()[-1]

    def ask(self, *words):
        """What a command prints, as a user has it; nothing if it fails."""
        return self.machine.run(*words, user=USER, environment=self.environment, code=None).stdout

    def is_ready(self):
        """Whether both nodes wait for work."""
        self.machine.alive()
        return self.ask("sinfo", "-h", "-N", "-o", "%T").split() == ["idle", "idle"]

    def running(self):
        """Numbers of the tasks of arrays that run."""
        words = self.ask("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%K").split()
        return [int(word) for word in words if word.isdigit()]

    def array(self):
        """The number of the array that is there."""
        jobs = (line.split() for line in self.ask("squeue", "-h", "-o", "%F %K").splitlines())
        return next(job for job, task in jobs if task != "N/A")

    def requeue(self, task, array):
        """Ends a task as pre-emption does, to be run again."""
        self.machine.run("scontrol", "requeue", f"{array}_{task}", environment=self.environment)

    def down(self):
        """Ends jobs; the machine ends the daemons."""
        self.machine.last("scancel", f"--user={USER}", "--signal=KILL", "--full", environment=self.environment)
