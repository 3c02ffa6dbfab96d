"""What the window shows of a citation: its reference, its link, and a sentence where the page has changed."""

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QTime

from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.text.citation_formats import Quotation

if TYPE_CHECKING:
    from webrag_desktop.models.citations import StoredCitation


def citation_row(
    stored: "StoredCitation",
    copied_at: datetime | None = None,
    now: datetime | None = None,
    other_at: datetime | None = None,
) -> CitationRow:
    """The row of a citation.

    ``copied_at`` is when the text was fetched that the explanation names: the page's present text for a quote that
    moved, the quoted one for a quote that is lost; ``other_at`` is when the other of the two was. ``now`` is the time
    for dates of the present year.
    """
    quotation = Quotation.of(stored)
    return CitationRow(
        id=stored.id,
        number=stored.position,
        quote=stored.quote,
        verbatim=stored.verbatim,
        title=quotation.title,
        section=quotation.section,
        page=stored.page,
        state=CitationState(stored.state),
        explanation=_explanation(stored, _day(copied_at, now, other_at)),
        document_id=stored.document_id,
        version_id=stored.version_id,
        char_start=stored.char_start,
        char_end=stored.char_end,
        address=stored.source_url,
        link=quotation.link,
    )


def _explanation(stored: "StoredCitation", day: str) -> str | None:
    if stored.state == "exact":
        return None
    if stored.document_id is None:
        return _tr("The document was removed. The quote is kept.")
    if stored.state == "moved":
        return _moved(stored.moved_by or 0, day)
    if stored.active_version is None:
        return _tr("The document has no text any more. The quote is kept.")
    if not day:
        return _tr("The page no longer says this. Your copy does.")
    return _tr("The page no longer says this. Your copy of {0} does.").format(day)


def _moved(by: int, day: str) -> str:
    distance = QLocale().toString(abs(by))
    if abs(by) == 1:
        where = (
            _tr("Same words, 1 character further on") if by > 0 else _tr("Same words, 1 character earlier")
        )
    elif by > 0:
        where = _tr("Same words, {0} characters further on").format(distance)
    else:
        where = _tr("Same words, {0} characters earlier").format(distance)
    return _tr("{0}, since the copy of {1}.").format(where, day) if day else f"{where}."


def _day(then: datetime | None, now: datetime | None, other: datetime | None) -> str:
    """``3 October``, with the year where it is another one, with the time where ``other`` is of that day, too."""
    if then is None:
        return ""
    local = then.astimezone()
    form = "d MMMM" if local.year == (now or datetime.now().astimezone()).year else "d MMMM yyyy"
    day = QLocale().toString(QDate(local.year, local.month, local.day), form)
    if other is None or other.astimezone().date() != local.date():
        return day
    same_minute = other.astimezone().replace(second=0, microsecond=0) == local.replace(
        second=0, microsecond=0
    )
    clock = QLocale().toString(
        QTime(local.hour, local.minute, local.second), "HH:mm:ss" if same_minute else "HH:mm"
    )
    return _tr("{0} at {1}").format(day, clock)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Citations", text)
