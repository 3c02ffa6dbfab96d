"""Opening stored texts: a document's current one, the version that a citation quotes, or where a link leads."""

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QObject, Signal

from webrag_desktop.errors import NotFoundError
from webrag_desktop.gui.data.library import FollowedLink, LinkTarget
from webrag_desktop.gui.data.view_data import AlsoIn, DocumentNews, ReaderDocument, SpanReference
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.browsing import Browsing
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.citations import CitedPlace
    from webrag_desktop.models.documents import DocumentVersion


MOST_KEPT = 8


@dataclass(frozen=True, slots=True)
class _Opened:
    """A text with the version that resolves spans of it, and where to begin: a span found in it, or a place."""

    document: ReaderDocument
    version: "DocumentVersion"
    found: SpanReference | None = None


class ReadingOperations(QObject):
    """Texts of the session's library, made ready for the reader in the background. The last ones are kept."""

    waiting = Signal(object)  # UUID of the document: its text is being opened
    document = Signal(object)  # ReaderDocument
    found = Signal(
        object
    )  # SpanReference: what was found in the document emitted last; empty: how far it was read
    opened = Signal(object)  # UUID of a document: it is recorded that it was opened to be read
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, browsing: Browsing, parent: QObject | None = None) -> None:
        """Open pages in the browser through ``browsing``."""
        super().__init__(parent)
        self._session = session
        self._browsing = browsing
        self._kept: OrderedDict[UUID, _Opened] = OrderedDict()
        self._opening: CancelToken | None = None
        self._asked = 0  # number of the latest request; results of older ones are dropped
        session.news.connect(self._heard)

    def open_document(self, document_id: UUID) -> None:
        """Show the text that a document has now, from where it was read to."""
        self._open(document_id, None)

    def open_span(self, span: SpanReference) -> None:
        """Show the version that a span is a part of."""
        kept = self._kept.get(span.version_id)
        if kept is not None:
            self.stay()
            self._show(kept)
        else:
            self._open(span.document_id, span.version_id)

    def open_other(self, other: AlsoIn, quote: str) -> None:
        """Show the text that a document has now, and find what reads as ``quote`` in that passage of it."""
        self._start(other.document_id, partial(_opened_at, other, quote))

    def note_opened(self, document_id: UUID) -> None:
        """Record that a document is opened to be read."""
        self._session.call(
            lambda library, _task: library.documents.note_opened(document_id),
            on_success=lambda there: self.opened.emit(document_id) if there else None,
            replaces=f"opened {document_id}",
            repeat=True,
        )

    def keep_place(self, place: SpanReference) -> None:
        """Keep how far a document was read; also when the window closes."""
        self._session.call(
            lambda library, _task: library.documents.keep_place(
                place.document_id, place.version_id, place.char_start
            ),
            on_success=lambda _kept: None,
            replaces=f"read to {place.document_id}",
            essential=True,
            repeat=True,
        )

    def stay(self) -> None:
        """Open nothing any more: what is shown already is what is wanted."""
        self._asked += 1
        if self._opening is not None:
            self._session.cancel(self._opening)
            self._opening = None

    def _open(self, document_id: UUID, version_id: UUID | None) -> None:
        self._start(document_id, partial(_opened, document_id, version_id))

    def _start(self, document_id: UUID, work: "Callable[[Library, Task], _Opened]") -> None:
        self._asked += 1
        self.waiting.emit(document_id)
        self._opening = self._session.call(
            work,
            on_success=partial(self._show_wanted, self._asked),
            on_error=partial(self._fail_wanted, self._asked),
            replaces="reader",
            repeat=True,
        )

    def _show_wanted(self, asked: int, opened: _Opened) -> None:
        # Cancelling does not reach what has ended already.
        if asked == self._asked:
            self._opening = None
            self._show(opened)
            if opened.found is not None:
                self.found.emit(opened.found)

    def _fail_wanted(self, asked: int, error: Exception) -> None:
        if asked == self._asked:
            self._opening = None
            self._fail(error)

    def _show(self, opened: _Opened) -> None:
        self._kept[opened.document.version_id] = opened
        self._kept.move_to_end(opened.document.version_id)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        self.document.emit(opened.document)

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))

    def _heard(self, news: tuple[DocumentNews, ...]) -> None:
        """Drop kept texts of documents that changed or were removed."""
        changed = {one.id for one in news if one.state in {None, "ready"}}
        for version_id, opened in list(self._kept.items()):
            if opened.document.document_id in changed:
                del self._kept[version_id]

    # -- Leaving ----------------------------------------------------------------------------------------------

    def browse(self, document: ReaderDocument, span: SpanReference | None = None) -> None:
        """Open a document's own page in the browser, at the span where one is given."""
        if span is None:
            self._browsing.open_place(document.address)
            return
        kept = self._kept.get(document.version_id)
        if kept is not None:
            self._browse(span, kept)
        else:
            self._session.call(
                partial(_opened, document.document_id, document.version_id),
                on_success=partial(self._browse, span),
                on_error=self._fail,
                replaces="browse",
                repeat=True,
            )

    def _browse(self, span: SpanReference, opened: _Opened) -> None:
        from webrag_desktop import resolve_span

        found = resolve_span(opened.version, span.char_start, span.char_end)
        trace = opened.document.trace
        start, end = trace.to_reading(span.char_start, span.char_end)
        read = trace.reading[start:end]
        self._browsing.open_place(opened.document.address, found.section_heading, found.anchor, read)


def _opened(document_id: UUID, version_id: UUID | None, library: "Library", task: Task) -> _Opened:
    from webrag_desktop.gui.library.operations.document_rows import address_of, place_of, title_of
    from webrag_desktop.gui.reader.operations.reader_document import reader_document

    version = (
        library.documents.version(version_id)
        if version_id is not None
        else library.documents.text(document_id)
    )
    task.cancel.raise_if_cancelled()
    source = library.documents.rows([document_id], or_in_bin=True).get(document_id)
    if source is None or version is None:
        raise _gone() if source is None or version_id is not None else _no_text_yet()
    made = reader_document(
        version,
        title=title_of(source),
        place=place_of(source),
        address=address_of(source),
        current=version.content_hash == source.content_hash,
        in_bin=source.removed_at is not None,
    )
    if version_id is not None:
        return _Opened(made, version)
    at = min(source.read_to or 0, len(made.markdown))
    return _Opened(made, version, SpanReference(document_id, made.version_id, at, at))


def _opened_at(other: AlsoIn, quote: str, library: "Library", task: Task) -> _Opened:
    opened = _opened(other.document_id, None, library, task)
    document = opened.document
    chunks = (one for one in library.documents.chunks(other.document_id) if one.id == other.chunk_id)
    chunk = next(chunks, None)
    if chunk is None or document.markdown[chunk.char_start : chunk.char_end] != chunk.chunk_text:
        return opened  # it has another text by now, which is shown from where it was read to
    start, end = _place_of(quote, document, chunk.char_start, chunk.char_end)
    return replace(opened, found=SpanReference(document.document_id, document.version_id, start, end))


def _place_of(quote: str, document: ReaderDocument, start: int, end: int) -> tuple[int, int]:
    """Where the quote is in a span of the markdown, whatever its line breaks; else the whole span."""
    trace = document.trace
    words = re.compile(r"\s+".join(map(re.escape, quote.split())))
    found = words.search(trace.reading, *trace.to_reading(start, end))
    return trace.to_markdown(*found.span()) if found and found[0] else (start, end)


def _gone() -> NotFoundError:
    return NotFoundError(
        _tr("This document is not in your library any more."),
        _tr("What you cited of it is kept with its quote."),
    )


def _no_text_yet() -> NotFoundError:
    return NotFoundError(
        _tr("There is no text to read yet."), _tr("It can be read as soon as its words can be searched.")
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Reading", text)


_READABLE = frozenset(("http", "https", "file"))


class LinkOperations(QObject):
    """Finds what links lead to in the session's library; of several asked for, only the newest."""

    found = Signal(object)  # LinkTarget: where a link to a page leads
    place = Signal(object)  # CitedPlace: what a link into the library names
    failed = Signal(object)  # Failure: among others that a link into the library names nothing

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        """Ask the library of ``session``."""
        super().__init__(parent)
        self._session = session

    def resolve(self, link: FollowedLink) -> None:
        """Find where a link to a page leads."""
        self._call(partial(_resolved, link), self.found.emit)

    def resolve_place(self, link: str) -> None:
        """Find what a link into the library names."""
        self._call(partial(_named, link), self.place.emit)

    def _call(self, work: Callable[["Library", Task], Any], on_success: Callable[[Any], None]) -> None:
        self._session.call(
            work,
            on_success=on_success,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="link",
            repeat=True,
            by_user=True,
        )


def _named(link: str, library: "Library", _task: Task) -> "CitedPlace":
    return library.cited.place(link)


def _resolved(link: FollowedLink, library: "Library", task: Task) -> LinkTarget:
    from webrag_desktop.gui.library.operations.document_rows import title_of

    address = _absolute(link, library)
    document_id = library.links.at(address) if urlsplit(address).scheme in _READABLE else None
    task.cancel.raise_if_cancelled()
    source = library.documents.rows([document_id]).get(document_id) if document_id else None
    if source is None or document_id is None:
        return LinkTarget(link, address)
    place = _place(document_id, address, link.char_start, library)
    return LinkTarget(link, address, document_id, title_of(source), place)


def _absolute(link: FollowedLink, library: "Library") -> str:
    """The whole address; what a file of the user's names beside it is a file, too."""
    try:
        if urlsplit(link.address).scheme or link.span is None:
            return link.address
        source = library.documents.rows([link.span.document_id]).get(link.span.document_id)
        return urljoin(source.source_url or source.url, link.address) if source else link.address
    except ValueError:  # not an address
        return ""


def _place(
    document_id: UUID, address: str, char_start: int | None, library: "Library"
) -> SpanReference | None:
    """Where the text that is shown now begins, or the part of it that the address or the link names."""
    version = library.documents.text(document_id)
    if version is None:
        return None
    wanted = unquote(address.partition("#")[2].partition(":~:")[0])
    block = next((block for block in version.blocks if wanted and block.anchor == wanted), None)
    if block is not None:
        char_start = block.char_start
    is_there = char_start is not None and char_start < len(version.markdown)  # it may have changed meanwhile
    start, end = _line_at(char_start, version.markdown) if char_start is not None and is_there else (0, 0)
    return SpanReference(document_id, version.id, start, end)


def _line_at(start: int, markdown: str) -> tuple[int, int]:
    """From a place to the end of its line."""
    end = markdown.find("\n", start)
    return start, len(markdown) if end < 0 else end
