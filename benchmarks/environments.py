"""Environments of their own for what benchmarks compare with or run, so that none of it is a dependency."""

import os
import subprocess
import sys
import venv
from pathlib import Path


class EnvironmentMissing(Exception):
    """The environment could not be made."""


def environment(folder: Path, requirements: Path, *, complete: bool = False) -> Path:
    """The interpreter of an environment in ``folder`` with what ``requirements`` names, made where needed.

    ``complete`` says that nothing beside these is to be installed.

    Raises:
        EnvironmentMissing: the packages cannot be had.
    """
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made = folder / "complete"
    wanted = requirements.read_text(encoding="utf-8")
    if made.is_file() and made.read_text(encoding="utf-8") == wanted:
        return python
    venv.create(folder, with_pip=True, clear=True)
    installing = [str(python), "-m", "pip", "install", "--quiet", "--requirement", str(requirements)]
    if complete:
        installing.append("--no-deps")
    done = subprocess.run(installing, check=False, stdout=sys.stderr)
    if done.returncode:
        raise EnvironmentMissing(f"pip could not install {requirements.name} (exit status {done.returncode})")
    made.write_text(wanted, encoding="utf-8")
    return python
