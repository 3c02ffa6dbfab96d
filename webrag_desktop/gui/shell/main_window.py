"""The main window: arranges toolbar, sidebar, views and status strip. What they do is connected elsewhere."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from webrag_desktop.gui.adding.drops import DropTarget
from webrag_desktop.gui.kit.rows.lists import visible_buttons
from webrag_desktop.gui.kit.shortcuts import key_of, with_key
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import (
    NARROW_BELOW,
    SIDEBAR_RANGE,
    SIDEBAR_WIDTH,
    SMALLEST_WINDOW,
    TOOLBAR_HEIGHT,
    WINDOW_SIZE,
)
from webrag_desktop.gui.kit.widgets.buttons import Segmented, push_button, tool_button
from webrag_desktop.gui.kit.widgets.messages import ToastArea
from webrag_desktop.gui.kit.widgets.panes import Panel, Splitter, column, row
from webrag_desktop.gui.kit.widgets.popups import SlidingOverlay
from webrag_desktop.gui.kit.widgets.tab_order import put_before
from webrag_desktop.gui.library.library_view import LibraryView
from webrag_desktop.gui.library.sidebar import Sidebar
from webrag_desktop.gui.research.query_box import QueryBox
from webrag_desktop.gui.shell.error_dialog import ErrorReporter
from webrag_desktop.gui.shell.research_view import ResearchView
from webrag_desktop.gui.shell.status_strip import StatusStrip

if TYPE_CHECKING:
    from webrag_desktop.gui.map.map_view import MapView

LIBRARY, RESEARCH, MAP = 0, 1, 2


class MainWindow(QMainWindow):
    """Three views of one library, one query box for all."""

    close_asked = Signal()
    view_chosen = Signal(int)  # LIBRARY, RESEARCH or MAP, chosen by the user

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("main")
        self.setWindowTitle(self.tr("WebRAG Desktop"))
        self.setMinimumSize(*SMALLEST_WINDOW)
        self._fit_screen()
        self._make_toolbar()
        self._make_body()
        self.status = StatusStrip()
        self._lay_out()
        self.toasts = ToastArea(self)
        self._keep_buttons_free()
        self.drops = DropTarget(self, self.stack)  # the collections of the sidebar stay in sight
        self.drops.shield()
        self.errors = ErrorReporter(self)
        self.recently_run: tuple[str, ...] = ()  # in the command palette, the last first
        self._map: MapView | None = None
        self._waiting_for_map: list[Callable[[MapView], object]] = []
        self._sidebar_wanted = True
        self._sidebar_slides = False

    def _fit_screen(self) -> None:
        """Begin at the usual size, or as large as a smaller screen lets it be."""
        screen = self.screen().availableGeometry()
        self.resize(min(WINDOW_SIZE[0], screen.width()), min(WINDOW_SIZE[1], screen.height()))

    # -- Parts ------------------------------------------------------------------------------------------------

    def _make_toolbar(self) -> None:
        self.sidebar_button = tool_button("panel-left", self.tr("Sidebar"), key_of("window", "sidebar"))
        self.back_button = tool_button("arrow-left", self.tr("Back"), key_of("window", "back"))
        self.forward_button = tool_button("arrow-right", self.tr("Forward"), key_of("window", "forward"))
        self.views = Segmented(
            [
                ("library", self.tr("Library"), key_of("window", "library")),
                ("text-quote", self.tr("Research"), key_of("window", "research")),
                ("waypoints", self.tr("Map"), key_of("window", "map")),
            ]
        )
        self.query = QueryBox()
        self.add_button = push_button(self.tr("Add"), icon="plus")
        self.add_button.setToolTip(plain_tooltip(with_key(self.tr("Add links or files"), "window", "add")))
        self.settings_button = tool_button("settings", self.tr("Settings"), key_of("window", "settings"))
        self.menu_button = tool_button("menu", self.tr("Menu"), key_of("window", "menu"))
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._toolbar = Panel("window", bottom_line=True)
        self._toolbar.setFixedHeight(grown(TOOLBAR_HEIGHT))
        layout = row(self._toolbar, (10, 0, 10, 0), 4)
        for button in (self.sidebar_button, self.back_button, self.forward_button):
            layout.addWidget(button)
        layout.addSpacing(6)
        layout.addWidget(self.views)
        layout.addSpacing(10)
        layout.addWidget(self.query, 1)
        layout.addSpacing(10)
        layout.addWidget(self.add_button)
        layout.addWidget(self.settings_button)
        layout.addWidget(self.menu_button)
        self.views.chosen.connect(self.view_chosen)
        self.sidebar_button.clicked.connect(self.toggle_sidebar)

    def _make_body(self) -> None:
        self.sidebar = Sidebar()
        self._dock = QWidget()  # keeps its width in the splitter while the sidebar is elsewhere
        self._dock.setMinimumWidth(SIDEBAR_RANGE[0])
        self._dock.setMaximumWidth(SIDEBAR_RANGE[1])
        self._docked = column(self._dock)
        self._docked.addWidget(self.sidebar)
        self.library = LibraryView()
        self.research = ResearchView()
        self.stack = QStackedWidget()
        self.stack.addWidget(self.library)
        self.stack.addWidget(self.research)
        self.body = Splitter(Qt.Orientation.Horizontal, [SIDEBAR_WIDTH, WINDOW_SIZE[0] - SIDEBAR_WIDTH])
        self.body.addWidget(self._dock)
        self.body.addWidget(self.stack)
        self.body.setStretchFactor(0, 0)
        self.body.setStretchFactor(1, 1)
        self.research.full_changed.connect(lambda _full: self._show_sidebar())

    def _lay_out(self) -> None:
        central = QWidget()
        layout = QVBoxLayout(central)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._toolbar)
        holder = QWidget()  # a splitter would take the overlay for one of its panes
        column(holder).addWidget(self.body)
        layout.addWidget(holder, 1)
        layout.addWidget(self.status)
        self.setCentralWidget(central)
        self.overlay = SlidingOverlay(holder, SIDEBAR_WIDTH)

    def _keep_buttons_free(self) -> None:
        """Let notices keep off the buttons of rows, wherever these are by then."""
        self._lists: list[QAbstractItemView] = []
        self.toasts.in_use = self._row_buttons
        self._keep_free(self.findChildren(QAbstractItemView))
        for opening in (self.research.results.list, self.research.citations.list):
            opening.chosen.connect(self.toasts.rearrange)

    def _keep_free(self, lists: Iterable[QAbstractItemView]) -> None:
        for view in lists:
            self._lists.append(view)
            view.verticalScrollBar().valueChanged.connect(self.toasts.rearrange)

    def _row_buttons(self) -> Iterator[QRect]:
        for view in self._lists:
            if view.isVisible():
                corner = view.viewport().mapTo(self, QPoint(0, 0))
                yield from (rect.translated(corner) for rect in visible_buttons(view))

    # -- Views ------------------------------------------------------------------------------------------------

    @property
    def map(self) -> "MapView":
        """The Map, made when it is first used: a window starts without it."""
        if self._map is None:
            from webrag_desktop.gui.map.map_view import MapView

            self._map = MapView()
            self.stack.addWidget(self._map)
            put_before(self.status, self._map)
            self._keep_free(self._map.findChildren(QAbstractItemView))
            self.drops.shield(self._map)
            for then in self._waiting_for_map:
                then(self._map)
            self._waiting_for_map.clear()
        return self._map

    def once_map_is_made(self, then: "Callable[[MapView], object]") -> None:
        """Call ``then`` with the Map as soon as there is one."""
        if self._map is None:
            self._waiting_for_map.append(then)
        else:
            then(self._map)

    def layouts(self) -> "Iterator[Sidebar | LibraryView | ResearchView | MapView]":
        """What has a layout to remember, as far as it was made."""
        yield from (self.sidebar, self.library, self.research)
        if self._map is not None:
            yield self._map

    def show_view(self, view: int) -> None:
        """Show the Library (0), the Research view (1) or the Map (2), which has the whole width."""
        self.views.choose(view)
        self.stack.setCurrentWidget((self.library, self.research)[view] if view != MAP else self.map)
        self._place_sidebar()

    @property
    def view(self) -> int:
        """The view that is shown."""
        return self.stack.currentIndex()

    def panes(self) -> list[QWidget]:
        """What F6 walks through, in reading order."""
        if self.view == LIBRARY:
            inner: list[QWidget] = [self.library]
        elif self.view == MAP:
            inner = [self.map.canvas_pane, self.map.lists_pane]
        else:
            inner = [
                self.research.answer,
                self.research.results,
                self.research.citations,
                self.research.reader,
                self.research.related,
            ]
        return [pane for pane in (self.query, self.sidebar, *inner, self.status) if pane.isVisible()]

    def menus(self) -> Iterator[tuple[str, QMenu]]:
        """New menus of what the shown view offers now, each with the name of its pane; whoever asks deletes them."""
        if self.view == LIBRARY:
            yield from self.library.menus()
        elif self.view == MAP:
            yield from self.map.menus()
        else:
            yield from self.research.menus()

    # -- Sidebar ----------------------------------------------------------------------------------------------

    def toggle_sidebar(self) -> None:
        """Show or hide the sidebar; in a narrow window it slides over the view."""
        if self._sidebar_slides:
            self.overlay.close_pane() if self.overlay.is_open else self.overlay.open()
            return
        self._sidebar_wanted = not self._sidebar_wanted
        self._show_sidebar()

    def _show_sidebar(self) -> None:
        wanted = self._sidebar_wanted and not self.research.is_full
        self._dock.setVisible(wanted and not self._sidebar_slides)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the sidebar slide over the view where the window is narrow."""
        super().resizeEvent(event)
        self._place_sidebar()

    def _place_sidebar(self) -> None:
        slides = self.width() < NARROW_BELOW or self.view == MAP
        if slides != self._sidebar_slides:
            self._sidebar_slides = slides
            if slides:
                self.overlay.set_content(self.sidebar)
            else:
                self.overlay.close_pane()
                self.overlay.take_content()
                self._docked.addWidget(self.sidebar)
                self.sidebar.show()
                QWidget.setTabOrder(self.menu_button, self.sidebar.list)  # it came back as the last
            self._show_sidebar()

    # -- The end ----------------------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        """Grow the toolbar with the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._toolbar.setFixedHeight(grown(TOOLBAR_HEIGHT))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide at once and let the application end in its order."""
        event.ignore()
        self.close_asked.emit()
