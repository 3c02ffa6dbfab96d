"""The five steps of a document, from its address to being found by meaning."""

from enum import Enum
from typing import Final, NamedTuple

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import DocumentDetails, DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.progress import SourceState

ORDER: Final[tuple[SourceState, ...]] = ("fetching", "extracting", "chunking", "embedding", "ready")


class StepState(Enum):
    """How far a step has come."""

    DONE = "done"
    NOW = "now"
    NEXT = "next"
    FAILED = "failed"


class Step(NamedTuple):
    """A step: its name, how far it has come, what it gave, and its share while it is at work."""

    name: str
    state: StepState
    detail: str = ""
    share: float | None = None


def steps_of(row: DocumentRow, details: DocumentDetails | None) -> list[Step]:
    """The steps, as far as they are known: where it failed follows from what is there."""
    reached = _reached(row, details)
    return [_step(row, details, at, reached) for at in range(len(ORDER))]


def _reached(row: DocumentRow, details: DocumentDetails | None) -> int:
    """How many steps are done."""
    if row.state == "ready":
        return len(ORDER)
    if row.state in ORDER:
        return ORDER.index(row.state)
    if row.state == "queued":
        return 0
    kept = details is not None and details.kept_bytes > 0
    return ORDER.index("embedding") if row.searchable else int(kept)


def _step(row: DocumentRow, details: DocumentDetails | None, at: int, reached: int) -> Step:
    done, now, failed = _names(at)
    if at < reached:
        return Step(done, StepState.DONE, _gave(row, details, at))
    if at == reached and row.state in words.WORKING:
        return Step(now, StepState.NOW, _progress(row), row.share)
    if at == reached and row.state == "failed":
        return Step(failed, StepState.FAILED)
    return Step(done, StepState.NEXT)


def _names(at: int) -> tuple[str, str, str]:
    """What a step is called when it is done, at work, or failed."""
    ready = _tr("Ready")
    return (
        (_tr("Fetched"), _tr("Fetching"), _tr("Not fetched")),
        (_tr("Text extracted"), _tr("Extracting text"), _tr("No text extracted")),
        (_tr("Split into passages"), _tr("Splitting"), _tr("Not split")),
        (_tr("Embedded"), _tr("Embedding"), _tr("Not embedded")),
        (ready, ready, ready),
    )[at]


def _gave(row: DocumentRow, details: DocumentDetails | None, at: int) -> str:
    """What a finished step gave."""
    size = details.kept_bytes if details is not None else 0
    tokens = details.tokens if details is not None else 0
    return (
        quantities.file_size(size) if size else "",
        quantities.counted(tokens, _tr("token"), _tr("tokens")) if tokens else "",
        quantities.passages(row.passages) if row.passages else "",
        "",
        "",
    )[at]


def _progress(row: DocumentRow) -> str:
    if row.done is None or not row.total:
        return ""
    return _tr("{0} of {1}").format(quantities.number(row.done), quantities.number(row.total))


def _tr(text: str) -> str:
    return QCoreApplication.translate("DocumentSteps", text)
