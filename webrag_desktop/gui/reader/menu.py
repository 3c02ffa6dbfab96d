"""The menu of the reader's text: what the keys and the head's buttons do, and what a link under it allows."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from webrag_desktop.gui.data.view_data import LinkRequest
from webrag_desktop.gui.kit.widgets.link_copying import add_copy_link
from webrag_desktop.gui.reader.commands import ReaderCommands
from webrag_desktop.gui.reader.header import BROWSER_KEY
from webrag_desktop.gui.reader.text import ReaderText
from webrag_desktop.models.cite_ids import is_link

_WEB = ("http://", "https://")


def reader_menu(
    view: ReaderCommands, text: ReaderText, link: str | None, open_link: Callable[[LinkRequest], None]
) -> QMenu:
    """The menu, which deletes itself when it closes; ``link`` is what it is opened on, followed by ``open_link``."""
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
        _add_link(menu, text, open_link, link)
    menu.addSeparator()
    find = QKeySequence(QKeySequence.StandardKey.Find)
    menu.addAction(_tr("Find in this text"), find, view.open_find)
    original = menu.addAction(_tr("Open in browser"), QKeySequence(BROWSER_KEY), view.open_original)
    original.setEnabled(view.has_original)
    everything = QKeySequence(QKeySequence.StandardKey.SelectAll)
    menu.addAction(_tr("Select all"), everything, text.selectAll)
    return menu


def _add_link(menu: QMenu, text: ReaderText, open_link: Callable[[LinkRequest], None], link: str) -> None:
    menu.addSeparator()
    menu.addAction(_tr("Copy link address"), lambda: QGuiApplication.clipboard().setText(link))
    if is_link(link):
        menu.addAction(_tr("Open link in the reader"), lambda: text.link_followed.emit(link, None))
        return
    request = LinkRequest(link)
    follow = menu.addAction(_tr("Open link in browser"), lambda: open_link(request))
    follow.setEnabled(link.startswith(_WEB))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Reader", text)
