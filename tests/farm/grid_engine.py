"""A Grid Engine on this machine alone: sge_qmaster and sge_execd in a scratch folder."""

import os
import re
import socket
from pathlib import Path

from machine import USER, install, ports, wait

NAME = "Grid Engine"
TEMPLATE = "grid-engine.sh"
# More than there are cores, so that sixteen tasks of four run at a time.
SLOTS = 64
LIBRARY = Path("/usr/lib/gridengine")
SHARED = Path("/usr/share/gridengine")
ADMIN = "sgeadmin"
PACKAGES = {"sge_qmaster": "gridengine-master", "sge_execd": "gridengine-exec", "qsub": "gridengine-client"}
SOON = {"schedule_interval": "0:0:1", "flush_submit_sec": 1, "flush_finish_sec": 1, "job_load_adjustments": "NONE"}
# A cell of the package's own would have daemons of the machine.
ANSWERS = "gridengine-common shared/gridengineconfig boolean false\n"

BOOTSTRAP = """\
admin_user              {admin}
default_domain          none
ignore_fqdn             true
spooling_method         berkeleydb
spooling_lib            libspoolb
spooling_params         {folder}/spool/database
binary_path             /usr/sbin
qmaster_spool_dir       {folder}/spool/qmaster
security_mode           none
listener_threads        2
worker_threads          2
scheduler_threads       1
"""

# Every key must be there.
QUEUE = (
    "qname all.q;hostlist {host};seq_no 0;load_thresholds NONE;suspend_thresholds NONE;nsuspend 1;"
    "suspend_interval 00:05:00;priority 0;min_cpu_interval 00:05:00;processors UNDEFINED;qtype BATCH INTERACTIVE;"
    "ckpt_list NONE;pe_list smp;rerun FALSE;slots {slots};tmpdir {tmp};shell /bin/sh;prolog NONE;epilog NONE;"
    "shell_start_mode posix_compliant;starter_method NONE;suspend_method NONE;resume_method NONE;"
    "terminate_method NONE;notify 00:00:60;owner_list NONE;user_lists NONE;xuser_lists NONE;subordinate_list NONE;"
    "complex_values NONE;projects NONE;xprojects NONE;calendar NONE;initial_state default;"
) + "".join(
    f"{kind}_{limit} INFINITY;"
    for limit in ("rt", "cpu", "fsize", "data", "stack", "core", "rss", "vmem")
    for kind in ("s", "h")
)


def changed(text, values):
    """A configuration with other values of some keys."""
    for key, value in values.items():
        text = re.sub(rf"^{key}\s.*$", f"{key} {value}", text, flags=re.MULTILINE)
    return text


class GridEngine:
    """A Grid Engine, which runs between `up` and `down`."""

    def __init__(self, machine):
        self.machine = machine
        self.folder = machine.folder / "grid-engine"
        self.environment = {}
        self.host = self.version = ""

    def up(self):
        """Starts it.

        Raises `Cannot` where it is missing and cannot be installed."""
        machine, folder = self.machine, self.folder
        # bsd-mailx and a mail server are not needed, but are what the package depends on.
        install(PACKAGES, ANSWERS)
        cell = folder / "farm/common"
        for path in (cell, *(folder / "spool" / name for name in ("qmaster/job_scripts", "execd", "database"))):
            path.mkdir(parents=True)
        for name in ("bin", "lib", "utilbin", "util"):
            (folder / name).symlink_to(Path("/var/lib/gridengine") / name)
        # The name that the address of a client resolves to must be the one it calls itself, or it is denied. Where
        # /etc/hosts has both for one address, the file of aliases makes them one.
        host = socket.gethostname()
        try:
            self.host = socket.gethostbyaddr(socket.gethostbyname(host))[0]
        except OSError:
            self.host = host
        (cell / "act_qmaster").write_text(f"{self.host}\n", encoding="ascii")
        if self.host != host:
            (cell / "host_aliases").write_text(f"{self.host} {host}\n", encoding="ascii")
        (cell / "bootstrap").write_text(BOOTSTRAP.format(folder=folder, admin=ADMIN), encoding="ascii")
        master, execution = ports(2)
        self.environment = {
            "SGE_ROOT": str(folder),
            "SGE_CELL": "farm",
            "SGE_QMASTER_PORT": str(master),
            "SGE_EXECD_PORT": str(execution),
        }
        defaults = (SHARED / "default-configuration").read_text(encoding="utf-8")
        # Groups mark the processes of a job, and those of another Grid Engine must not be ours.
        group = 1_000_000 + os.getpid() % 10_000 * 1000
        self.write(
            "configuration",
            changed(
                defaults,
                {
                    "execd_spool_dir": folder / "spool/execd",
                    "mailer": "/bin/true",
                    "load_report_time": "00:00:02",
                    "gid_range": f"{group}-{group + 999}",
                },
            ),
        )
        machine.run("chown", "-R", f"{ADMIN}:", folder)
        self.spool(LIBRARY / "spoolinit", "berkeleydb", "libspoolb", folder / "spool/database", "init")
        for words in (
            ("configuration", folder / "configuration"),
            ("complexes", SHARED / "util/resources/centry"),
            ("usersets", SHARED / "util/resources/usersets"),
            ("managers", "root", ADMIN),
        ):
            self.spool(LIBRARY / "spooldefaults", *words)
        foreground = self.environment | {"SGE_ND": "1"}
        machine.daemon("sge_qmaster", "sge_qmaster", environment=foreground)
        wait("sge_qmaster", self.is_listening)
        self.ask("qconf", "-as", self.host)
        self.ask("qconf", "-Ap", SHARED / "util/resources/pe/smp")
        queue = QUEUE.format(host=self.host, slots=SLOTS, tmp=machine.folder / "tmp")
        self.ask("qconf", "-Aq", self.write("queue", queue.replace(";", "\n")))
        # Jobs are looked at when they come and go, not every 15 seconds.
        self.ask("qconf", "-Msconf", self.write("scheduler", changed(self.ask("qconf", "-ssconf"), SOON)))
        machine.daemon("sge_execd", "sge_execd", environment=foreground)
        wait("a queue that takes jobs", self.is_ready)
        self.version = self.ask("qstat", "-help").splitlines()[0].split()[-1]

    def write(self, name, text):
        """A file for a command."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def spool(self, *words):
        """A command that writes the database."""
        self.machine.run(*words, user=ADMIN, environment=self.environment)

    def ask(self, *words, code=0):
        """What a command of the administrator prints."""
        return self.machine.run(*words, environment=self.environment, code=code).stdout

    def is_listening(self):
        """Whether the master answers."""
        self.machine.alive()
        return self.ask("qconf", "-ss", code=None) or self.ask("qconf", "-sh", code=None)

    def is_ready(self):
        """Whether the queue has told its load, and is in no state of trouble."""
        self.machine.alive()
        lines = [line.split() for line in self.ask("qstat", "-f", code=None).splitlines() if line.startswith("all.q@")]
        return lines and all(len(line) == 5 and line[4].startswith("lx") for line in lines)

    def running(self):
        """Numbers of the tasks of arrays that run."""
        lines = [line.split() for line in self.ask("qstat", "-s", "r", "-u", USER, code=None).splitlines()]
        return [int(line[-1]) for line in lines if len(line) == 10 and line[-1].isdigit()]

    def down(self):
        """Ends jobs; the machine ends the daemons."""
        self.machine.last("qdel", "-f", "-u", USER, environment=self.environment)
