"""The menu of the reader's text: what the keys and the head's buttons do, and what a link under it allows."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.data.links import LinkTarget
from webrag_desktop.gui.data.view_data import LinkRequest
from webrag_desktop.gui.kit.theme.icons import icon
from webrag_desktop.gui.kit.widgets.link_copying import add_copy_link
from webrag_desktop.gui.reader.commands import ReaderCommands
from webrag_desktop.gui.reader.header import BROWSER_KEY
from webrag_desktop.gui.reader.text import ReaderText
from webrag_desktop.models.cite_ids import is_link

_WEB = ("http://", "https://")
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
    cite = menu.addAction(_tr("Cite selection"), QKeySequence(Qt.Key.Key_C), view.cite_selection)
    cite.setEnabled(selected)
    ask = menu.addAction(_tr("Ask about this"), view.ask_about_selection)
    ask.setEnabled(selected)
    if link is not None:
        _add_link(menu, view, open_link, link)
    menu.addSeparator()
    find = QKeySequence(QKeySequence.StandardKey.Find)
    menu.addAction(_tr("Find in this text"), find, view.open_find)
    original = menu.addAction(_tr("Open in browser"), QKeySequence(BROWSER_KEY), view.open_original)
    original.setEnabled(view.has_original)
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
    on_the_web = target.address.startswith(_WEB)
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
    follow.setEnabled(link.startswith(_WEB))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Reader", text)
