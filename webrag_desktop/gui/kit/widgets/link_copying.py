"""Copying links into the library: one entry for every menu, one key, one way onto the clipboard."""

from collections.abc import Callable, Sequence
from uuid import UUID

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.shortcuts import COPY_LINK, key_of
from webrag_desktop.gui.kit.theme.icons import icon
from webrag_desktop.models.citations import CiteId, DocumentLink


def add_copy_link(menu: QMenu, run: Callable[[], None], *, drawn: bool = True) -> QAction:
    """Add the entry that copies the link of what the menu is of; its key is that of what shows the menu.

    It is ``drawn`` with an icon where other entries are.
    """
    action = menu.addAction(copy_link_words())
    if drawn:
        action.setIcon(icon("link"))
    action.setShortcut(key_of("results", COPY_LINK))
    action.setShortcutVisibleInContextMenu(True)
    action.triggered.connect(lambda _checked: run())
    return action


def copy_link_words(count: int = 1) -> str:
    """What the entry is called."""
    return _tr("Copy WebRAG link") if count < 2 else _tr("Copy WebRAG links")


def copy_span_links(spans: Sequence[SpanReference]) -> str:
    """Copy the links of spans of stored texts, one a line; returns a sentence that says so."""
    return _copy([_cite_id(span).link for span in spans])


def copy_document_links(documents: Sequence[UUID]) -> str:
    """Copy the links of whole documents, one a line; returns a sentence that says so."""
    return _copy([DocumentLink(one).link for one in documents])


def _cite_id(span: SpanReference) -> CiteId:
    """Of a place without extent, all of its text."""
    if span.char_start >= span.char_end:
        return CiteId.of(span.version_id)
    return CiteId.of(span.version_id, span.char_start, span.char_end)


def _copy(links: Sequence[str]) -> str:
    QGuiApplication.clipboard().setText("\n".join(links))
    return _tr("WebRAG link copied.") if len(links) == 1 else _tr("WebRAG links copied.")


def _tr(text: str) -> str:
    return QCoreApplication.translate("LinkCopying", text)
