"""What changed between two texts, as it is read: paragraphs without their markup, with the words that differ."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from webrag_desktop.gui.data.versions import Piece, PieceKind, TextChange
from webrag_desktop.text.plain_text import PlainText, project
from webrag_desktop.text.printable import title_line

if TYPE_CHECKING:
    from webrag_desktop.models.versions import Change, Stretch, VersionDifference
    from webrag_desktop.progress import CancelToken

CONTEXT = 160  # characters of what stayed the same, on either side of a change


def text_changes(found: "VersionDifference", cancel: "CancelToken") -> tuple[TextChange, ...]:
    """All changes in reading order."""
    if not found.difference.changes:
        return ()
    old, new = project(found.old), project(found.new)
    cancel.raise_if_cancelled()
    return tuple(_text_change(change, found, old, new) for change in found.difference.changes)


def _text_change(change: "Change", found: "VersionDifference", old: PlainText, new: PlainText) -> TextChange:
    heading = title_line(project(change.heading).text) if change.heading else ""
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


def _unread(markdown: str) -> PlainText:
    """The markdown as it stands."""
    return PlainText(markdown, ((0, 0, len(markdown)),))


def _whole(
    plain: PlainText, markdown: str, span: tuple[int, int] | None, kind: PieceKind
) -> tuple[Piece, ...]:
    if span is None:
        return ()
    text = _one_line(plain.reading(*span)).strip() or _one_line(markdown[slice(*span)]).strip()
    return (Piece(kind, text),) if text else ()


def _pieces(words: Sequence["Stretch"], side: PieceKind, start: int, plain: PlainText) -> tuple[Piece, ...]:
    """One side of a paragraph that changed, long stretches of what stayed the same cut in their middle."""
    told = list(_told(words, side, start, plain))
    last = len(told) - 1
    return tuple(
        Piece(one.kind, _shortened(one.text, is_first=at == 0, is_last=at == last))
        if one.kind == "same"
        else one
        for at, one in enumerate(told)
    )


def _told(words: Sequence["Stretch"], side: PieceKind, start: int, plain: PlainText) -> Iterator[Piece]:
    at = start
    for stretch in words:
        if stretch.kind in ("same", side):
            end = at + len(stretch.text)
            if text := _one_line(plain.reading(at, end)):
                yield Piece(stretch.kind, text)
            at = end


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    head = "" if is_first else text[:CONTEXT]
    tail = "" if is_last else text[-CONTEXT:]
    if len(text) <= len(head) + len(tail) + 3 or (is_first and is_last):
        return text
    return f"{head} … {tail}"


def _one_line(text: str) -> str:
    """On one line; blanks at its ends stay, for they part it from what is beside it."""
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{words}{' ' if text[-1].isspace() else ''}"
