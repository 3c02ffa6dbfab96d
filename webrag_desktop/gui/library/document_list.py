"""The list of documents: selection, keys, and rows that work never moves while somebody is in the list."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from uuid import UUID

from PySide6.QtCore import QElapsedTimer, QEvent, QModelIndex, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QMenu, QTableView, QWidget

from webrag_desktop.gui.data.library import ListGroup
from webrag_desktop.gui.data.view_data import DocumentNews, Listing
from webrag_desktop.gui.kit.rows.lists import set_up_rows
from webrag_desktop.gui.kit.rows.models import key_of
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.shortcuts import STEPS, command_of, commands_of
from webrag_desktop.gui.kit.theme.painting import moves
from webrag_desktop.gui.kit.widgets.popups import open_for_row
from webrag_desktop.gui.library.arranging import TOGGLES, NewAbove, arrangement_menu, group_step
from webrag_desktop.gui.library.document_actions import Chosen, DocumentActions
from webrag_desktop.gui.library.document_columns import Column
from webrag_desktop.gui.library.document_delegate import DocumentDelegate
from webrag_desktop.gui.library.document_header import DocumentHeader
from webrag_desktop.gui.library.document_place import MOVE, SELECT, PlaceRestorer, selected_rows
from webrag_desktop.gui.library.document_states import Pointer
from webrag_desktop.gui.library.documents_model import DocumentRole, DocumentsModel

_FRAME = 33
_MOVES = frozenset(
    (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
)
_MOST_EXAMINED = 1000  # selected rows whose state decides which actions apply


class DocumentList(QTableView):
    """Shows documents and says what the user wants with them; see also its :attr:`actions_`."""

    listing_wanted = Signal(object)  # Listing: another order
    chosen_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._listing = self.asked = Listing()  # listed, and asked for last
        self._restoring = self._mouse_inside = False
        self._typed, self._typed_at = "", QElapsedTimer()
        self._announced: tuple[int, UUID | None] = (0, None)
        self.documents = DocumentsModel(self)
        self.rows = DocumentDelegate(self)
        self.columns = DocumentHeader(self)
        set_up_rows(self)
        self.above = NewAbove(self, self.documents)
        self._place = PlaceRestorer(self, self.documents, self.rows)
        self._set_up()
        self.actions_ = DocumentActions(self, self.chosen)
        self._frames = QTimer(self, interval=_FRAME, singleShot=True)
        self._connect()

    def _set_up(self) -> None:
        self.setModel(self.documents)
        self.setItemDelegate(self.rows)
        self.setHorizontalHeader(self.columns)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)  # onto a collection of the sidebar
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.columns.setSectionResizeMode(Column.TITLE, QHeaderView.ResizeMode.Stretch)
        self.setAccessibleName(self.tr("Documents"))
        self._measure()

    def _connect(self) -> None:
        self._frames.timeout.connect(self._move_bars)
        self.columns.sort_asked.connect(lambda key, descending: self.ask(sort=key, descending=descending))
        self.columns.layout_changed.connect(self._share_width)
        self.columns.menu_asked.connect(lambda at: self.arrangement_menu().popup(at))
        self.documents.dataChanged.connect(lambda *_: self.actions_.update())
        self.selectionModel().selectionChanged.connect(lambda *_: self._announce())
        self.rows.retry_clicked.connect(lambda one: self.actions_.retry_requested.emit((one,)))
        self.rows.restore_clicked.connect(lambda one: self.actions_.restore_requested.emit((one,)))

    # -- What is shown ----------------------------------------------------------------------------------------

    @property
    def listing(self) -> Listing:
        """What is listed."""
        return self._listing

    def arrangement_menu(self) -> QMenu:
        """By what the documents are grouped, and which columns there are."""
        return arrangement_menu(self, self.columns, self.asked, lambda one: self.ask(grouping=one.grouping))

    def ask(self, **changes: object) -> None:
        """Want what was asked for last with other fields of :class:`Listing`, though it may not be listed yet."""
        self.asked = replace(self.asked, **changes)  # type: ignore[arg-type]
        self.listing_wanted.emit(self.asked)

    def show_listing(self, listing: Listing, keys: Sequence[int], groups: Sequence[ListGroup] = ()) -> None:
        """Show documents. Where only work changed them, rows stay in place while somebody is in the list."""
        refreshed = listing == self._listing
        self._listing = self.asked = listing
        self.columns.show_order(listing.sort, listing.descending)
        before, in_place = self.above.known() if refreshed else None, refreshed and self.is_busy
        show = partial(self.documents.show_keys, keys, groups, in_place=in_place, reset=not refreshed)
        self._keep_place(show, restart=not refreshed)
        self._share_width()
        self.above.note(before)

    def hide_documents(self, ids: Iterable[UUID]) -> None:
        """Leave documents out; what is next is selected instead."""
        self._keep_place(lambda: self.documents.hide(ids))

    def unhide_documents(self, ids: Iterable[UUID]) -> None:
        """Show documents again."""
        self._keep_place(lambda: self.documents.unhide(ids))

    def apply_news(self, news: Sequence[DocumentNews]) -> None:
        """Show what work changed."""
        if any(one.state is None for one in news):
            self._keep_place(lambda: self.documents.apply_news(news))
        else:
            self.documents.apply_news(news)

    @property
    def is_busy(self) -> bool:
        """Whether the pointer or the keyboard is in the list."""
        focused = self.hasFocus() or self.columns.hasFocus()
        return focused or self._mouse_inside or QApplication.activePopupWidget() is not None

    def _settle(self) -> None:
        if not self.is_busy and not self.documents.is_settled:
            self._keep_place(self.documents.settle)

    # -- Selection --------------------------------------------------------------------------------------------

    def chosen(self) -> Chosen:
        """What is selected, and what is known of it."""
        ranges = selected_rows(self)
        first = islice(chain.from_iterable(ranges), _MOST_EXAMINED)
        known = (self.documents.document(self.documents.id_at(at)) for at in first)
        return Chosen(
            rows=tuple(row for row in known if row is not None),
            count=sum(map(len, ranges)),
            all_ids=lambda: tuple(self.documents.id_at(at) for rows in ranges for at in rows),
            in_bin=self._listing.group == "bin",
        )

    @property
    def chosen_id(self) -> UUID | None:
        """The selected document, where it is one."""
        ranges = selected_rows(self)
        return self.documents.id_at(ranges[0].start) if sum(map(len, ranges)) == 1 else None

    def choose(self, row: int) -> None:
        """Select a row and scroll to it."""
        self.selectionModel().setCurrentIndex(self.documents.index(row, 0), SELECT)
        self.scrollTo(self.documents.index(row, 0))

    def choose_all(self, ids: Iterable[UUID]) -> None:
        """Select documents, and scroll to the first."""
        self._place.choose(map(key_of, ids))

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Paint the ring of both rows as a whole; Qt would only paint their first cells."""
        super().currentChanged(current, previous)
        for index in (current, previous):
            if index.isValid():
                rect = self.visualRect(index)
                self.viewport().update(0, rect.top(), self.viewport().width(), rect.height())

    def _announce(self) -> None:
        if self._restoring:
            return
        self.documents.request_rows(islice(chain.from_iterable(selected_rows(self)), _MOST_EXAMINED))
        self.actions_.update()
        state = (sum(map(len, selected_rows(self))), self.chosen_id)
        if state != self._announced:
            self._announced = state
            self.chosen_changed.emit()

    def _keep_place(self, change: Callable[[], None], *, restart: bool = False) -> None:
        """Change rows as if nothing had moved, and say once what is selected then."""
        self._restoring = True
        if restart:
            self._place.restart(change)
        else:
            self._place.refresh(change, follow_top=not self.is_busy)
        self._restoring = False
        self._announce()

    # -- Keys -------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Let a letter belong to the title being typed rather than to an action."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier == Qt.KeyboardModifier.NoModifier
            on_head = plain and event.key() in TOGGLES and self.documents.is_head(self.currentIndex().row())
            if on_head or (plain and event.text().isprintable() and event.text() and self._is_typing):
                event.accept()
                return True
        return super().event(event)

    @property
    def _is_typing(self) -> bool:
        pause = QApplication.keyboardInputInterval()
        return bool(self._typed) and self._typed_at.isValid() and self._typed_at.elapsed() < pause

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """J and K move as the arrows do, unless a title is being typed; Left and Right close and open a group."""
        if self._press_group(event):
            return
        step = STEPS.get(command_of(event, commands_of("documents")), 0)
        if step and not self._is_typing and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            last = self.documents.rowCount() - 1
            if last >= 0:
                self.choose(max(0, min(self.currentIndex().row() + step, last)))
            return
        before = self.currentIndex()
        super().keyPressEvent(event)
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        # Qt selects what it moves to, and nothing where it does not move: the ring may be there already.
        if plain and event.key() in _MOVES and before.isValid() and before == self.currentIndex():
            self.choose(before.row())

    def _press_group(self, event: QKeyEvent) -> bool:
        step = group_step(self, self.documents, event)
        if step is not None and step.is_open is None:
            self.choose(step.row)
        elif step is not None:
            self._open_group(step.row, bool(step.is_open))
        return step is not None

    def _open_group(self, row: int, is_open: bool) -> None:
        self._keep_place(lambda: self.documents.open_group(row, is_open))

    def keyboardSearch(self, text: str) -> None:
        """Go to the next document whose title begins with what is typed, among the rows that are here."""
        going_on = self._is_typing
        self._typed = (self._typed if going_on else "") + text
        self._typed_at.start()
        current = self.currentIndex().row()
        first = current if going_on else current + 1
        begins = [
            at
            for at, row in self.documents.loaded()
            if row.title.casefold().startswith(self._typed.casefold())
        ]
        found = next((at for at in begins if at >= first), begins[0] if begins else None)
        if found is not None:
            self.choose(found)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Move by rows only."""
        moves_ = QAbstractItemView.CursorAction
        last = self.documents.rowCount() - 1
        if last < 0:
            return QModelIndex()
        if action in {moves_.MoveLeft, moves_.MoveRight}:
            return self.currentIndex()
        if action in {moves_.MoveHome, moves_.MoveEnd}:
            return self.documents.index(0 if action == moves_.MoveHome else last, 0)
        return super().moveCursor(action, modifiers).siblingAtColumn(0)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done; with the keyboard at the current row."""
        inside = self.indexAt(self.viewport().mapFromGlobal(event.globalPos())).isValid()
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        if not self.currentIndex().isValid() or not (by_key or inside):
            return
        if by_key:
            self.scrollTo(self.currentIndex())
        self.actions_.update()
        menu = self.actions_.menu(self)
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self, self._settle))
        open_for_row(menu, self, event)

    # -- The pointer ------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select; the current cell is always the row's first, which says the whole row."""
        super().mousePressEvent(event)
        at = self.rowAt(round(event.position().y()))
        head = self.documents.group_at(at) if at >= 0 else None
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self._open_group(at, not head.is_open)
            return
        if self.currentIndex().column() > 0:
            self.selectionModel().setCurrentIndex(self.currentIndex().siblingAtColumn(0), MOVE)
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open, unless it was the button that was pressed twice."""
        super().mousePressEvent(event)
        point = event.position().toPoint()
        left = event.button() == Qt.MouseButton.LeftButton
        row = self.rowAt(point.y())
        if (
            left
            and row >= 0
            and self.documents.group_at(row) is None
            and self._document_with_button_at(point) is None
        ):
            self.actions_.open.trigger()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what is under the pointer."""
        super().mouseMoveEvent(event)
        self._point_at(event.position().toPoint())

    def viewportEvent(self, event: QEvent) -> bool:
        """Know whether the pointer is in the list."""
        if event.type() == QEvent.Type.Enter:
            self._mouse_inside = True
        elif event.type() == QEvent.Type.Leave:
            self._mouse_inside = False
            self._set_pointer(Pointer())
            self._settle()
        return super().viewportEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Scroll; another row may now be under the pointer."""
        super().scrollContentsBy(dx, dy)
        if self._mouse_inside:
            self._point_at(self.viewport().mapFromGlobal(QCursor.pos()))

    def _point_at(self, point: QPoint) -> None:
        self._mouse_inside = True
        self._set_pointer(Pointer(self.rowAt(point.y()), self._document_with_button_at(point)))

    def _set_pointer(self, pointer: Pointer) -> None:
        if pointer != self.rows.pointer:
            self.rows.pointer = pointer
            self.viewport().update()

    def _document_with_button_at(self, point: QPoint) -> UUID | None:
        index = self.indexAt(point)
        row = index.data(DocumentRole) if index.isValid() and index.column() == Column.STATE else None
        cell = QRectF(self.visualRect(index))
        return row.id if self.rows.is_on_button(point.toPointF(), cell, row) and row is not None else None

    # -- Sizes, focus, motion ---------------------------------------------------------------------------------

    def _measure(self) -> None:
        self.rows.drop_fonts()
        self.verticalHeader().setDefaultSectionSize(self.rows.row_height)
        self._share_width()

    def _share_width(self) -> None:
        self.columns.share(self.viewport().width(), reasons=self._listing.group == "attention")
        self.above.place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width; a narrow list leaves out the least important columns."""
        super().resizeEvent(event)
        self._share_width()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away, and the order that was held back."""
        super().focusOutEvent(event)
        self.viewport().update()
        self._settle()

    def changeEvent(self, event: QEvent) -> None:
        """Measure again when the font changes."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and go on moving the bars of work whose end is not known."""
        super().paintEvent(event)
        if not moves():
            self.rows.travelling.clear()
        elif self.rows.travelling and not self._frames.isActive():
            self._frames.start()

    def _move_bars(self) -> None:
        bars, self.rows.travelling = self.rows.travelling, []
        for bar in bars:
            self.viewport().update(bar.toAlignedRect())
