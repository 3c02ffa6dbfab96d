"""A document's row among the results: disclosure, icon, title, host and date, and how many passages it gave."""

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from webrag_desktop.gui.data.view_data import ResultGroup
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import RIGHT, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RESULT_GROUP, Role
from webrag_desktop.gui.library.document_words import document_icon, kind_words
from webrag_desktop.gui.research.results_model import share_of_passages

_CHEVRON_LEFT, _CHEVRON, _ICON, _GAP, _TITLE_GAP, _RIGHT = 14, 14, 18, 6, 8, 20


def disclosure_right() -> int:
    """Before it a click opens and closes the row."""
    return _CHEVRON_LEFT + grown(_CHEVRON) + _GAP


def group_height() -> int:
    """The height of a document's row."""
    return max(grown(RESULT_GROUP), 2 * _line() + grown(18))


def paint_group(
    painter: QPainter, rect: QRectF, mirror: Mirror, group: ResultGroup, *, expanded: bool, selected: bool
) -> None:
    """Draw the row's contents; its ground is there already. ``rect`` is the row as it is read from left to right."""
    line = _line()
    chevron_side, side, icon_left = grown(_CHEVRON), grown(_ICON), disclosure_right()
    title_left = icon_left + side + _TITLE_GAP
    first = QRectF(title_left, rect.center().y() - line + 1, rect.width() - title_left - _RIGHT, line)
    second = first.translated(0, line - 1)
    quiet: Role = "text2" if selected else "text3"
    middle = first.center().y() + 2
    chevron, left = "chevron-down" if expanded else "chevron-right", mirror.left(_CHEVRON_LEFT, chevron_side)
    paint_icon(painter, chevron, left, middle - chevron_side / 2, chevron_side, quiet)
    icon = document_icon(group.kind, group.address)
    paint_icon(painter, icon, mirror.left(icon_left, side), middle - side / 2, side, "text2")
    counts, figures = share_of_passages(group), font("small", figures=True)
    paint_line(painter, mirror.rect(first), counts, figures, quiet, RIGHT)
    title = mirror.rect(first.adjusted(0, 0, -text_width(counts, figures) - 16, 0))
    paint_line(painter, title, group.title, font("body", SEMIBOLD), "text")
    _paint_place(painter, second, mirror, group, quiet)


def _paint_place(painter: QPainter, rect: QRectF, mirror: Mirror, group: ResultGroup, role: Role) -> None:
    used = font("small", figures=True)
    details = f"{date_words(group)} · {kind_words(group.kind, group.address)}"
    needed = text_width(details, used) + 1
    place = mirror.rect(rect.adjusted(0, 0, -needed - 12, 0))
    x = rect.left() + paint_line(painter, place, group.place, used, role, elide=Qt.TextElideMode.ElideMiddle)
    rest = QRectF(x + (12 if group.place else 0), rect.top(), needed, rect.height())
    paint_line(painter, mirror.rect(rest), details, used, role)


def date_words(group: ResultGroup) -> str:
    """Of which day the stored copy is."""
    local = group.fetched_at.astimezone()
    day = QLocale().toString(QDate(local.year, local.month, local.day), "d MMM yyyy")
    return QCoreApplication.translate("GroupRow", "copy of {0}").format(day)


def _line() -> int:
    return max(grown(19), round(QFontMetricsF(font("body", SEMIBOLD)).height() + 0.5))
