"""The report of what was added: how much is in, what was here already, and each thing that needs the user."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QFrame, QPushButton, QVBoxLayout, QWidget

from webrag_desktop.gui.adding.folder_dialog import Figure
from webrag_desktop.gui.data.import_report import ImportReport, ReportRow, Way
from webrag_desktop.gui.kit.quantities import number, plural
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_hairline, paint_icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.bars import SegmentBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, row, scroll_area

_WIDTH, _HEIGHT, _ICON = 620, 560, 16
_MOST_LINES = 60  # of each part; the rest is counted


class ReportLine(QFrame):
    """What it is about, why it needs the user, and buttons for the ways on; with a hairline below."""

    def __init__(self, shown: ReportRow, needs: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row, self._needs = shown, needs
        self.buttons: dict[Way, QPushButton] = {}
        across = row(self, (0, SPACE_S, 0, SPACE_S), SPACE_S)
        across.addSpacing(grown(_ICON) + SPACE_S)
        lines = column(spacing=1)
        self._title = ElidedLabel(shown.title, "body", "text", MEDIUM, elide=Qt.TextElideMode.ElideMiddle)
        lines.addWidget(self._title)
        lines.addWidget(Label(shown.reason, "small", "text2", wrap=True))
        across.addLayout(lines, 1)
        self.setAccessibleName(f"{shown.title}. {shown.reason} {shown.hint}".strip())
        self.setToolTip(plain_tooltip("\n".join(filter(None, (*shown.given[:5], shown.hint)))))
        for way in shown.ways:
            button = push_button(_way_word(way), "mini")
            button.setAccessibleName(f"{_way_word(way)}: {shown.title}")
            button.setAutoDefault(True)
            self.buttons[way] = button
            across.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw icon and hairline."""
        painter, rect = QPainter(self), QRectF(self.rect())
        mirror, side = Mirror(rect, self.isRightToLeft()), grown(_ICON)
        top = self._title.geometry().center().y() + 0.5 - side / 2
        drawing = "circle-alert" if self._needs else "circle-check"
        paint_icon(painter, drawing, mirror.left(0, side), top, side, "bad" if self._needs else "text3")
        inset = side + SPACE_S  # where the words begin
        line = mirror.rect(QRectF(inset, 0, rect.width() - inset, 1))
        paint_hairline(painter, line.left(), line.right(), rect.height() - 1)


class ReportDialog(QDialog):
    """Not modal: it fills while the batch runs, and the window stays usable."""

    retry_requested = Signal(object)  # tuple[UUID, ...]
    browser_requested = Signal(str)
    add_requested = Signal(object)  # tuple[str, ...]
    show_requested = Signal(object)  # tuple[UUID, ...]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report = ImportReport()
        self._built: tuple[tuple[ReportRow, ...], tuple[ReportRow, ...]] | None = None
        self.lines: list[ReportLine] = []
        self.setWindowTitle(self.tr("Import report"))
        self._title = Label("", "title", "text", SEMIBOLD, wrap=True)
        self._detail = Label("", "body", "text2", wrap=True, figures=True)
        self._figures = [Figure() for _ in range(3)]
        self._shares = SegmentBar()
        self.copy_button = push_button(self.tr("Copy report"), "quiet", "copy")
        self.copy_button.clicked.connect(self._copy_all)
        self.retry_button = push_button("", icon="rotate-cw")
        self.retry_button.clicked.connect(self._retry_all)
        self.done_button = push_button(self.tr("Done"), "primary")
        self.done_button.clicked.connect(self.accept)
        for button in (self.copy_button, self.retry_button, self.done_button):
            button.setAutoDefault(True)
        self.done_button.setDefault(True)
        self._lay_out()
        self.done_button.setFocus()

    def _lay_out(self) -> None:
        ground = Panel("raised")
        column(self).addWidget(ground)
        lines = column(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_XS)
        lines.addWidget(self._title)
        lines.addWidget(self._detail)
        lines.addSpacing(SPACE_S)
        across = row(spacing=SPACE_XL)
        for figure in self._figures:
            across.addWidget(figure)
        across.addStretch(1)
        lines.addLayout(across)
        lines.addSpacing(SPACE_S)
        lines.addWidget(self._shares)
        lines.addSpacing(SPACE_M)
        self._inner = Panel("raised")
        self._list = column(self._inner)
        self._area = scroll_area(self._inner)
        lines.addWidget(self._area, 1)
        lines.addSpacing(SPACE_M)
        lines.addLayout(button_row(self.retry_button, self.done_button, leading=[self.copy_button]))
        self.resize(grown(_WIDTH), grown(_HEIGHT))

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_report(self, report: ImportReport) -> None:
        """Show how the batch stands; lines that are as they were keep the keyboard."""
        self._report = report
        self._title.setText(self.tr("Adding documents") if report.open else self.tr("Import finished"))
        self.setAccessibleName(self._title.text())
        self._detail.setText(self._standing(report))
        self.setAccessibleDescription(self._detail.text())
        figures = (
            (report.added, self.tr("added")),
            (report.present, self.tr("already here")),
            (report.attention, self.tr("need attention")),
        )
        for figure, (count, word) in zip(self._figures, figures, strict=True):
            figure.show_figure(number(count), word)
        self._shares.show_shares(
            [
                ("ok", report.added - report.open),
                ("accent", report.open),
                ("line_strong", report.present),
                ("bad", report.attention),
            ]
        )
        self._show_retry(report)
        if self._built != (report.needs, report.here):
            self._built = (report.needs, report.here)
            self._build(report)

    def _standing(self, report: ImportReport) -> str:
        parts = [
            self.tr("{0} ready").format(number(report.ready)) if report.ready else "",
            self.tr("{0} being read").format(number(report.open)) if report.open else "",
            self.tr("{0} kept until your library is open").format(number(report.kept)) if report.kept else "",
        ]
        return ", ".join(filter(None, parts)) or self.tr("Nothing of it is open any more.")

    def _show_retry(self, report: ImportReport) -> None:
        count = len(self._failed())
        self.retry_button.setText(plural(count, self.tr("Retry"), self.tr("Retry all {0}")))
        self.retry_button.setVisible(count > 1)

    def _failed(self) -> tuple[object, ...]:
        return tuple(id_ for line in self._report.needs if "retry" in line.ways for id_ in line.ids)

    def _build(self, report: ImportReport) -> None:
        place, focused = self._area.verticalScrollBar().value(), self._focused_line()
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.lines = []
        self._add_part(self._list, self.tr("Needs attention"), report.attention, report.needs, needs=True)
        self._add_part(
            self._list, self.tr("Already here, left as they were"), report.present, report.here, needs=False
        )
        self._list.addStretch(1)
        self._area.verticalScrollBar().setValue(place)
        if focused is not None:
            self._focus_again(*focused)

    def _add_part(
        self, page: QVBoxLayout, title: str, count: int, rows: Sequence[ReportRow], *, needs: bool
    ) -> None:
        if not rows:
            return
        page.addWidget(Label(f"{title}   {number(count)}", "small", "text3", SEMIBOLD, figures=True))
        for shown in rows[:_MOST_LINES]:
            line = ReportLine(shown, needs)
            for way, button in line.buttons.items():
                button.clicked.connect(lambda _=False, way=way, shown=shown: self._go(way, shown))
            page.addWidget(line)
            self.lines.append(line)
        if len(rows) > _MOST_LINES:
            more = self.tr("{0} more; “Copy report” lists them all.").format(number(len(rows) - _MOST_LINES))
            page.addWidget(Label(more, "small", "text2"))
        page.addSpacing(SPACE_M)

    def _focused_line(self) -> tuple[int, Way] | None:
        return next(
            (
                (at, way)
                for at, line in enumerate(self.lines)
                for way, button in line.buttons.items()
                if button.hasFocus()
            ),
            None,
        )

    def _focus_again(self, at: int, way: Way) -> None:
        """The keyboard stays at the line that is now in that place, or goes to Done."""
        line = self.lines[min(at, len(self.lines) - 1)] if self.lines else None
        button = (
            (line.buttons.get(way) or next(iter(line.buttons.values()), None)) if line is not None else None
        )
        (button or self.done_button).setFocus()

    # -- Ways on ----------------------------------------------------------------------------------------------

    def _go(self, way: Way, shown: ReportRow) -> None:
        if way == "retry":
            self.retry_requested.emit(shown.ids)
        elif way == "browse":
            self.browser_requested.emit(shown.address)
        elif way == "add":
            self.add_requested.emit(shown.given)
        elif way == "show":
            self.show_requested.emit(shown.ids)
        else:
            QGuiApplication.clipboard().setText("\n".join(shown.given))

    def _retry_all(self) -> None:
        self.retry_requested.emit(self._failed())

    def _copy_all(self) -> None:
        lines = [
            "\t".join((given or line.title, line.reason))
            for line in self._report.needs
            for given in (line.given or (line.title,))
        ]
        QGuiApplication.clipboard().setText("\n".join([self._detail.text(), *lines]))


def _way_word(way: Way) -> str:
    return {
        "retry": _tr("Retry"),
        "browse": _tr("Open in browser"),
        "add": _tr("Add anyway"),
        "copy": _tr("Copy"),
        "show": _tr("Show"),
    }[way]


def _tr(text: str) -> str:
    return QCoreApplication.translate("ReportDialog", text)
