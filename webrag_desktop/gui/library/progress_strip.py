"""The strip above the list: what is being indexed, how fast, and how much is left."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.data.import_report import BatchProgress
from webrag_desktop.gui.kit.quantities import documents, number, place, plural
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD
from webrag_desktop.gui.kit.theme.painting import icon, paint_box
from webrag_desktop.gui.kit.theme.tokens import PANE_INSET, SPACE_L, SPACE_M, SPACE_S, Role
from webrag_desktop.gui.kit.widgets.bars import SegmentBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, column, row

GONE_AFTER = 5000  # milliseconds after the end, if nothing failed
_DOT = 7
_ICON_GAP = 5  # push_button leaves as much after its icon


@dataclass(frozen=True, slots=True)
class _Share:
    role: Role
    count: int
    word: str


class _Dot(QWidget):
    """The colour that a share has in the bar."""

    def __init__(self, role: Role) -> None:
        super().__init__()
        self._role = role
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(_DOT, _DOT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), _DOT / 2, colour(self._role))


class _Count(QWidget):
    """A dot, a number and a word."""

    def __init__(self, role: Role) -> None:
        super().__init__()
        self.words = Label("", "small", "text2", figures=True)
        line = row(self, spacing=SPACE_S - 3)
        line.addWidget(_Dot(role), 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self.words)


class ProgressStrip(Panel):
    """Shown while a batch is open, and until somebody has seen what failed."""

    pause_requested = Signal()
    resume_requested = Signal()
    cancel_requested = Signal()
    report_requested = Signal()

    def __init__(
        self, below: QWidget | None = None, parent: QWidget | None = None, *, gone_after: int = GONE_AFTER
    ) -> None:
        """Begin hidden. While the pointer is over the widget ``below``, the strip does not hide automatically."""
        super().__init__("window", bottom_line=True, parent=parent)
        self._below = below
        self._batch: BatchProgress | None = None
        self._dismissed = False
        self._attention = 0
        self._gone = QTimer(self, singleShot=True, interval=gone_after)
        self._gone.timeout.connect(self._leave)
        self._title = Label("", "body", "text", SEMIBOLD, figures=True)
        self._pace = ElidedLabel("", "body", "text2", figures=True)
        self._bar = SegmentBar()
        roles: tuple[Role, ...] = ("ok", "accent", "line_strong", "bad")
        self._counts = [_Count(role) for role in roles]
        self._make_buttons()
        self._lay_out()
        self.hide()

    def _make_buttons(self) -> None:
        self._hold = push_button(self.tr("Pause"), icon="pause")
        self._cancel = push_button(self.tr("Cancel"), "quiet")
        self._close = push_button(self.tr("Dismiss"), "quiet")
        self.report_button = push_button(self.tr("Show report"), "quiet")
        self.report_button.clicked.connect(self.report_requested)
        self.report_button.hide()
        self._hold.clicked.connect(self._press_hold)
        self._cancel.clicked.connect(self.cancel_requested)
        self._close.clicked.connect(self._dismiss)

    def _lay_out(self) -> None:
        head = row(spacing=SPACE_M)
        head.addWidget(self._title)
        head.addWidget(self._pace, 1)
        for button in (self.report_button, self._hold, self._cancel, self._close):
            head.addWidget(button)
        counts = row(spacing=SPACE_L)
        for count in self._counts:
            counts.addWidget(count)
        counts.addStretch(1)
        whole = column(self, (PANE_INSET, SPACE_S + 1, PANE_INSET, SPACE_S + 1), SPACE_S)
        whole.addLayout(head)
        whole.addWidget(self._bar)
        whole.addLayout(counts)

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_batch(self, batch: BatchProgress | None) -> None:
        """Show how the batch is doing. None: there is none; one that has ended leaves in its own time."""
        if batch is None:
            ended = self._batch is not None and not self._batch.open
            if not ended:
                self._dismiss()
            return
        if batch.open:
            self._dismissed = False
            self._gone.stop()
        elif not batch.failed and not self._attention and not self._dismissed and not self._gone.isActive():
            self._gone.start()
        self._batch = batch
        self._show_words(batch)
        self._show_buttons(batch)
        self.setVisible(not self._dismissed)

    def offer_report(self, attention: int) -> None:
        """Offer the report of what was added, where something of it needs the user."""
        self._attention = attention
        if attention:
            self._gone.stop()
        self.report_button.setVisible(attention > 0)
        sentence = plural(attention, self.tr("1 needs attention"), self.tr("{0} need attention"))
        self.report_button.setAccessibleDescription(sentence if attention else "")

    def _show_words(self, batch: BatchProgress) -> None:
        title, pace = self._headline(batch), self._pace_words(batch)
        self._title.setText(title)
        self._pace.setText(pace)
        shares = (
            _Share("ok", batch.ready, self.tr("ready")),
            _Share("accent", batch.working, self.tr("working")),
            _Share("line_strong", batch.waiting, self.tr("waiting")),
            _Share("bad", batch.failed, self.tr("failed")),
        )
        self._bar.show_shares([(share.role, share.count) for share in shares])
        for count, share in zip(self._counts, shares, strict=True):
            count.words.setText(f"{number(share.count)} {share.word}")
            count.setVisible(share.count > 0)
        said = ", ".join(f"{number(share.count)} {share.word}" for share in shares if share.count)
        self._bar.setAccessibleName(said)
        self.setAccessibleName(". ".join(part for part in (title, pace, said) if part))

    def _headline(self, batch: BatchProgress) -> str:
        if batch.open:
            words = self.tr("Paused, {0} to go") if batch.paused else self.tr("Indexing {0}")
            return words.format(documents(batch.open if batch.paused else batch.total))
        if batch.failed:
            return self.tr("Indexing ended, {0} failed").format(documents(batch.failed))
        return self.tr("{0} indexed").format(documents(batch.ready))

    def _pace_words(self, batch: BatchProgress) -> str:
        if not batch.open:
            return ""
        if batch.paused:
            return self.tr("What is ready can be searched.")
        if batch.per_minute is None:
            return self.tr("Measuring speed")
        rate = place().toString(batch.per_minute, "f", 1 if batch.per_minute < 10 else 0)
        pace = self.tr("{0} per minute").format(rate)
        return pace if batch.seconds_left is None else f"{pace}, {self._time_left(batch.seconds_left)}"

    def _time_left(self, seconds: float) -> str:
        if seconds < 45:
            return self.tr("less than a minute left")
        minutes = round(seconds / 60)
        if minutes < 2:
            return self.tr("about a minute left")
        if minutes < 90:
            return self.tr("about {0} minutes left").format(minutes)
        return self.tr("about {0} hours left").format(max(round(minutes / 60), 2))

    def _show_buttons(self, batch: BatchProgress) -> None:
        self._hold.setText(self.tr("Resume") if batch.paused else self.tr("Pause"))
        self._hold.setIcon(icon("play" if batch.paused else "pause", gap=_ICON_GAP))
        self._hold.setVisible(batch.open > 0)
        self._cancel.setVisible(batch.open > 0)
        self._close.setVisible(batch.open == 0)
        keeps = self.tr("Stops {0}. What is ready is kept, and the rest can be tried again.")
        explained = keeps.format(documents(batch.open))
        self._cancel.setToolTip(plain_tooltip(explained))
        self._cancel.setAccessibleDescription(explained)

    # -- What is pressed --------------------------------------------------------------------------------------

    def _press_hold(self) -> None:
        paused = self._batch is not None and self._batch.paused
        (self.resume_requested if paused else self.pause_requested).emit()

    def _leave(self) -> None:
        """Go, but not while somebody points at a row below: it would be another one in the next moment."""
        if self._below is not None and self._below.underMouse():
            self._gone.start()
        else:
            self._dismiss()

    def _dismiss(self) -> None:
        self._dismissed = True
        self._gone.stop()
        self.hide()
