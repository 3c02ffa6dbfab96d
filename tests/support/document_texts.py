"""Texts of a document over time as views are given them: invented, of the document that is selected first."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from tests.support.documents import document_id
from webrag_desktop.gui.data.texts import (
    DocumentHistory,
    DocumentTexts,
    HistoryEntry,
    Piece,
    TextChange,
    TextDifference,
    TextVersion,
    VersionReason,
)
from webrag_desktop.gui.library.document_words import WEEK

TITLE = "Thomson’s mirror galvanometer, explained with a torch"
DOCUMENT = document_id(TITLE)
_THEN = datetime(2025, 9, 12, 9, 30, tzinfo=UTC)


def version(
    number: int, reason: VersionReason = "changed", *, shown: bool = False, citations: int = 0
) -> TextVersion:
    """A text that was copied a week after the one before."""
    when = _THEN + timedelta(weeks=number)
    return TextVersion(document_id(f"{TITLE} {number}"), number, reason, shown, when, citations)


def texts(count: int = 3, document: UUID = DOCUMENT) -> DocumentTexts:
    """So many texts, the last one shown, the first one cited."""
    first = version(1, "first", shown=count == 1, citations=2)
    later = [version(number, shown=number == count) for number in range(2, count + 1)]
    return DocumentTexts(document, (first, *later), library=WEEK)


def difference(count: int = 3) -> TextDifference:
    """Every kind of change."""
    all_ = texts(count).versions
    changes = (
        TextChange(
            "changed",
            "How it works",
            before=(
                Piece("same", "The mirror weighs "),
                Piece("removed", "less than a grain"),
                Piece("same", " and turns on a silk fibre, so that a beam of light moves across the scale."),
            ),
            after=(
                Piece("same", "The mirror weighs "),
                Piece("added", "about 60 milligrams"),
                Piece("same", " and turns on a silk fibre, so that a beam of light moves across the scale."),
            ),
        ),
        TextChange(
            "added",
            "How it works",
            after=(Piece("added", "A torch and a shaving mirror show the same thing on a kitchen wall."),),
        ),
        TextChange(
            "removed",
            "Where to see one",
            before=(Piece("removed", "The museum in Valentia shows one on the first Sunday of each month."),),
        ),
        TextChange("moved", "Where to see one", after=(Piece("same", "Porthcurno has two."),)),
    )
    return TextDifference(DOCUMENT, TITLE, all_, all_[-2], all_[-1], changes)


def history() -> DocumentHistory:
    """A document that was added, checked, changed, and could not be reached once."""

    def entry(day: int, kind: str, **more: object) -> HistoryEntry:
        return HistoryEntry(_THEN + timedelta(days=day), kind, **more)  # type: ignore[arg-type]

    return DocumentHistory(
        DOCUMENT,
        TITLE,
        (
            entry(0, "added"),
            entry(0, "captured", number=1, size=48_213),
            entry(0, "text", number=1, size=9_120),
            entry(0, "ready"),
            entry(7, "refreshed"),
            entry(7, "unchanged"),
            entry(14, "refreshed"),
            entry(
                14,
                "failed",
                reason="The site did not answer in 30 s.",
                hint="It is tried again automatically.",
            ),
            entry(15, "refreshed"),
            entry(15, "captured", number=2, size=49_902),
            entry(15, "text", number=2, size=9_377),
            entry(15, "ready"),
        ),
    )
