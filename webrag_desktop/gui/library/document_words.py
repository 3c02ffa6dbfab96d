"""Texts about a document: its row, tooltip and accessible name, how often it is checked, its history."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QCoreApplication, QDate

from webrag_desktop.gui.data.library import KIND_ICONS, NEVER, ListGroup, kind_word
from webrag_desktop.gui.data.view_data import DocumentKind, DocumentRow
from webrag_desktop.gui.kit.quantities import (
    again_at,
    documents,
    file_size,
    number,
    passages,
    percent,
    place,
    plural,
    short_time,
)
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.models.sources import Grouping
from webrag_desktop.progress import SourceState
from webrag_desktop.text.links import is_web

if TYPE_CHECKING:
    from webrag_desktop.gui.data.texts import HistoryEntry


NOTHING: Final = "–"
WORKING: Final[frozenset[SourceState]] = frozenset(("fetching", "extracting", "chunking", "embedding"))
RETRYABLE: Final[frozenset[SourceState]] = frozenset(("failed", "cancelled"))
REREADABLE: Final[frozenset[SourceState]] = frozenset(("ready", "failed", "cancelled"))
STOPPABLE: Final[frozenset[SourceState]] = WORKING | {"queued"}


class StateLook(NamedTuple):
    """The icon of a state and the colour of its icon and word."""

    icon: str
    role: Role


STATE_LOOKS: Final[dict[SourceState, StateLook]] = {
    "queued": StateLook("circle-dashed", "text3"),
    "fetching": StateLook("download", "accent_text"),
    "extracting": StateLook("scan-text", "accent_text"),
    "chunking": StateLook("circle-dot", "accent_text"),
    "embedding": StateLook("circle-dot", "accent_text"),
    "ready": StateLook("circle-check", "ok"),
    "failed": StateLook("circle-alert", "bad"),
    "cancelled": StateLook("ban", "text2"),
}


REMOVED_LOOK: Final = StateLook("trash-2", "text2")
INCOMPLETE_LOOK: Final = StateLook("circle-alert", "warn")


def file_path(row: DocumentRow) -> str:
    """Where a file lies, as people write it: ``~/Papers/My notes.md``."""
    return f"{row.place.rstrip('/')}{row.path or f'/{row.title}'}"


def document_icon(kind: DocumentKind, address: str) -> str:
    """The icon of a document: that of its kind, or of its origin while the kind is unknown."""
    if kind == "unknown" and is_web(address):
        return KIND_ICONS["html"]
    return "file-code" if kind == "html" and not is_web(address) else KIND_ICONS[kind]


def kind_words(kind: DocumentKind, address: str) -> str:
    """A document's kind in a word or two, the same as in the filters; a link's until it was read."""
    if kind == "unknown" and is_web(address):
        return _tr("Link")
    return kind_word(kind)


def state_word(state: SourceState) -> str:
    """A state in a word or two."""
    words: dict[SourceState, str] = {
        "queued": _tr("Queued"),
        "fetching": _tr("Fetching"),
        "extracting": _tr("Extracting text"),
        "chunking": _tr("Splitting"),
        "embedding": _tr("Embedding"),
        "ready": _tr("Ready"),
        "failed": _tr("Failed"),
        "cancelled": _tr("Stopped"),
    }
    return words[state]


def state_words(row: DocumentRow) -> str:
    """A state with what is known of it: ``Queued, 3 ahead``, ``Embedding 40%``, ``Failed: reason``."""
    word = row_word(row)
    if row.removed_at is not None:
        return f"{word}, {days_left(row)}"
    if row.waits_until is not None:
        return f"{word}, {again_at(row.waits_until)}"
    if row.state == "queued":
        return word
    if row.state in WORKING and row.share is not None:
        return f"{word} {percent(row.share)}"
    if row.state == "failed" and row.reason:
        return f"{word}: {row.reason}"
    return word


def row_word(row: DocumentRow) -> str:
    """A row's state in a few words: ``Queued, 3 ahead``, ``Waiting for the site``, ``Removed 3 October``."""
    if row.removed_at is not None:
        return _tr("Removed {0}").format(short_time(row.removed_at))
    if row.waits_for == "model":
        return _tr("Waiting for the embedding model")
    if row.waits_for == "database":
        return _tr("Waiting for the database")
    if row.waits_until is not None and row.waits_for is None:
        return _tr("Waiting")
    if row.waits_until is not None or (row.state == "fetching" and row.reason):
        return _tr("Waiting for the site")
    return queued_words(row.queue_position) if row.state == "queued" else _state_of(row)


def _state_of(row: DocumentRow) -> str:
    return _tr("Ready in part") if row.incomplete else state_word(row.state)


def days_left(row: DocumentRow) -> str:
    """How long a document stays in the bin: ``deleted in 27 days``."""
    if not row.days_left:
        return _tr("deleted today")
    return plural(row.days_left, _tr("deleted in 1 day"), _tr("deleted in {0} days"))


def row_button(row: DocumentRow) -> str:
    """The command of a row's own button; empty where it has none."""
    if row.removed_at is not None:
        return "restore"
    return "retry" if row.state in RETRYABLE else ""


def look_of(row: DocumentRow) -> StateLook:
    """The icon of a row's state, and the colour of its icon and word."""
    if row.removed_at is not None:
        return REMOVED_LOOK
    return INCOMPLETE_LOOK if row.incomplete else STATE_LOOKS[row.state]


def queued_words(ahead: int | None) -> str:
    """That a document waits, and behind how many."""
    if ahead is None:
        return _tr("Queued")
    return _tr("Queued, next") if ahead == 0 else _tr("Queued, {0} ahead").format(number(ahead))


def states_counted(states: Iterable[SourceState]) -> str:
    """How many are in which state: ``2 ready, 1 failed``."""
    counts = Counter(states)
    shown = sorted(counts, key=list(STATE_LOOKS).index)
    return ", ".join(f"{number(counts[state])} {state_word(state).lower()}" for state in shown)


def group_title(grouping: Grouping, value: str) -> str:
    """What the documents of a group have in common."""
    if grouping == "kind":
        kinds: dict[str, DocumentKind] = {kind: kind for kind in KIND_ICONS}
        return kind_word(kinds.get(value, "unknown"))
    if grouping == "state":
        states: dict[str, SourceState] = {state: state for state in STATE_LOOKS}
        return state_word(states[value]) if value in states else value
    if grouping == "added":
        return day_words(value)
    return value or (_tr("Files") if grouping == "site" else _tr("In no collection"))


def day_words(value: str) -> str:
    """A day or a month as people say it: ``Today``, ``Saturday, 21 November``, ``October 2026``."""
    year, month, *day = map(int, value.split("-"))
    if not day:
        return place().toString(QDate(year, month, 1), "MMMM yyyy")
    date = QDate(year, month, day[0])
    ago = date.daysTo(QDate.currentDate())
    usual = {0: _tr("Today"), 1: _tr("Yesterday")}
    return usual.get(ago) or place().toString(date, "dddd, d MMMM")


def group_sentence(group: ListGroup, *, is_open: bool) -> str:
    """The head of a group as a screen reader says it."""
    title, state = group_title(group.grouping, group.value), _tr("open") if is_open else _tr("closed")
    return _tr("{0}, {1}, {2}").format(title, documents(group.count), state)


def source_words(row: DocumentRow) -> str:
    """The origin of a document, exact enough to distinguish documents of equal titles."""
    return f"{row.place}{row.path}"


def row_sentence(row: DocumentRow) -> str:
    """The whole row as a screen reader says it."""
    parts = [row.title, source_words(row), kind_words(row.kind, row.address), state_words(row)]
    if row.passages:
        parts.append(passages(row.passages))
    return ", ".join(part for part in parts if part)


def state_tooltip(row: DocumentRow) -> str:
    """The state with the whole reason, and what to do."""
    reason = row.reason if row.waits_until is not None or row.state == "ready" else ""
    return "\n".join(part for part in (state_words(row), reason or "", row.hint or "") if part)


def title_tooltip(row: DocumentRow) -> str:
    """The whole title, and where it is from."""
    return f"{row.title}\n{row.address}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("Documents", text)


DAY: Final = timedelta(days=1)
WEEK: Final = timedelta(weeks=1)
MONTH: Final = timedelta(days=30)
CHOICES: Final = (NEVER, DAY, WEEK, MONTH)


def every_words(every: timedelta | None) -> str:
    """How often, as a choice: ``Never``, ``Every week``; another interval exactly."""
    usual = {DAY: _tr("Every day"), WEEK: _tr("Every week"), MONTH: _tr("Every month")}
    if not every:
        return _tr("Never")
    if every in usual:
        return usual[every]
    hours = every // timedelta(hours=1)
    if hours % 24 == 0:
        return _tr("Every {0} days").format(number(hours // 24))
    return _tr("Every hour") if hours == 1 else _tr("Every {0} hours").format(number(hours))


def every_sentence(every: timedelta | None, *, of_library: bool) -> str:
    """What was chosen, as a sentence."""
    often = every_words(every).lower()
    if of_library:
        return (
            _tr("Your documents are checked {0}.").format(often)
            if every
            else _tr("Your documents are not checked automatically.")
        )
    if every is None:
        return _tr("This document is checked as often as the others.")
    return (
        _tr("This document is checked {0}.").format(often)
        if every
        else _tr("This document is not checked automatically.")
    )


def event_words(entry: "HistoryEntry") -> str:
    """What happened, in a sentence or two."""
    size, count = entry.size or 0, number(entry.number or 0)
    words = {
        "added": _tr("Added to the library"),
        "given": _tr("Added again"),
        "retried": _tr("Tried again"),
        "refreshed": _tr("Checked for changes"),
        "reread": _tr("The kept copy was read again"),
        "joined": _tr("Merged with a document of the same page"),
        "repaired": _tr("Mended"),
        "captured": _tr("Copy {0} saved, {1}").format(count, file_size(size)),
        "text": _tr("Version {0} of the text, {1} characters").format(count, number(size)),
        "ready": _tr("Ready"),
        "unchanged": _tr("Checked; nothing changed"),
        "failed": _tr("Failed"),
        "cancelled": _tr("You stopped it"),
        "waiting": _tr("Waits, {0}").format(again_at(entry.until)) if entry.until else _tr("Waits"),
    }[entry.kind]
    reason = f"{words}: {entry.reason}" if entry.reason else words
    return f"{reason} {entry.hint}".rstrip() if entry.hint else reason
