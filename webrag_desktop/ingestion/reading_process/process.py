"""The reading process as the worker sees it: captures in, documents out, each checked before it is believed."""

import hashlib
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple, Self

from webrag_desktop.errors import IngestionError, ResourceError, resource_error
from webrag_desktop.ingestion.html.metadata import may_be_canonical
from webrag_desktop.ingestion.reading_process.child_process import Child, Ended
from webrag_desktop.ingestion.reading_process.options import (
    ReadingOptions,
    not_started,
)
from webrag_desktop.ingestion.reading_process.protocol import READER_ARGUMENT, Answer, Request
from webrag_desktop.ingestion.text_decoding import storable
from webrag_desktop.models.documents import AddressKind, Block, Capture, NormalizedDocument
from webrag_desktop.models.markup import Markup
from webrag_desktop.progress import CancelToken

Addresses = tuple[tuple[str, AddressKind], ...]


def verified(capture: Capture, answer: Answer) -> tuple[NormalizedDocument, Addresses]:
    """Document and addresses of an answer that can be true of ``capture``.

    Raises:
        IngestionError: it cannot: another page's facts, offsets beside the text, addresses nobody gave.
    """
    document = answer.document
    if document is None or not (
        _is_about(document, capture)
        and _is_sound(document)
        and all(_may_lead_here(url, kind, capture) for url, kind in answer.addresses)
    ):
        raise _own_fault()
    return document, answer.addresses


def _own_fault() -> IngestionError:
    return IngestionError("The program could not read this; the fault is its own", "Report it.")


def _is_about(document: NormalizedDocument, capture: Capture) -> bool:
    return (document.url, document.source_url, document.fetched_at, document.status_code) == (
        capture.url,
        capture.final_url.partition("#")[0],
        capture.fetched_at,
        capture.status_code,
    )


def _is_sound(document: NormalizedDocument) -> bool:
    text = document.markdown
    return (
        hashlib.sha256(text.encode()).hexdigest() == document.content_hash
        and storable(text) == text
        and _are_in_order(document.blocks, len(text))
    )


def _are_in_order(blocks: Sequence[Block], length: int) -> bool:
    position = 0
    for block in blocks:
        if not position <= block.char_start < block.char_end:
            return False
        position = block.char_end
    return position <= length


def _may_lead_here(url: str, kind: AddressKind, capture: Capture) -> bool:
    if kind == "given":
        return url == capture.url
    if kind == "redirect":
        return url in {*capture.redirects, capture.final_url}
    return may_be_canonical(url, capture.final_url)


log = logging.getLogger(__name__)
_DEATHS = 2  # of fresh processes, by which a document is judged
_GROWN = 0.5  # share of the memory limit that may stay in use between two documents


class Reading(NamedTuple):
    """A document and every address that leads to it, as :func:`~webrag_desktop.ingestion.extract.addresses_of`."""

    document: NormalizedDocument
    addresses: Addresses


class ReadingProcess:
    """Reads captures, one at a time, in a process that can be ended; close it, or use it as a context manager.

    The process is kept for the next document, and replaced when it ended, has grown, or has read many.
    """

    def __init__(
        self,
        options: ReadingOptions | None = None,
        command: Sequence[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start nothing yet; ``command`` replaces the program that reads."""
        self._options = options or ReadingOptions()
        self._clock = clock
        self._command = tuple(command or reader_arguments(sys.executable, self._options))
        self._child: Child | None = None

    @property
    def pid(self) -> int | None:
        """The process that waits for a document, None where there is none."""
        return self._child.process.pid if self._child is not None and self._child.alive else None

    def prepare(self) -> None:
        """Start the process unless it runs, and do not wait for it.

        Raises:
            ResourceError: this computer cannot start it now.
        """
        if self._child is None or not self._child.alive:
            self.close()
            with _telling_of_this_computer():
                self._child = _started(self._command, self._clock)

    def read(self, capture: Capture, cancel: CancelToken | None = None) -> Reading:
        """The document in ``capture``, as :func:`~webrag_desktop.ingestion.extract.extract` gives it.

        What ends the process is held against the document once it has ended two fresh ones.

        Raises:
            ExtractionError: there is nothing to read, or reading it needs more time or memory than there is.
            ResourceError: the process was ended from outside, or this computer lacks what reading takes; the same
                may be read later.
            WebragError: whatever else extraction raises.
            Cancelled: the token was set; the process was ended.
        """
        return Reading(*verified(capture, self._answered(Request(capture, "document"), cancel)))

    def markup(self, capture: Capture, cancel: CancelToken | None = None) -> Markup:
        """How a captured page looks, or what a captured stylesheet says, made harmless.

        Raises what :meth:`read` raises.
        """
        answer = self._answered(Request(capture, "markup"), cancel)
        if answer.markup is None:
            raise _own_fault()
        return answer.markup

    def _answered(self, request: Request, cancel: CancelToken | None) -> Answer:
        deaths = 0
        while True:
            try:
                with _telling_of_this_computer():
                    answer = self._ask(request, cancel)
                break
            except Ended as end:
                deaths += end.fresh  # else what earlier documents left behind may be to blame
                if deaths == _DEATHS:
                    raise end.error from None
        if answer.failure is not None:
            raise answer.failure.error()
        return answer

    def _ask(self, request: Request, cancel: CancelToken | None) -> Answer:
        self.prepare()
        assert self._child is not None
        try:
            answer = self._child.ask(request, self._options, cancel or CancelToken())
        except BaseException:
            self.close()
            raise
        if self._child.documents >= self._options.most_documents or self._has_grown():
            self.close()
            self._prepare_if_possible()
        return answer

    def _prepare_if_possible(self) -> None:
        """Start it before the next document, which reports where that fails."""
        try:
            self.prepare()
        except ResourceError as error:
            log.warning("the reading process is not started: %s", error.message)

    def _has_grown(self) -> bool:
        assert self._child is not None
        return self._child.memory_bytes() > _GROWN * self._options.memory_bytes

    def close(self) -> None:
        """End the process at once; nothing is lost but what it was reading. The next document starts another."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def __enter__(self) -> Self:
        self._prepare_if_possible()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _started(command: Sequence[str], clock: Callable[[], float]) -> Child:
    try:
        return Child(command, clock)
    except OSError as error:  # no memory, no process or file left, or the program is being replaced
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise not_started(reason) from error


@contextmanager
def _telling_of_this_computer() -> Iterator[None]:
    """Distinguish what this computer lacks from what a document did."""
    try:
        yield
    except (OSError, MemoryError, RuntimeError) as error:
        lacking = resource_error(error)
        if lacking is None:
            raise
        raise lacking from error


def reader_arguments(executable: str, options: ReadingOptions) -> tuple[str, ...]:
    """The command line that makes this program the reading process, installed or frozen into one file."""
    limits = (READER_ARGUMENT, str(options.memory_bytes), str(options.seconds))
    if getattr(sys, "frozen", False):
        return (executable, *limits)
    return (executable, "-P", "-m", "webrag_desktop", *limits)
