"""The Map view: the drawing at the left with its legend, the same pages as lists at the right."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Literal
from uuid import UUID

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QMenu, QSizePolicy, QStackedWidget, QWidget

from webrag_desktop.gui.data.map import (
    NO_EXPANSION,
    EarlierExpansion,
    LinkMap,
    PageState,
    ShownExpansion,
    SiteRule,
)
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.quantities import pages
from webrag_desktop.gui.kit.rows.row_delegate import drops_layouts
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import Segmented, tool_button
from webrag_desktop.gui.kit.widgets.labels import IconLabel, Label
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import FlowLayout, PaneHeader, Panel, Splitter, column, row
from webrag_desktop.gui.kit.widgets.popups import open_below
from webrag_desktop.gui.map import words
from webrag_desktop.gui.map.canvas import MapCanvas
from webrag_desktop.gui.map.expansion_scene import ExpansionScene, spoken
from webrag_desktop.gui.map.fetch_pane import FetchPane
from webrag_desktop.gui.map.link_scene import LinkScene
from webrag_desktop.gui.map.page_rows import LinksPane

_ICON, _HEIGHT, _INSET = 15, 38, 20
_NARROW = 820


class _Entry(QWidget):
    def __init__(self, state: PageState) -> None:
        super().__init__()
        self.state: PageState = state
        self._words = Label("", "small", "text2", figures=True)
        line = row(self, spacing=SPACE_S - 1)
        sign = IconLabel(*words.STATE_SIGNS[state], _ICON)
        sign.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        line.addWidget(sign)
        line.addWidget(self._words)
        self.hide()

    def show_count(self, count: int) -> None:
        self._words.setText(words.state_count(self.state, count))
        self.setVisible(bool(count))


class Legend(Panel):
    """Icons without pages are left out; in a narrow window they take another line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", top_line=True, parent=parent)
        self.setMinimumHeight(grown(_HEIGHT))
        self._entries = [_Entry(state) for state in words.STATES]
        self._counted = False
        self._signs = QWidget()
        flow = FlowLayout(self._signs, SPACE_L + SPACE_XS, SPACE_XS)
        for entry in self._entries:
            flow.addWidget(entry)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self._signs.setSizePolicy(policy)
        self._reach = Label("", "small", "text3", figures=True)
        self._line = row(self, (_INSET, SPACE_S + 2, _INSET, SPACE_S), SPACE_XS)
        self._line.addWidget(self._signs, 1)
        self._line.addWidget(self._reach, 0, Qt.AlignmentFlag.AlignTop)

    def show_expansion(self, shown: ShownExpansion) -> None:
        """Count the pages of an expansion."""
        self._show_counts([shown.count(entry.state) for entry in self._entries])
        self.say(words.reach(shown))

    def say(self, sentence: str) -> None:
        """Show a sentence at the far edge."""
        self._reach.setText(sentence)

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence alone."""
        self._show_counts([0] * len(self._entries))
        self.say(sentence)

    def _show_counts(self, counts: Sequence[int]) -> None:
        for entry, count in zip(self._entries, counts, strict=True):
            entry.show_count(count)
        self._counted = any(counts)
        self._stack()

    def _stack(self) -> None:
        """Where there is little room, the sentence is below the icons, and alone where there are none."""
        is_narrow = self.width() < grown(_NARROW)
        self._line.setDirection(
            QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        )
        self._signs.setVisible(self._counted or not is_narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the best of the width."""
        super().resizeEvent(event)
        self._stack()


Mode = Literal["question", "links"]
_MODES: tuple[Mode, ...] = ("question", "links")
_SIZES, _LEAST_PANE, _LEAST_MAP = [1030, 410], 320, 360


class MapView(QWidget):
    """Emits what the user wants and shows what it is given; choosing in the drawing and in the lists is one."""

    mode_chosen = Signal(str)  # "question" or "links"
    links_wanted = Signal(
        bool
    )  # the library's links are to be shown, with those of menus and footers or without
    document_requested = Signal(object)  # UUID: open it in the reader
    browser_requested = Signal(str)
    earlier_requested = Signal()  # the list of earlier expansions is to be opened
    earlier_chosen = Signal(object)  # UUID of the expansion

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown, self._links = NO_EXPANSION, LinkMap()
        self._link_scene: LinkScene | None = None
        self._rules: Mapping[str, SiteRule] = {}
        self._mode: Mode = "question"
        self._drawn = ""  # the question of what is drawn
        self.modes = Segmented([("", self.tr("This question"), ""), ("", self.tr("All pages"), "")])
        self.earlier = tool_button("history", self.tr("Earlier expansions of this question"), size=16)
        self.smaller = tool_button("zoom-out", self.tr("Smaller"), "-", size=16)
        self.larger = tool_button("zoom-in", self.tr("Larger"), "+", size=16)
        self.whole = tool_button("locate-fixed", self.tr("Fit to window"), "0", size=16)
        self._header = PaneHeader(
            self.tr("Map"), [self.modes, self.earlier, self.smaller, self.larger, self.whole], "window"
        )
        self._empty = EmptyState(
            "waypoints",
            self.tr("Nothing was asked yet."),
            self.tr("Ask in the box above; this map shows which pages answer and where they lead."),
            self.tr("See how your pages link"),
        )
        self.canvas = MapCanvas()
        self.legend = Legend()
        self.fetching = FetchPane()
        self.linking = LinksPane()
        self._arrange()
        self._connect()
        self.show_expansion(NO_EXPANSION, {})

    def _arrange(self) -> None:
        self._left = Panel("window")
        self._left.setMinimumWidth(_LEAST_MAP)
        drawing = column(self._left)
        drawing.addWidget(self._header)
        drawing.addWidget(self._empty)
        drawing.addWidget(self.canvas, 1)
        drawing.addWidget(self.legend)
        self._right = QStackedWidget()
        self._right.setMinimumWidth(_LEAST_PANE)
        self._right.addWidget(self.fetching)
        self._right.addWidget(self.linking)
        self._panes = Splitter(Qt.Orientation.Horizontal, _SIZES)
        self._panes.addWidget(self._left)
        self._panes.addWidget(self._right)
        self._panes.setStretchFactor(0, 1)
        self._panes.setStretchFactor(1, 0)
        column(self).addWidget(self._panes)

    def _connect(self) -> None:
        self.modes.chosen.connect(lambda at: self.mode_chosen.emit(_MODES[at]))
        self._empty.acted.connect(lambda: self.mode_chosen.emit("links"))
        self.earlier.clicked.connect(self.earlier_requested)
        self.smaller.clicked.connect(self.canvas.zoom_out)
        self.larger.clicked.connect(self.canvas.zoom_in)
        self.whole.clicked.connect(self.canvas.fit)
        self.canvas.chosen.connect(self._take_click)
        self.canvas.opened.connect(self._take_double_click)
        self.fetching.list.page_chosen.connect(self.canvas.choose)
        self.fetching.list.browser_requested.connect(self.browser_requested)
        self.fetching.opened.page_chosen.connect(self.canvas.choose)
        self.fetching.opened.page_opened.connect(self._open)
        self.linking.page_chosen.connect(self.canvas.choose)
        self.linking.page_opened.connect(self._open)
        self.linking.navigation_chosen.connect(self.links_wanted)
        for lists in (self.fetching.list, self.fetching.opened, self.linking.list):
            lists.zoom_requested.connect(self._zoom)

    @property
    def canvas_pane(self) -> QWidget:
        """The drawing with its buttons."""
        return self._left

    @property
    def lists_pane(self) -> QWidget:
        """The lists, where the keyboard works."""
        return self._right

    # -- Showing --------------------------------------------------------------------------------------------------

    @property
    def mode(self) -> Mode:
        """Which of the two is shown."""
        return self._mode

    def show_mode(self, mode: Mode) -> None:
        """Show the map of the question or of the library's links."""
        if mode == self._mode:
            return
        self._mode = mode
        self.modes.choose(_MODES.index(mode))
        self._right.setCurrentIndex(_MODES.index(mode))
        self.earlier.setVisible(mode == "question")
        self._draw(reset=True)

    def show_expansion(self, shown: ShownExpansion, rules: Mapping[str, SiteRule]) -> None:
        """Show an expansion, as far as it is, with the rules of its sites."""
        self._shown, self._rules = shown, rules
        self.fetching.show_expansion(shown, rules)
        self.earlier.setEnabled(bool(shown.question))
        if self._mode == "question":
            reset, self._drawn = shown.question != self._drawn, shown.question
            self._draw(reset=reset)

    def show_reading_links(self) -> None:
        """The links are being read."""
        self.linking.show_waiting()

    def show_links(self, shown: LinkMap) -> None:
        """Show how the library's pages link; the same once more changes nothing."""
        if shown.pages and shown == self._links:
            return
        is_other = not self._links.pages or shown.navigation != self._links.navigation
        self._links, self._link_scene = shown, LinkScene(shown) if shown.pages else None
        self.linking.show_links(shown)
        if self._mode == "links":
            self._draw(reset=is_other)

    def show_links_failure(self, failure: Failure) -> None:
        """The links could not be read."""
        self.linking.show_failure(failure.message, failure.hint)

    def _draw(self, *, reset: bool) -> None:
        is_question = self._mode == "question"
        if is_question:
            self._draw_expansion(reset=reset)
        else:
            self._draw_links(reset=reset)
        self._empty.setVisible(is_question and not self._shown.question)
        for button in (self.smaller, self.larger, self.whole):
            button.setEnabled(self.canvas.scene is not None)

    def _draw_expansion(self, *, reset: bool) -> None:
        shown = self._shown
        self._header.set_detail(shown.question)
        self.legend.show_expansion(shown)
        scene = ExpansionScene(shown.question, shown.pages, mirrored=self.isRightToLeft())
        self.canvas.show_scene(scene if shown.question else None, reset=reset)
        said = spoken([(state, shown.count(state)) for state in words.STATES])
        self.canvas.setAccessibleName(said)

    def _draw_links(self, *, reset: bool) -> None:
        shown = self._links
        self._header.set_detail(self.tr("how your pages link"))
        self.legend.show_sentence(words.link_counts(shown))
        self.canvas.show_scene(self._link_scene, reset=reset)
        if reset:
            self.canvas.fit()
        self.canvas.setAccessibleName(
            self.tr("Map of links. The same pages are in the list beside it. {0}").format(
                pages(len(shown.pages))
            )
        )

    # -- Choosing -------------------------------------------------------------------------------------------------

    def _take_click(self, key: str) -> None:
        """A page that waits is chosen in the list, one that is there is opened in the reader."""
        self.canvas.choose(key)
        if self._mode == "links":
            self.linking.list.choose(key)
        elif not self.fetching.list.choose(key):
            self.fetching.opened.choose(key)
            self._open(key)

    def _take_double_click(self, key: str) -> None:
        """A page of the question was opened by the first click."""
        if self._mode == "links":
            self._open(key)

    def _open(self, key: str) -> None:
        document_id = self._document_of(key)
        if document_id is not None:
            self.document_requested.emit(document_id)

    def _document_of(self, key: str) -> UUID | None:
        if self._mode == "links":
            return UUID(key)
        return next((page.document_id for page in self._shown.pages if page.address == key), None)

    def _zoom(self, command: str) -> None:
        {"larger": self.canvas.zoom_in, "smaller": self.canvas.zoom_out, "fit": self.canvas.fit}[command]()

    def menus(self) -> Iterator[tuple[str, QMenu]]:
        """A new menu of what can be done with the current page to fetch."""
        if self.fetching.list.isVisible() and (menu := self.fetching.list.menu()) is not None:
            yield self.tr("Map"), menu

    # -- Earlier expansions ---------------------------------------------------------------------------------------

    def earlier_menu(self, earlier: Sequence[EarlierExpansion]) -> QMenu:
        """The earlier expansions of the question, newest first."""
        menu = QMenu(self)
        for one in earlier:
            action = menu.addAction(words.earlier_words(one))
            action.triggered.connect(partial(self._choose_earlier, one.id))
        if not earlier:
            menu.addAction(self.tr("No page was followed for this question yet.")).setEnabled(False)
        return menu

    def open_earlier(self, earlier: Sequence[EarlierExpansion]) -> None:
        """Open their menu."""
        menu = self.earlier_menu(earlier)
        open_below(menu, self.earlier)

    def _choose_earlier(self, expansion_id: UUID, _checked: bool = False) -> None:
        self.earlier_chosen.emit(expansion_id)

    # -- The window -----------------------------------------------------------------------------------------------

    @property
    def first_list(self) -> QWidget:
        """Where work with the keyboard begins."""
        return self.fetching.first if self._mode == "question" else self.linking.first

    def focus_first(self) -> None:
        """Put the keyboard there."""
        self.first_list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def saved_layout(self) -> dict[str, bytes]:
        """The splitter as the user left it."""
        return {"map-panes": self._panes.saved()}

    def restore_layout(self, saved: dict[str, bytes]) -> None:
        """Put the splitter back."""
        if "map-panes" in saved:
            self._panes.restore(saved["map-panes"])

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again in another theme, font or direction."""
        super().changeEvent(event)
        if drops_layouts(event) and hasattr(self, "canvas"):
            self._draw(reset=False)
