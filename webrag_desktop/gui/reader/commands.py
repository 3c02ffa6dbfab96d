"""What keys and the context menu do in the reader."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QCoreApplication, Qt, SignalInstance
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget

from webrag_desktop.gui.data.library import LinkTarget
from webrag_desktop.gui.data.view_data import LinkRequest
from webrag_desktop.gui.kit.shortcuts import COPY_LINK, command_of, commands_of, key_of
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.library.document_actions import add_copy_link
from webrag_desktop.gui.reader.links import ReaderLinks
from webrag_desktop.gui.reader.text import ReaderText
from webrag_desktop.models.citations import is_link
from webrag_desktop.text.links import is_web


class ReaderCommands(Protocol):
    """The reader, as those see it that have it do something."""

    links: ReaderLinks  # in what is read, and to it
    related_toggled: SignalInstance
    page_look_requested: SignalInstance

    @property
    def is_full(self) -> bool:
        """Whether this is the full reader."""

    @property
    def has_original(self) -> bool:
        """Whether what is read came from a page that the browser can open."""

    def isAncestorOf(self, child: QWidget, /) -> bool:
        """Whether a widget is a part of it."""

    def open_find(self) -> None:
        """Open the find bar."""

    def next_match(self) -> None:
        """Go to the next match."""

    def previous_match(self) -> None:
        """Go back to the match before."""

    def cite_selection(self) -> None:
        """Ask for a citation of what is selected."""

    def ask_about_selection(self) -> None:
        """Have a question be about what is selected alone."""

    def toggle_outline(self) -> None:
        """Show or hide the outline."""

    def escape(self) -> bool:
        """Close what is open; False where nothing is."""

    def set_zoom(self, steps: int) -> None:
        """Show the text larger or smaller by so many pixels."""

    def zoom_by(self, steps: int) -> None:
        """Show the text larger or smaller than now."""

    def open_original(self) -> None:
        """Ask for the page that is read."""


_OTHERS = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


def _command_of(event: QKeyEvent) -> str | None:
    """The reader's command for a key. Alt and Meta make no difference, nor does Shift where no command needs it."""
    keys = commands_of("reader")
    exact = command_of(event, keys)
    if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        if exact is None and event.matches(QKeySequence.StandardKey.ZoomIn):
            return "larger"
        if exact is None and event.matches(QKeySequence.StandardKey.ZoomOut):
            return "smaller"
        found = exact or command_of(event, keys, ignored=_OTHERS | _SHIFT)
        return found if exact or found in {"larger", "usual_size"} else None
    return (
        exact or command_of(event, keys, ignored=_OTHERS) or command_of(event, keys, ignored=_OTHERS | _SHIFT)
    )


def act_on_key(view: ReaderCommands, event: QKeyEvent, open_full: Callable[[bool], None]) -> bool:
    """Act on a key that was pressed somewhere in the reader; whether it was one of the reader's."""
    command = _command_of(event)
    does: dict[str, Callable[[], object]] = {
        "find": view.open_find,
        COPY_LINK: view.links.copy,
        "larger": lambda: view.zoom_by(1),
        "smaller": lambda: view.zoom_by(-1),
        "usual_size": lambda: view.set_zoom(0),
        "next_match": view.next_match,
        "previous_match": view.previous_match,
        "next_link": lambda: view.links.step(1),
        "previous_link": lambda: view.links.step(-1),
        "cite": view.cite_selection,
        "outline": view.toggle_outline,
        "related": view.related_toggled.emit,
    }
    if command == "escape":
        return view.escape()
    if command == "open":
        return _press_or_open(view, open_full)
    if command not in does or (command in {"outline", "related"} and not view.is_full):
        return False
    does[command]()
    return True


def _press_or_open(view: ReaderCommands, open_full: Callable[[bool], None]) -> bool:
    """Press the button that has the keyboard, follow the link that is selected, or else open the pane in full."""
    focused = QApplication.focusWidget()
    if isinstance(focused, QToolButton) and view.isAncestorOf(focused):
        focused.click()
    elif view.links.follow_selected():
        pass
    elif not view.is_full:
        open_full(True)
    else:
        return False
    return True


_WIDEST = 360  # pixels of an address in a menu


def reader_menu(
    view: ReaderCommands, text: ReaderText, link: str | None, open_link: Callable[[LinkRequest], None]
) -> QMenu:
    """The menu, which deletes itself when it closes; ``link`` is what it is opened on, for ``open_link`` to browse."""
    menu = QMenu(text)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    selected = text.textCursor().hasSelection()
    copy = menu.addAction(_tr("Copy"), QKeySequence(QKeySequence.StandardKey.Copy), text.copy)
    copy.setEnabled(selected)
    add_copy_link(menu, view.links.copy, drawn=False)
    cite = menu.addAction(_tr("Cite selection"), QKeySequence(key_of("reader", "cite")), view.cite_selection)
    cite.setEnabled(selected)
    ask = menu.addAction(_tr("Ask about this"), view.ask_about_selection)
    ask.setEnabled(selected)
    if link is not None:
        _add_link(menu, view, open_link, link)
    menu.addSeparator()
    if view.is_full:
        keys = QKeySequence(key_of("reader", "related"))
        menu.addAction(_tr("Related passages"), keys, view.related_toggled.emit)
    find = QKeySequence(key_of("reader", "find"))
    menu.addAction(_tr("Find in this text"), find, view.open_find)
    original = menu.addAction(
        _tr("Open in browser"), QKeySequence(key_of("window", "browse")), view.open_original
    )
    original.setEnabled(view.has_original)
    look = QKeySequence(key_of("window", "page_look"))
    menu.addAction(_tr("The page as it looked"), look, view.page_look_requested.emit).setEnabled(
        view.has_original
    )
    everything = QKeySequence(QKeySequence.StandardKey.SelectAll)
    menu.addAction(_tr("Select all"), everything, text.selectAll)
    return menu


def offered_menu(
    text: QWidget, target: LinkTarget, add: Callable[[], object], browse: Callable[[], object]
) -> QMenu:
    """What can be done about a link whose text is not there to read; the menu deletes itself when it closes."""
    menu = QMenu(text)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction(_words_about(target, menu)).setEnabled(False)
    menu.addSeparator()
    on_the_web = is_web(target.address)
    if on_the_web and target.document_id is None:
        menu.setActiveAction(menu.addAction(icon("plus"), _tr("Add to library"), add))
    if on_the_web:
        menu.addAction(icon("external-link"), _tr("Open in browser"), browse)
    copy = menu.addAction(icon("copy"), _tr("Copy link address"))
    copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(target.address or target.link.address))
    return menu


def _words_about(target: LinkTarget, menu: QMenu) -> str:
    if target.document_id is not None:
        words = _tr("“{0}” is in your library, but not read yet").format(target.title)
    else:
        words = target.address or target.link.address
    fitting = menu.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, _WIDEST)
    return fitting.replace("&", "&&")


def _add_link(menu: QMenu, view: ReaderCommands, open_link: Callable[[LinkRequest], None], link: str) -> None:
    menu.addSeparator()
    menu.addAction(_tr("Open link"), lambda: view.links.follow_address(link))
    menu.addAction(_tr("Copy link address"), lambda: QGuiApplication.clipboard().setText(link))
    if is_link(link):
        return  # no browser knows it
    request = LinkRequest(link)
    follow = menu.addAction(_tr("Open link in browser"), lambda: open_link(request))
    follow.setEnabled(is_web(link))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Reader", text)
