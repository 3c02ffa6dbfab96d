"""Actions on the selected documents, shared by menu, keys and buttons; and copying links into the library."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.data.view_data import DocumentRow, SpanReference
from webrag_desktop.gui.kit.shortcuts import COPY_LINK, key_of, keys_of
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.library.document_words import REREADABLE, RETRYABLE, STOPPABLE
from webrag_desktop.models.citations import CiteId, DocumentLink
from webrag_desktop.progress import SourceState
from webrag_desktop.text.links import is_web


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


def _none() -> tuple[UUID, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The selected documents: how many, and what is known of them. Ids are gathered when they are needed.

    Either all of them are in the bin or none.
    """

    rows: tuple[DocumentRow, ...] = ()
    count: int = 0
    all_ids: Callable[[], tuple[UUID, ...]] = _none
    in_bin: bool = False

    @property
    def single(self) -> DocumentRow | None:
        """The one that is selected, if it is one and known."""
        return self.rows[0] if self.count == 1 and self.rows else None

    def has(self, states: frozenset[SourceState]) -> bool:
        """Whether any is, or for all that is known may be, in one of the states; none that is in the bin."""
        if self.in_bin:
            return False
        return self.count > len(self.rows) or any(row.state in states for row in self.rows)

    @property
    def has_retryable(self) -> bool:
        """Whether any can, or for all that is known may, be tried again now."""
        if self.in_bin:
            return False
        return self.count > len(self.rows) or any(can_be_retried(row) for row in self.rows)

    def retryable_ids(self) -> tuple[UUID, ...]:
        """Those that can be tried again now, and the unknown."""
        others = {row.id for row in self.rows if not can_be_retried(row)}
        return tuple(one for one in self.all_ids() if one not in others)

    def ids(self, states: frozenset[SourceState]) -> tuple[UUID, ...]:
        """Those in one of the states, and those whose state is not loaded: the library checks the state again."""
        others = {row.id for row in self.rows if row.state not in states}
        return tuple(one for one in self.all_ids() if one not in others)


def can_be_read(row: DocumentRow) -> bool:
    """Whether there is a text to open."""
    return row.removed_at is None and (row.searchable or row.state == "ready")


def can_be_retried(row: DocumentRow) -> bool:
    """Whether trying it again now does anything: it ended without success, or waits for what may be back."""
    return row.removed_at is None and (row.state in RETRYABLE or row.may_come_sooner)


class DocumentActions(QObject):
    """Actions with their keys, enabled where they apply. ``chosen`` is asked whenever one is used."""

    open_requested = Signal(object)  # UUID
    browser_requested = Signal(str)
    page_look_requested = Signal(object)  # UUID
    retry_requested = Signal(object)  # tuple[UUID, ...]
    reread_requested = Signal(object)  # tuple[UUID, ...]
    refresh_requested = Signal(object)  # tuple[UUID, ...]
    cancel_requested = Signal(object)  # tuple[UUID, ...]
    remove_requested = Signal(object)  # tuple[UUID, ...]
    restore_requested = Signal(object)  # tuple[UUID, ...]: out of the bin
    delete_requested = Signal(object)  # tuple[UUID, ...]: for good, which is asked about
    empty_requested = Signal()  # the bin
    labels_requested = Signal(object)  # tuple[UUID, ...]
    facts_requested = Signal(object)  # UUID
    copied = Signal(str)

    def __init__(self, parent: QWidget, chosen: Callable[[], Chosen]) -> None:
        """Their keys work while ``parent`` has the keyboard."""
        super().__init__(parent)
        self._widget, self._chosen = parent, chosen
        self.open = self._action("book-open", self.tr("Open"), keys_of("documents", "open"), self._open)
        self.browse = self._action(
            "external-link", self.tr("Open in browser"), keys_of("documents", "browse"), self._browse
        )
        self.copy = self._action("copy", self.tr("Copy address"), [QKeySequence.StandardKey.Copy], self._copy)
        self.copy_link = self._action(
            "link", copy_link_words(), keys_of("documents", COPY_LINK), self._copy_link
        )
        self.retry = self._action("rotate-cw", self.tr("Retry"), keys_of("documents", "retry"), self._retry)
        self.reread = self._action(
            "scan-text", self.tr("Read the kept copy again"), keys_of("documents", "reread"), self._reread
        )
        self.refresh = self._action(
            "download", self.tr("Check for changes"), keys_of("documents", "refresh"), self._refresh
        )
        self.label = self._action(
            "tag", self.tr("Tags and collections…"), keys_of("documents", "label"), self._label
        )
        self.describe = self._action(
            "notebook-pen", self.tr("Title and authors…"), keys_of("documents", "describe"), self._describe
        )
        self.stop = self._action("ban", self.tr("Stop"), keys_of("documents", "stop"), self._stop)
        self.remove = self._action("trash-2", self.tr("Remove"), keys_of("documents", "remove"), self._remove)
        self.restore = self._action(
            "undo-2", self.tr("Restore"), keys_of("documents", "restore"), self._restore
        )
        self.empty = self._action("trash-2", self.tr("Empty bin…"), [], self.empty_requested.emit)
        self.update()

    def _action(
        self,
        drawing: str,
        text: str,
        keys: Sequence[str | QKeySequence.StandardKey],
        call: Callable[[], None],
    ) -> QAction:
        action = QAction(icon(drawing), text, self._widget)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(call)
        self._widget.addAction(action)
        return action

    def update(self) -> None:
        """Enable what applies to what is selected now."""
        chosen = self._chosen()
        single = chosen.single
        self.open.setEnabled(single is not None and can_be_read(single))
        self.browse.setEnabled(single is not None and is_web(single.address))
        self.copy.setEnabled(bool(chosen.rows))
        self.copy.setText(self.tr("Copy address") if chosen.count < 2 else self.tr("Copy addresses"))
        self.copy_link.setEnabled(bool(chosen.rows))
        self.copy_link.setText(copy_link_words(chosen.count))
        self.retry.setEnabled(chosen.has_retryable)
        self.reread.setEnabled(chosen.has(REREADABLE))
        self.reread.setText(
            self.tr("Read the kept copy again") if chosen.count < 2 else self.tr("Read the kept copies again")
        )
        self.refresh.setEnabled(chosen.has(REREADABLE))
        self.stop.setEnabled(chosen.has(STOPPABLE))
        self.label.setEnabled(chosen.count > 0 and not chosen.in_bin)
        self.describe.setEnabled(single is not None and not chosen.in_bin)
        self.remove.setEnabled(chosen.count > 0)
        self.remove.setText(self.tr("Delete for good…") if chosen.in_bin else self.tr("Remove"))
        self.restore.setEnabled(chosen.count > 0 and chosen.in_bin)
        self.empty.setEnabled(chosen.in_bin)

    def menu(self, parent: QWidget) -> QMenu:
        """A menu of them all; of documents in the bin, of what can be done with these."""
        menu = QMenu(parent)
        menu.setAccessibleName(self.tr("Document"))
        if self._chosen().in_bin:
            menu.addActions([self.restore, self.remove])
            menu.addSeparator()
            menu.addActions([self.browse, self.copy])
            menu.addSeparator()
            menu.addAction(self.empty)
            return menu
        menu.addActions([self.open, self.browse])
        self._add_page_look(menu)
        menu.addActions([self.copy, self.copy_link])
        menu.addSeparator()
        menu.addActions([self.retry, self.refresh, self.reread, self.stop])
        menu.addSeparator()
        menu.addActions([self.label, self.describe, self.remove])
        return menu

    def _open(self) -> None:
        if (single := self._chosen().single) is not None:
            self.open_requested.emit(single.id)

    def _browse(self) -> None:
        if (single := self._chosen().single) is not None:
            self.browser_requested.emit(single.address)

    def _add_page_look(self, menu: QMenu) -> None:
        """Its key is the window's, so the list has no action of its own for it."""
        single = self._chosen().single
        action = menu.addAction(icon("globe"), self.tr("The page as it looked"), self._show_page_look)
        action.setShortcut(key_of("window", "page_look"))
        action.setShortcutVisibleInContextMenu(True)
        action.setEnabled(single is not None and can_be_read(single) and is_web(single.address))

    def _show_page_look(self) -> None:
        if (single := self._chosen().single) is not None:
            self.page_look_requested.emit(single.id)

    def _copy(self) -> None:
        addresses = [row.address for row in self._chosen().rows]
        QGuiApplication.clipboard().setText("\n".join(addresses))
        self.copied.emit(self.tr("Address copied") if len(addresses) == 1 else self.tr("Addresses copied"))

    def _copy_link(self) -> None:
        self.copied.emit(copy_document_links([row.id for row in self._chosen().rows]))

    def _retry(self) -> None:
        self.retry_requested.emit(self._chosen().retryable_ids())

    def _reread(self) -> None:
        self.reread_requested.emit(self._chosen().ids(REREADABLE))

    def _refresh(self) -> None:
        self.refresh_requested.emit(self._chosen().ids(REREADABLE))

    def _stop(self) -> None:
        self.cancel_requested.emit(self._chosen().ids(STOPPABLE))

    def _label(self) -> None:
        self.labels_requested.emit(self._chosen().all_ids())

    def _describe(self) -> None:
        if (single := self._chosen().single) is not None:
            self.facts_requested.emit(single.id)

    def _remove(self) -> None:
        chosen = self._chosen()
        (self.delete_requested if chosen.in_bin else self.remove_requested).emit(chosen.all_ids())

    def _restore(self) -> None:
        self.restore_requested.emit(self._chosen().all_ids())
