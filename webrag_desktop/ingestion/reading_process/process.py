"""The reading process as the worker sees it: captures in, documents out, whatever happens to the process."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Self

from webrag_desktop.ingestion.reading_process.child_process import Child, Ended
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.ingestion.reading_process.protocol import READER_ARGUMENT, Answer
from webrag_desktop.ingestion.reading_process.verifying import Addresses, verified
from webrag_desktop.models import Capture, NormalizedDocument
from webrag_desktop.progress import CancelToken

_GROWN = 0.5  # share of the memory limit that may stay in use between two documents


class Reading(NamedTuple):
    """A document and every address that leads to it, as :func:`~webrag_desktop.ingestion.extract.addresses_of`."""

    document: NormalizedDocument
    addresses: Addresses


class ReadingProcess:
    """Reads captures, one at a time, in a process that can be ended; close it, or use it as a context manager.

    The process is kept for the next document, and replaced when it ended, has grown, or has read many.
    """

    def __init__(self, options: ReadingOptions | None = None, command: Sequence[str] | None = None) -> None:
        """Start nothing yet; ``command`` replaces the program that reads."""
        self._options = options or ReadingOptions()
        self._command = tuple(command or reader_arguments(sys.executable, self._options))
        self._child: Child | None = None

    @property
    def pid(self) -> int | None:
        """The process that waits for a document, None where there is none."""
        return self._child.process.pid if self._child is not None and self._child.alive else None

    def prepare(self) -> None:
        """Start the process unless it runs, and do not wait for it."""
        if self._child is None or not self._child.alive:
            self.close()
            self._child = Child(self._command)

    def read(self, capture: Capture, cancel: CancelToken | None = None) -> Reading:
        """The document in ``capture``, as :func:`~webrag_desktop.ingestion.extract.extract` gives it.

        Raises:
            ExtractionError: there is nothing to read, or reading it needs more time or memory than there is.
            WebragError: whatever else extraction raises.
            Cancelled: the token was set; the process was ended.
        """
        try:
            try:
                answer = self._ask(capture, cancel)
            except Ended as end:
                if not end.anew:
                    raise
                answer = self._ask(capture, cancel)  # what earlier documents left behind may be to blame
        except Ended as end:
            raise end.error from None
        if answer.failure is not None:
            raise answer.failure.error()
        return Reading(*verified(capture, answer))

    def _ask(self, capture: Capture, cancel: CancelToken | None) -> Answer:
        self.prepare()
        assert self._child is not None
        try:
            answer = self._child.ask(capture, self._options, cancel or CancelToken())
        except BaseException:
            self.close()
            raise
        if self._child.documents >= self._options.most_documents or self._has_grown():
            self.close()
            self.prepare()
        return answer

    def _has_grown(self) -> bool:
        assert self._child is not None
        return self._child.memory_bytes() > _GROWN * self._options.memory_bytes

    def close(self) -> None:
        """End the process at once; nothing is lost but what it was reading. The next document starts another."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def __enter__(self) -> Self:
        self.prepare()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def reader_arguments(executable: str, options: ReadingOptions) -> tuple[str, ...]:
    """The command line that makes this program the reading process, installed or frozen into one file."""
    limits = (READER_ARGUMENT, str(options.memory_bytes), str(options.seconds))
    if getattr(sys, "frozen", False):
        return (executable, *limits)
    return (executable, "-P", "-m", "webrag_desktop", *limits)
