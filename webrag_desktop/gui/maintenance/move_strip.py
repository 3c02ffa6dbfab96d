"""The strip about the library's embedding space: what the settings name, and the progress of a move there."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from webrag_desktop.gui.data.upkeep import MoveOffer, MoveProgress
from webrag_desktop.gui.kit.quantities import again_at, documents, number
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import PANE_INSET, SPACE_M, SPACE_S
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel
from webrag_desktop.gui.kit.widgets.panes import Panel, column, row

_ICON_GAP = 5  # push_button leaves as much after its icon


class MoveStrip(Panel):
    """Shown while there is something to move to and the user has not postponed it, and while a move is under way."""

    begin_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Begin hidden."""
        super().__init__("window", bottom_line=True, parent=parent)
        self._move: MoveProgress | None = None
        self._offer: MoveOffer | None = None
        self._postponed: MoveOffer | None = None
        self._title = ElidedLabel("", "body", "text", SEMIBOLD, figures=True)
        self._detail = ElidedLabel("", "body", "text2", figures=True)
        self._bar = BusyBar()
        self.begin_button = push_button(self.tr("Move"))
        self.later_button = push_button(self.tr("Not now"), "quiet")
        self.hold_button = push_button(self.tr("Pause"), icon="pause")
        self.cancel_button = push_button(self.tr("Cancel"), "quiet")
        self.begin_button.clicked.connect(self.begin_requested)
        self.later_button.clicked.connect(self._postpone)
        self.hold_button.clicked.connect(self._press_hold)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self._lay_out()
        self._show()

    def _buttons(self) -> tuple[QPushButton, ...]:
        return (self.begin_button, self.later_button, self.hold_button, self.cancel_button)

    def _lay_out(self) -> None:
        head = row(spacing=SPACE_M)
        words = column(spacing=1)
        words.addWidget(self._title)
        words.addWidget(self._detail)
        head.addLayout(words, 1)
        for button in self._buttons():
            head.addWidget(button)
        whole = column(self, (PANE_INSET, SPACE_S + 1, PANE_INSET, SPACE_S + 1), SPACE_S)
        whole.addLayout(head)
        whole.addWidget(self._bar)

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_offer(self, offer: MoveOffer | None) -> None:
        """Show that the settings name another space; None: they do not."""
        self._offer = offer
        self._show()

    def show_again(self) -> None:
        """Show an offer again that the user postponed."""
        self._postponed = None
        self._show()

    def show_move(self, move: MoveProgress | None) -> None:
        """Tell how far a move is; None: there is none under way."""
        self._move = move
        self._show()

    def _show(self) -> None:
        move, offer = self._move, self._offer if self._offer != self._postponed else None
        for button in (self.hold_button, self.cancel_button):
            button.setVisible(move is not None)
        for button in (self.begin_button, self.later_button):
            button.setVisible(move is None and offer is not None)
        self._bar.setVisible(move is not None)
        if move is not None:
            self._show_move(move)
        elif offer is not None:
            self._say(self.tr("Your settings ask for {0}").format(offer.wanted), self._offer_words(offer))
        self.setVisible(move is not None or offer is not None)

    def _offer_words(self, offer: MoveOffer) -> str:
        if offer.downloaded_from:
            words = self.tr("Your library was made with {0}. Moving downloads the tokenizer from {1} first.")
            return words.format(offer.present, offer.downloaded_from)
        return self.tr("Your library was made with {0}. You search and add while it is moved.").format(
            offer.present
        )

    def _say(self, title: str, detail: str) -> None:
        self._title.setText(title)
        self._detail.setText(detail)
        self.setAccessibleName(f"{title}. {detail}")

    def _show_move(self, move: MoveProgress) -> None:
        goes_on = move.state == "moving"
        title = {
            "moving": self.tr("Moving to {0}"),
            "paused": self.tr("The move to {0} is paused"),
            "waiting": self.tr("The move to {0} waits"),
        }[move.state]
        self._say(title.format(move.wanted), self._detail_words(move))
        self._bar.show_share(move.done / move.total if move.total else None)
        self._bar.setAccessibleName(self._count_words(move))
        words = self.tr("Pause") if goes_on else self.tr("Resume")
        self.hold_button.setText(self.tr("Try now") if move.state == "waiting" else words)
        self.hold_button.setIcon(icon("pause" if goes_on else "play", gap=_ICON_GAP))
        explained = self.tr("Ends the move. The library stays as it is, and what was made for it is dropped.")
        self.cancel_button.setToolTip(plain_tooltip(explained))
        self.cancel_button.setAccessibleDescription(explained)

    def _detail_words(self, move: MoveProgress) -> str:
        count = self._count_words(move)
        if move.state == "waiting":
            again = self.tr("It is tried {0}.").format(again_at(move.waits_until)) if move.waits_until else ""
            return " ".join(part for part in (f"{count}.", move.problem, move.hint, again) if part)
        if move.held:
            return self.tr("{0}. Indexing is paused, and the move with it.").format(count)
        if move.state == "moving" and move.total and move.done == move.total:
            return self.tr("{0}. The last step takes a moment.").format(count)
        return self.tr("{0}. Searching goes on as before.").format(count)

    def _count_words(self, move: MoveProgress) -> str:
        return self.tr("{0} of {1}").format(number(move.done), documents(move.total))

    # -- What is pressed --------------------------------------------------------------------------------------

    def _press_hold(self) -> None:
        moving = self._move is not None and self._move.state == "moving"
        (self.pause_requested if moving else self.resume_requested).emit()

    def _postpone(self) -> None:
        self._postponed = self._offer
        self._show()
