"""Planted bugs in copies of the RTL, for scripts."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATCHES = ROOT / "tests/planted"
# Where the designs with bugs are kept: they are many, and nobody's but the scripts'.
ENVIRONMENT = os.environ | {"LOCKSTEP_CACHE": str(ROOT / "target/kinds")}


def plant(patch, folder):
    """Copies the RTL into a folder of the bug's name, and applies its patch there."""
    rtl = folder / patch.stem
    shutil.copytree(ROOT / "rtl", rtl)
    command = ["patch", "--silent", "--strip=2", "--directory", rtl]
    subprocess.run(command, input=patch.read_bytes(), check=True)
    return rtl
