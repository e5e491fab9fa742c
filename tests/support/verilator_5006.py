"""Prints the VERILATOR_ROOT of Verilator 5.006, the oldest that is supported, as Debian 12 has it: DIR/verilator-5.006.

Fetches and unpacks the package if it is not there, without root, with nothing but Python's standard library:

    verilator_5006.py DIR

DEBIAN_MIRROR names another mirror than http://deb.debian.org/debian; what comes from it must have the pinned SHA-256.
Safe against other processes that do the same: a lock serializes them, and the folder appears when it is complete.
"""

import fcntl
import hashlib
import io
import os
import platform
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

PACKAGE = "pool/main/v/verilator/verilator_5.006-3_amd64.deb"
SHA256 = "97239c73375f4e3c6d5e04afd7afdcae133e1b25bf0d876f81af04f09961c6bf"
MIRROR = "http://deb.debian.org/debian"
FOLDER = "verilator-5.006"
# What lockstep needs of it; the rest is documentation and scripts.
NEEDED = ("./usr/bin/verilator_bin", "./usr/share/verilator/include/")


class Failure(Exception):
    """What was expected, what was found, and what to do."""


def fetch(mirror):
    """The package, which is the pinned one."""
    url = f"{mirror.rstrip('/')}/{PACKAGE}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            package = answer.read()
    except (OSError, ValueError) as error:
        raise Failure(
            f"expected a package at {url}, found: {error}: connect and run again, set DEBIAN_MIRROR to a mirror that has"
            " it, or set VERILATOR_ROOT to a Verilator 5.006 and run `cargo test` by hand"
        ) from error
    found = hashlib.sha256(package).hexdigest()
    if found != SHA256:
        raise Failure(f"expected {url} with SHA-256 {SHA256}, found {found}: set DEBIAN_MIRROR to another mirror")
    return package


def member(package, start):
    """The member of an `ar` archive whose name begins with `start`."""
    at = len(b"!<arch>\n")
    while at + 60 <= len(package):
        header = package[at : at + 60]
        name, size = header[:16].decode().strip(), int(header[48:58])
        if name.startswith(start):
            return package[at + 60 : at + 60 + size]
        # Members begin at even places.
        at += 60 + size + size % 2
    raise Failure(f"expected {start}* in the package, found none: report this, with the version of Python")


def install(tools):
    """The VERILATOR_ROOT below `tools`, after installing it if it is not there."""
    folder = tools / FOLDER
    root = folder / "usr/share/verilator"
    tools.mkdir(parents=True, exist_ok=True)
    with open(tools / f".{FOLDER}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            if (sys.platform, platform.machine()) != ("linux", "x86_64"):
                raise Failure(
                    f"expected x86_64 Linux for Debian's package of Verilator 5.006, found {platform.machine()}"
                    f" {sys.platform}: set VERILATOR_ROOT to a Verilator 5.006 and run `cargo test` by hand"
                )
            print(f"installing Verilator 5.006 of Debian 12 into {folder}", file=sys.stderr)
            data = io.BytesIO(member(fetch(os.environ.get("DEBIAN_MIRROR") or MIRROR), "data.tar"))
            with tempfile.TemporaryDirectory(dir=tools, prefix=".installing-") as draft:
                whole = Path(draft) / FOLDER
                with tarfile.open(fileobj=data) as archive:
                    # Later Pythons want to be told what is trusted.
                    archive.extraction_filter = getattr(tarfile, "data_filter", None)
                    archive.extractall(whole, [entry for entry in archive if entry.name.startswith(NEEDED)])
                whole.rename(folder)
    for file in (root / "include/verilated.cpp", folder / "usr/bin/verilator_bin"):
        if not file.is_file():
            raise Failure(f"expected {file}, found none: remove {folder} and run again")
    return root.resolve()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: verilator_5006.py DIR")
    try:
        print(install(Path(sys.argv[1])))
    except (Failure, OSError) as error:
        sys.exit(f"verilator_5006.py: {error}")


main()
