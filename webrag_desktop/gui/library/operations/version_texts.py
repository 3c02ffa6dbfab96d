"""Versions of documents, differences as they are read, and history: found in the background."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import NotFoundError
from webrag_desktop.gui.data.texts import (
    DocumentHistory,
    DocumentTexts,
    HistoryEntry,
    Piece,
    PieceKind,
    TextChange,
    TextDifference,
    TextVersion,
    piece_text,
)
from webrag_desktop.gui.session.background import Task

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.versions import Change, TextRun, VersionDifference, VersionRow
    from webrag_desktop.progress import CancelToken
    from webrag_desktop.text.plain_text import PlainText


def texts_of(document_id: UUID, library: "Library", _task: Task) -> DocumentTexts:
    """The versions of a document, and how often it is checked."""
    schedule = library.schedule.now()
    own = next((one.every for one in schedule.own if one.id == document_id), None)
    versions = tuple(map(_version, library.versions.of(document_id)))
    return DocumentTexts(document_id, versions, own, schedule.every)


def _version(row: "VersionRow") -> TextVersion:
    return TextVersion(row.id, row.number, row.reason, row.active, row.fetched_at, row.citations)


def difference_of(
    document_id: UUID, before: UUID | None, after: UUID | None, library: "Library", task: Task
) -> TextDifference:
    """What changed between two versions: by default the one shown and the one before it."""
    versions = tuple(map(_version, library.versions.of(document_id)))
    numbers = {version.id: version.number for version in versions}
    found = library.versions.diff(
        document_id,
        None if before is None else numbers.get(before),
        None if after is None else numbers.get(after),
    )
    task.cancel.raise_if_cancelled()
    return TextDifference(
        document_id,
        _title_of(document_id, library),
        versions,
        _version(found.before),
        _version(found.after),
        _changes_of(found, library, task),
        found.difference.coarse,
    )


def history_of(document_id: UUID, library: "Library", _task: Task) -> DocumentHistory:
    """What happened to a document."""
    entries = tuple(
        HistoryEntry(
            event.at, event.kind, event.reason or "", event.hint or "", event.until, event.number, event.size
        )
        for event in library.documents.history(document_id)
    )
    return DocumentHistory(document_id, _title_of(document_id, library), entries)


def _title_of(document_id: UUID, library: "Library") -> str:
    from webrag_desktop.gui.library.operations.document_rows import title_of

    source = library.documents.get(document_id)
    return title_of(source) if source is not None else ""


CONTEXT = 160  # characters of what stayed the same, on either side of a change


def _changes_of(found: "VersionDifference", library: "Library", task: Task) -> tuple[TextChange, ...]:
    if not found.difference.changes:
        return ()
    read = library.documents.plain_texts([found.before.id, found.after.id])
    if len(read) < 2:
        raise NotFoundError("The document was removed meanwhile.")
    return text_changes(found, read[found.before.id], read[found.after.id], task.cancel)


def text_changes(
    found: "VersionDifference", old: "PlainText", new: "PlainText", cancel: "CancelToken"
) -> tuple[TextChange, ...]:
    """All changes in reading order; ``old`` and ``new`` are how both texts read."""
    cancel.raise_if_cancelled()
    return tuple(_text_change(change, found, old, new) for change in found.difference.changes)


def _text_change(
    change: "Change", found: "VersionDifference", old: "PlainText", new: "PlainText"
) -> TextChange:
    from webrag_desktop.text.plain_text import project_line

    heading = project_line(change.heading) if change.heading else ""
    if change.kind != "changed" or change.before is None or change.after is None:
        gone = change.before if change.kind == "removed" else None
        return TextChange(
            change.kind,
            heading,
            before=_whole(old, found.old, gone, "removed"),
            after=_whole(new, found.new, change.after, "same" if change.kind == "moved" else "added"),
        )
    before = _pieces(change.words, "removed", change.before[0], old)
    after = _pieces(change.words, "added", change.after[0], new)
    if not any(
        piece.kind != "same" for piece in (*before, *after)
    ):  # an address behind a link, or only markup
        before = _pieces(change.words, "removed", change.before[0], _unread(found.old))
        after = _pieces(change.words, "added", change.after[0], _unread(found.new))
    return TextChange(change.kind, heading, before, after)


def _unread(markdown: str) -> "PlainText":
    """The markdown without projection."""
    from webrag_desktop.text.plain_text import PlainText

    return PlainText(markdown, ((0, 0, len(markdown)),))


def _whole(
    plain: "PlainText", markdown: str, span: tuple[int, int] | None, kind: PieceKind
) -> tuple[Piece, ...]:
    if span is None:
        return ()
    text = piece_text(plain.reading(*span)).strip() or piece_text(markdown[slice(*span)]).strip()
    return (Piece(kind, text),) if text else ()


def _pieces(words: Sequence["TextRun"], side: PieceKind, start: int, plain: "PlainText") -> tuple[Piece, ...]:
    """One side of a paragraph that changed, long unchanged runs cut in their middle."""
    shown = list(_side_pieces(words, side, start, plain))
    last = len(shown) - 1
    return tuple(
        Piece(one.kind, _shortened(one.text, is_first=at == 0, is_last=at == last))
        if one.kind == "same"
        else one
        for at, one in enumerate(shown)
    )


def _side_pieces(
    words: Sequence["TextRun"], side: PieceKind, start: int, plain: "PlainText"
) -> Iterator[Piece]:
    at = start
    for run in words:
        if run.kind in ("same", side):
            end = at + len(run.text)
            if text := piece_text(plain.reading(at, end)):
                yield Piece(run.kind, text)
            at = end


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    head = "" if is_first else text[:CONTEXT]
    tail = "" if is_last else text[-CONTEXT:]
    if len(text) <= len(head) + len(tail) + 3 or (is_first and is_last):
        return text
    return f"{head} … {tail}"
