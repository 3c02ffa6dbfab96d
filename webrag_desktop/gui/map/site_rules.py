"""The rule for each site among the pages to fetch: ask, fetch without asking, or never."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QScrollArea, QSizePolicy, QWidget

from webrag_desktop.gui.data.map import SiteRule
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import MINI_HEIGHT, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, label
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.gui.kit.widgets.popup_menus import open_below
from webrag_desktop.gui.map import words

_INSET = 20
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
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setProperty("surface", "surface")
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._inner)
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
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        open_below(menu, line.button)
