"""Compare this checkout with an earlier commit: ``python -m tests.golden.compare BASE --frozen FOLDER``.

Both answer everything of :mod:`tests.golden.ask` on copies of the same frozen libraries, on this machine, one after the
other. The exit status is 1 where an answer differs: numbers by more than 1e-9, anything else at all.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TOLERANCE = 1e-9
SHOWN = 40  # answers that differ
WIDTH = 400  # characters of a line that tells a difference


def differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """A line for each place where two answers differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            if name not in before or name not in after:
                yield f"{place}/{name}: only {'after' if name in after else 'before'}"
            else:
                yield from differences(before[name], after[name], f"{place}/{name}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{place}: {len(before)} before, {len(after)} after"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{place}[{number}]")
    elif not _equal(before, after):
        yield f"{place}: {before!r} before, {after!r} after"


def _equal(before: Any, after: Any) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return math.isclose(before, after, rel_tol=0, abs_tol=TOLERANCE)
    return type(before) is type(after) and bool(before == after)


@contextmanager
def checkout(commit: str, folder: Path) -> Iterator[Path]:
    """A work tree of a commit, removed at the end."""
    place = folder / "base"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(place), commit], check=True)
    try:
        yield place
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(place)], check=True)


def answers_of(tree: Path, frozen: Path, folder: Path, every: int) -> dict[str, Any]:
    """What the program in a work tree answers on a copy of the frozen libraries.

    The copy has the same path each time, since paths stand in answers.
    """
    copy, out = folder / "copy", folder / "answers.jsonl"
    subprocess.run(["cp", "-a", "--reflink=auto", str(frozen), str(copy)], check=True)
    try:
        subprocess.run(
            [sys.executable, "-m", "tests.golden.ask", str(copy), str(out), "--every", str(every)],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            check=True,
        )
        lines = map(json.loads, out.read_text(encoding="utf-8").splitlines())
        return {f"{number}": line for number, line in enumerate(lines)}
    finally:
        shutil.rmtree(copy)


def compare(base: str, frozen: Path, every: int) -> int:
    """Ask both, print where they differ, and return how many answers do."""
    with tempfile.TemporaryDirectory(prefix="golden-") as name, checkout(base, Path(name)) as tree:
        before = answers_of(tree, frozen, Path(name), every)
        after = answers_of(Path.cwd(), frozen, Path(name), every)
    differing = 0
    for number in sorted(before.keys() | after.keys(), key=int):
        one, other = before.get(number, {}), after.get(number, {})
        reported = list(differences(one.get("value"), other.get("value"), one.get("key") or other.get("key")))
        reported += (
            [f"{one.get('key')} before, {other.get('key')} after"]
            if one.get("key") != other.get("key")
            else []
        )
        differing += bool(reported)
        if reported and differing <= SHOWN:
            sys.stdout.writelines(f"{line[:WIDTH]}\n" for line in reported[:5])
    sys.stdout.write(f"{len(before)} answers of {base}, {len(after)} of this checkout, {differing} differ.\n")
    return differing


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--frozen", type=Path, required=True, help="what tests.golden.make made")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth question only")
    arguments = parser.parse_args()
    sys.exit(bool(compare(arguments.base, arguments.frozen.absolute(), arguments.every)))
