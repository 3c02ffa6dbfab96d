"""Telling on a terminal what is being waited for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from webrag_desktop.cli.output import one_line
from webrag_desktop.progress import ProgressCallback, no_progress


@contextmanager
def showing_steps(first: str = "Opening the library…") -> Iterator[ProgressCallback]:
    """Show each step on standard error if that is a terminal, ``first`` before any is told; leaves no trace."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    with Console(stderr=True).status(first) as status:
        yield lambda step: status.update(Text(one_line(f"{step.name}… {step.detail}")))
