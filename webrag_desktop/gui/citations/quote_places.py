"""The list of places where a quotation was found: Enter opens one, C cites, Ctrl+C copies the source's words."""

from PySide6.QtCore import QPersistentModelIndex, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.citations.quote_place_delegate import PlaceRole, QuotePlaceDelegate, QuotePlacesModel
from webrag_desktop.gui.data.texts import FoundPlace
from webrag_desktop.gui.kit.rows.lists import OpeningList
from webrag_desktop.gui.kit.shortcuts import COPY_LINK, commands_of, key_of
from webrag_desktop.gui.kit.widgets.popups import add_command
from webrag_desktop.gui.library.document_actions import (
    add_copy_link,
    copy_span_links,
)


class QuotePlaceList(OpeningList):
    """A click shows the place, Enter or a double click goes there."""

    keys = commands_of("quotes")
    shown = Signal(object)  # FoundPlace: it was clicked
    opened = Signal(object)  # FoundPlace
    cite_toggled = Signal(object)  # FoundPlace, which is verified
    copied = Signal(str)  # a sentence that says so

    def __init__(self, parent: QWidget | None = None) -> None:
        """List nothing yet."""
        super().__init__(parent)
        self.places = QuotePlacesModel(self)
        self.delegate = QuotePlaceDelegate(self)
        self.show_rows(self.places, self.delegate)
        self.setAccessibleName(self.tr("Places found"))
        self.double_clicked.connect(lambda: self.run("open"))
        self.delegate.pressed.connect(self._press_button)
        self.places.dataChanged.connect(self._lay_out_again)

    @property
    def row_delegate(self) -> QuotePlaceDelegate:
        """What draws the rows."""
        return self.delegate

    def show_places(self, places: tuple[FoundPlace, ...]) -> None:
        """List other places, the first one open."""
        self.quiet = True
        self.delegate.opened = QPersistentModelIndex()
        self.delegate.forget()
        self.places.show(places)
        self.setCurrentIndex(self.places.index(0))
        self.scrollToTop()
        self.quiet = False

    def _lay_out_again(self) -> None:
        self.scheduleDelayedItemsLayout()

    def place(self) -> FoundPlace | None:
        """The place whose row is open."""
        found: FoundPlace | None = self.currentIndex().data(PlaceRole.PLACE)
        return found

    def run(self, command: str) -> None:
        """Run the command of a key, a menu entry or a button on the open row."""
        place = self.place()
        if command in {"down", "up"}:
            self.step(1 if command == "down" else -1)
        elif place is None:
            return
        elif command == "open":
            self.opened.emit(place)
        elif command == "copy":
            QGuiApplication.clipboard().setText(place.text)
            self.copied.emit(self.tr("Copied as the source says it."))
        elif command == COPY_LINK:
            self.copied.emit(copy_span_links([place.span]))
        elif place.is_verified:
            self.cite_toggled.emit(place)

    def _press_button(self, command: str, row: QPersistentModelIndex) -> None:
        self.setCurrentIndex(self.places.index(row.row()))
        self.run(command)

    def menu(self) -> QMenu | None:
        """The menu of the open row."""
        place = self.place()
        if place is None:
            return None
        menu = QMenu(self)
        add_command(
            menu,
            "book-open",
            self.tr("Open in the reader"),
            key_of("quotes", "open"),
            lambda: self.run("open"),
        )
        if place.is_verified:
            cited = self.currentIndex().data(PlaceRole.NUMBER) is not None
            words = self.tr("Remove the citation") if cited else self.tr("Cite")
            add_command(menu, "text-quote", words, key_of("quotes", "cite"), lambda: self.run("cite"))
        add_command(
            menu,
            "copy",
            self.tr("Copy what the source says"),
            key_of("quotes", "copy"),
            lambda: self.run("copy"),
        )
        add_copy_link(menu, lambda: self.run(COPY_LINK))
        return menu

    # -- Keys, mouse and menu -------------------------------------------------------------------------------------

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on a row, beside its buttons, shows the place."""
        index = self.indexAt(event.position().toPoint())
        clicked = self._is_plain(event, index)
        super().mouseReleaseEvent(event)
        place = self.place()
        if clicked and index == self.currentIndex() and place is not None:
            self.shown.emit(place)
