"""Showing the progress of documents: bars on a terminal, a line for each in a pipe, nothing elsewhere."""

import sys
from types import TracebackType
from typing import Protocol, Self
from uuid import UUID

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from webrag_desktop.cli.document_words import name_of, share_done, state_words
from webrag_desktop.cli.output import Output, one_line, readable_address
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES

LONGEST_STATE = max(map(len, ("queued", "fetching", "extracting", "chunking", "embedding 100 %", "failed")))
_BAR_WIDTH = 24
_STATE_COLUMN = 10


class Display(Protocol):
    """Receives every change of a document that is followed."""

    def __enter__(self) -> Self:
        """Begin to show."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the screen tidy."""

    def show(self, source: SourceRow) -> None:
        """Show a document as it is now."""


def choose_display(output: Output, total: int) -> Display:
    """Bars for ``total`` documents on a terminal, else lines; beside JSON only bars, on standard error."""
    if output.as_json:
        return Bars(Console(stderr=True), total) if sys.stderr.isatty() else Silence()
    return Bars(Console(), total) if sys.stdout.isatty() else Lines(output)


class Silence:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def show(self, source: SourceRow) -> None:
        """Show nothing."""


class Lines(Silence):
    """A line for each document when it is at an end, so that a log of it stays readable; a report adds what is left."""

    def __init__(self, output: Output) -> None:
        """Print to ``output``."""
        self._output = output

    def show(self, source: SourceRow) -> None:
        """Print how it ended, and why if not well."""
        if source.state not in FINAL_STATES or source.id in self._output.reported:
            return
        self._output.reported.add(source.id)
        address = readable_address(source.source_url or source.url)
        named = f"{source.title} — {address}" if source.title else address
        self._output.say(f"{source.state:<{_STATE_COLUMN}}  ", one_line(named))
        for text in filter(None, source.note):
            self._output.say(" " * (_STATE_COLUMN + 2), one_line(text))


class Bars:
    """A bar for every document that is being worked on, and one for all of them together."""

    def __init__(self, console: Console, total: int) -> None:
        """Show ``total`` documents on ``console``."""
        self._progress = Progress(
            TextColumn("{task.fields[state]}", table_column=Column(min_width=LONGEST_STATE, no_wrap=True)),
            BarColumn(bar_width=_BAR_WIDTH),
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
            console=console,
            transient=True,
            expand=True,
        )
        self._bars: dict[UUID, TaskID] = {}
        self._closed: set[UUID] = set()
        self._total = total
        self._overall: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        if self._total > 1:
            self._overall = self._progress.add_task(f"of {self._total}", total=self._total, state="0 done")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, source: SourceRow) -> None:
        """Move the document's bar, or put a line in its place when it is at an end."""
        if source.state in FINAL_STATES:
            self._close(source)
        elif source.state != "queued" or self._total == 1 or source.waits_until is not None:
            self._move(source)

    def _move(self, source: SourceRow) -> None:
        if source.id not in self._bars:
            self._bars[source.id] = self._progress.add_task("", total=None, state="")
        share = share_done(source)
        self._progress.update(
            self._bars[source.id],
            description=name_of(source),
            state=state_words(source),
            total=None if share is None else 1.0,
            completed=share or 0.0,
        )

    def _close(self, source: SourceRow) -> None:
        self._closed.add(source.id)
        if (bar := self._bars.pop(source.id, None)) is not None:
            self._progress.remove_task(bar)
        colour = {"failed": "red", "cancelled": "yellow"}.get(source.state, "green")
        line = Text.assemble((f"{source.state:<{_STATE_COLUMN}}", colour), "  ", name_of(source))
        self._progress.console.print(line, no_wrap=True, overflow="ellipsis")
        if self._overall is not None:
            done = len(self._closed)
            self._progress.update(self._overall, completed=done, state=f"{done} done")
