"""The pane beside the drawing: pages to fetch, the buttons that fetch them, the sites' rules, pages on the map."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from webrag_desktop.gui.data.map import NO_EXPANSION, MapPage, ShownExpansion, SiteRule
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.shortcuts import with_key
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import MINI_HEIGHT, SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import push_button, tool_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label, label
from webrag_desktop.gui.kit.widgets.panes import FlowLayout, PaneHeader, Panel, column, row, scroll_area
from webrag_desktop.gui.kit.widgets.popups import open_below
from webrag_desktop.gui.map import words
from webrag_desktop.gui.map.page_rows import PageRow, PageRows
from webrag_desktop.gui.map.to_fetch_list import ToFetchList

_MOST_SHOWN = 4


class _SiteRow(QWidget):
    def __init__(self, host: str) -> None:
        super().__init__()
        self.host = host
        self.button = push_button("", "bare", "chevrons-up-down")
        line = row(self, (0, 0, 0, 0), SPACE_S)
        line.addWidget(ElidedLabel(host, "body"), 1)
        line.addWidget(self.button)

    def show_rule(self, rule: SiteRule) -> None:
        said = words.rule_words(rule)
        self.button.setText(said)
        self.button.setAccessibleName(self.tr("{0}: {1}").format(self.host, said))


class SiteRules(Panel):
    """One line for each site; its button opens a menu of the rules."""

    rule_chosen = Signal(str, str)  # host, rule

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("surface", parent=parent)
        self._hosts: tuple[str, ...] = ()
        self._rules: Mapping[str, SiteRule] = {}
        self._rows: list[_SiteRow] = []
        self._inner = Panel("surface")
        self._lines = column(self._inner, spacing=SPACE_XS)
        self._area = scroll_area(self._inner, "surface")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # spare room stays below
        layout = column(self, (_INSET, SPACE_S, _INSET, SPACE_S), SPACE_XS)
        layout.addWidget(label(self.tr("Sites"), "small", "text3", SEMIBOLD))
        layout.addWidget(self._area)

    def show_sites(self, hosts: Sequence[str], rules: Mapping[str, SiteRule]) -> None:
        """Show the rules of these sites."""
        self._rules = rules
        if tuple(hosts) != self._hosts:
            self._hosts = tuple(hosts)
            self._make_rows()
        for line in self._rows:
            line.show_rule(rules.get(line.host, "ask"))
        self.setVisible(bool(hosts))

    def _make_rows(self) -> None:
        for line in self._rows:
            self._lines.removeWidget(line)
            line.hide()
            line.deleteLater()
        self._rows = [_SiteRow(host) for host in self._hosts]
        for line in self._rows:
            self._lines.addWidget(line)
            line.button.clicked.connect(partial(self._open_menu, line))
        tall = grown(MINI_HEIGHT) + SPACE_XS
        self._area.setFixedHeight(tall * min(len(self._rows), _MOST_SHOWN) + 2)

    def buttons(self) -> list[QPushButton]:
        """The button of each site, in order."""
        return [line.button for line in self._rows]

    def menu(self, host: str) -> QMenu:
        """The rules that a site may have."""
        menu = QMenu(self)
        group = QActionGroup(menu)
        for rule in words.RULES:
            action = menu.addAction(words.rule_words(rule))
            action.setCheckable(True)
            action.setChecked(rule == self._rules.get(host, "ask"))
            action.triggered.connect(partial(self._choose, host, rule))
            group.addAction(action)
        return menu

    def _choose(self, host: str, rule: SiteRule, _checked: bool = False) -> None:
        self.rule_chosen.emit(host, rule)

    def _open_menu(self, line: _SiteRow, _checked: bool = False) -> None:
        menu = self.menu(line.host)
        open_below(menu, line.button)


_INSET = 20
_LEAST_ROWS = 2  # rows of a list that stay in sight
_LEAST_LIST = 40


class FetchPane(Panel):
    """Everything that can be done with the drawing can be done here with the keyboard."""

    fetch_requested = Signal(object)  # tuple[str, ...]: the addresses to fetch
    skip_requested = Signal()
    stop_requested = Signal()
    resume_requested = Signal()
    rule_chosen = Signal(str, str)  # host, rule

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("surface", parent=parent)
        self._shown = NO_EXPANSION
        self._tick_all = tool_button("list-checks", self.tr("Tick all"), size=16)
        self._header = PaneHeader(self.tr("Pages to fetch"), [self._tick_all])
        self._busy = BusyBar()
        self._title = Label("", "body", "text", MEDIUM, wrap=True)
        self._sentence = Label("", "body", "text2", wrap=True)
        self.list = ToFetchList()
        self.fetch = push_button("", "primary", "download")
        self.skip = push_button(self.tr("Skip all"), "quiet")
        self.stop = push_button(self.tr("Stop"), "default", "square")
        self.stop.setToolTip(
            plain_tooltip(with_key(self.tr("Stop fetching; fetched pages are kept"), "window", "escape"))
        )
        self.resume = push_button(self.tr("Go on"), "default", "play")
        self.sites = SiteRules()
        self._opened_name = Label("", "small", "text3", SEMIBOLD, figures=True)
        self.opened = PageRows(self.tr("Pages of the map. Enter opens one."))
        self._arrange()
        self._connect()
        self.show_expansion(NO_EXPANSION, {})

    def _arrange(self) -> None:
        self._note = Panel("surface")
        inside = column(self._note, (_INSET, SPACE_M, _INSET - 4, SPACE_S), SPACE_XS)
        inside.addWidget(self._busy)
        inside.addWidget(self._title)
        inside.addWidget(self._sentence)
        self._acts = Panel("surface")
        held = QWidget()
        buttons = FlowLayout(held, SPACE_S, SPACE_XS)
        for button in (self.fetch, self.skip, self.stop, self.resume):
            buttons.addWidget(button)
        column(self._acts, (_INSET, SPACE_M, _INSET - 4, SPACE_S)).addWidget(held)
        self._opened_head = Panel("surface")
        column(self._opened_head, (_INSET, SPACE_S, _INSET, SPACE_XS)).addWidget(self._opened_name)
        self._layout = column(self)
        factors: dict[QWidget, int] = {self.list: 3, self.opened: 2}
        for part in (
            self._header,
            self._note,
            self.list,
            self._acts,
            self.sites,
            self._opened_head,
            self.opened,
        ):
            self._layout.addWidget(part, factors.get(part, 0))
        self._layout.addStretch(0)

    def _connect(self) -> None:
        self.list.pages.ticks_changed.connect(self._show_ticks)
        self._tick_all.clicked.connect(self._toggle_all)
        self.fetch.clicked.connect(lambda: self.fetch_requested.emit(self.list.pages.ticked))
        self.skip.clicked.connect(self.skip_requested)
        self.stop.clicked.connect(self.stop_requested)
        self.resume.clicked.connect(self.resume_requested)
        self.sites.rule_chosen.connect(self.rule_chosen)

    # -- Showing --------------------------------------------------------------------------------------------------

    def show_expansion(self, shown: ShownExpansion, rules: Mapping[str, SiteRule]) -> None:
        """Show what may be fetched and what was opened."""
        self._shown = shown
        current = self.list.current_key
        if self.list.pages.show(shown.to_fetch) and current is not None:
            self.list.choose(current)
        there = [page for page in shown.pages if page.state != "waiting"]
        self.opened.show_rows([page.address for page in there], lambda at: _row(there[at]))
        title, sentence = words.standing(shown)
        for line, text in ((self._title, title), (self._sentence, sentence)):
            line.setText(text)
            line.setVisible(bool(text))
        self._note.setAccessibleName(" ".join(filter(None, (title, sentence))))
        self._busy.setVisible(shown.stage == "running" or (shown.stage == "listing" and bool(shown.question)))
        hosts = sorted({page.host for page in shown.to_fetch} | {h for h in rules if _among(h, shown)})
        self.sites.show_sites(hosts, rules)
        self._show_ticks()
        self._show_acts()
        self._fit()

    def _show_acts(self) -> None:
        offers = bool(self._shown.to_fetch)
        waits = self._shown.stage in {"preview", "asking"}
        self.fetch.setVisible(offers and waits)
        self.skip.setVisible(offers and waits)
        self.stop.setVisible(self._shown.is_running)
        self.resume.setVisible(self._shown.can_resume)
        self._acts.setVisible((offers and waits) or self._shown.is_running or self._shown.can_resume)
        self._tick_all.setVisible(offers)
        self.list.setVisible(offers)

    def _show_ticks(self) -> None:
        ticked = len(self.list.pages.ticked)
        self._header.set_detail(words.to_fetch_detail(self.list.pages.rowCount(), ticked))
        self.fetch.setText(words.fetch_words(ticked))
        self.fetch.setEnabled(bool(ticked))

    def _toggle_all(self) -> None:
        """Tick everything; where everything is ticked, nothing."""
        model = self.list.pages
        model.tick(range(model.rowCount()), on=len(model.ticked) < model.rowCount())

    # -- Size -----------------------------------------------------------------------------------------------------

    def _fit(self) -> None:
        """Give the lists the height of their rows where there is room, else two thirds and a third of what there is."""
        is_there = self.opened.pages.rowCount() > 0
        self._opened_head.setVisible(is_there)
        self.opened.setVisible(is_there)
        self._opened_name.setText(self.tr("In the map {0}").format(number(self.opened.pages.rowCount())))
        parts = (self._header, self._note, self._acts, self.sites, self._opened_head)
        taken = sum(self._height_of(part) for part in parts if not part.isHidden())
        room = max(self.height() - taken, 0)
        wanted = self.list.whole_height if not self.list.isHidden() else 0
        below = self.opened.whole_height if is_there else 0
        least = min(below, _LEAST_ROWS * max(self.opened.sizeHintForRow(0), 0))
        upper = min(wanted, max(room - below, round(room * 2 / 3), room - max(room // 3, least)))
        for rows, most in ((self.list, min(upper, room)), (self.opened, min(below, room - min(upper, room)))):
            rows.setMinimumHeight(0)
            rows.setMaximumHeight(max(most, grown(_LEAST_LIST)))

    def _height_of(self, part: QWidget) -> int:
        layout = part.layout()
        if layout is not None and layout.hasHeightForWidth():
            return max(layout.totalHeightForWidth(self.width()), part.minimumHeight())
        return max(part.sizeHint().height(), part.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The lists share what is left."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Rows grow with the font."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange}:
            self._fit()

    @property
    def has_keyboard(self) -> bool:
        """Whether something here has the keyboard, and can be seen."""
        focused = self.focusWidget()
        return focused is not None and focused.hasFocus() and focused.isVisible()

    @property
    def first(self) -> QWidget:
        """Where work with the keyboard begins: the pages to fetch, else the pages of the map."""
        return self.list if not self.list.isHidden() else self.opened


def _row(page: MapPage) -> PageRow:
    sign, ink = words.STATE_SIGNS[page.state]
    return PageRow(
        page.address,
        page.label,
        words.page_detail(page),
        sign,
        ink,
        words.page_sentence(page),
        badge=number(page.passages) if page.passages else "",
        detail_ink="bad" if page.state == "failed" else "text3",
    )


def _among(host: str, shown: ShownExpansion) -> bool:
    """Whether a site that has a rule is one of the map's: what is never fetched can be allowed again."""
    return any(page.host == host for page in shown.pages)
