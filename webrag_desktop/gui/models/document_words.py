"""A document in words: what its row, its tooltip and a screen reader say."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QTime

from webrag_desktop.gui.models.document_kinds import KIND_ICONS, kind_word
from webrag_desktop.gui.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.theme.tokens import Role
from webrag_desktop.gui.view_data import DocumentKind, DocumentRow
from webrag_desktop.progress import SourceState

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


def is_web(address: str) -> bool:
    """Whether an address can be opened in a browser."""
    return address.lower().startswith(("http://", "https://"))


def file_path(row: DocumentRow) -> str:
    """Where a file lies, as people write it: ``~/Papers/My notes.md``."""
    return f"{row.place.rstrip('/')}{row.path or f'/{row.title}'}"


def document_icon(kind: DocumentKind, address: str) -> str:
    """The icon of a document: its kind's, or where it is from while nothing else tells."""
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
    """A row's state in a few words: ``Queued, 3 ahead``, ``Waiting for the site``."""
    if row.waits_for == "model":
        return _tr("Waiting for the embedding model")
    if row.waits_for == "database":
        return _tr("Waiting for the database")
    if row.waits_until is not None and row.waits_for is None:
        return _tr("Waiting")
    if row.waits_until is not None or (row.state == "fetching" and row.reason):
        return _tr("Waiting for the site")
    return queued_words(row.queue_position) if row.state == "queued" else state_word(row.state)


def again_at(moment: datetime) -> str:
    """When a site is asked again, or the model: ``again at 14:05``, with the date where that is not today."""
    date, time = _local(moment)
    clock = place().toString(time, "HH:mm")
    if date == _today(None):
        return _tr("again at {0}").format(clock)
    return _tr("again on {0} at {1}").format(place().toString(date, "d MMM"), clock)


def queued_words(ahead: int | None) -> str:
    """That a document waits, and behind how many."""
    if ahead is None:
        return _tr("Queued")
    return _tr("Queued, next") if ahead == 0 else _tr("Queued, {0} ahead").format(number(ahead))


def percent(share: float) -> str:
    """A share in whole percent; 100 only where nothing is left."""
    return f"{int(share * 100 + 1e-9)}%"


def number(count: int) -> str:
    """A count as this place writes it."""
    return place().toString(count)


def counted(count: int, one: str, many: str) -> str:
    """``1 document``, ``1,284 documents``; the words are translated already."""
    return f"{number(count)} {one if count == 1 else many}"


def documents(count: int) -> str:
    """A number of documents."""
    return counted(count, _tr("document"), _tr("documents"))


def passages(count: int) -> str:
    """A number of passages."""
    return counted(count, _tr("passage"), _tr("passages"))


def states_counted(states: Iterable[SourceState]) -> str:
    """How many are in which state: ``2 ready, 1 failed``."""
    counts = Counter(states)
    shown = sorted(counts, key=list(STATE_LOOKS).index)
    return ", ".join(f"{number(counts[state])} {state_word(state).lower()}" for state in shown)


def source_words(row: DocumentRow) -> str:
    """Where a document is from, as exactly as it takes to tell documents of equal titles apart."""
    return f"{row.place}{row.path}"


def row_sentence(row: DocumentRow) -> str:
    """The whole row as a screen reader says it."""
    parts = [row.title, source_words(row), kind_words(row.kind, row.address), state_words(row)]
    if row.passages:
        parts.append(passages(row.passages))
    return ", ".join(part for part in parts if part)


def state_tooltip(row: DocumentRow) -> str:
    """The state with the whole reason, and what to do; plain to Qt, whatever a page calls itself."""
    told = row.reason if row.waits_until is not None or row.state == "ready" else ""
    return plain_tooltip("\n".join(part for part in (state_words(row), told or "", row.hint or "") if part))


def title_tooltip(row: DocumentRow) -> str:
    """The whole title, and where it is from; plain to Qt."""
    return plain_tooltip(f"{row.title}\n{row.address}")


def short_time(moment: datetime, now: datetime | None = None) -> str:
    """The time of a moment of today, else its date."""
    date, time = _local(moment)
    today = _today(now)
    if date == today:
        return place().toString(time, "HH:mm")
    return place().toString(date, "d MMM" if date.year() == today.year() else "d MMM yyyy")


def long_time(moment: datetime, now: datetime | None = None) -> str:
    """``Today at 14:02``, ``3 October at 14:02``, ``3 October 2024``."""
    date, time = _local(moment)
    today = _today(now)
    if date == today:
        return _tr("Today at {0}").format(place().toString(time, "HH:mm"))
    if date.year() != today.year():
        return place().toString(date, "d MMMM yyyy")
    day = place().toString(date, "d MMMM")
    return _tr("{0} at {1}").format(day, place().toString(time, "HH:mm"))


def stated_date(date: str | None, *, guessed: bool = False) -> str:
    """A document's own date, as exact as it is: ``2021``, ``May 2021``, ``3 May 2021``; and that it was guessed."""
    if not date:
        return ""
    words = _date_words(date)
    return _tr("{0} (guessed)").format(words) if guessed else words


def _date_words(date: str) -> str:
    try:
        moment = datetime.fromisoformat(date + {4: "-01-01", 7: "-01"}.get(len(date), ""))
    except ValueError:  # a library from before dates were made uniform
        return date
    day = QDate(moment.year, moment.month, moment.day)
    if len(date) == len("2021"):
        return date
    if len(date) == len("2021-05"):
        return place().toString(day, "MMMM yyyy")
    return place().toString(day, "d MMMM yyyy")


def pages(count: int) -> str:
    """A number of pages."""
    return counted(count, _tr("page"), _tr("pages"))


def file_size(size: int) -> str:
    """A number of bytes in a unit that reads well."""
    leading = float(size)
    while leading >= 1000:
        leading /= 1000
    tenths = 1 if leading < 9.95 and size >= 1_000_000 else 0
    return place().formattedDataSize(size, tenths, QLocale.DataSizeFormat.DataSizeSIFormat)


def place() -> QLocale:
    """How numbers and dates are written here; plain English where the system does not say."""
    here = QLocale()
    return QLocale(QLocale.Language.English) if here.language() == QLocale.Language.C else here


def _local(moment: datetime) -> tuple[QDate, QTime]:
    local = moment.astimezone()
    return QDate(local.year, local.month, local.day), QTime(local.hour, local.minute)


def _today(now: datetime | None) -> QDate:
    return QDate.currentDate() if now is None else _local(now)[0]


def _tr(text: str) -> str:
    return QCoreApplication.translate("Documents", text)
