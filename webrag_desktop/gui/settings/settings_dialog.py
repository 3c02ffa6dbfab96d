"""The settings: sections at the left, with a field that searches all of them; one page at the right; Save."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QDialog, QLineEdit, QStackedWidget, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    LEFT,
    paint_box,
    paint_focus,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CONTROL, SPACE_M, SPACE_S, SPACE_XS, Role
from webrag_desktop.gui.kit.widgets.buttons import name_within, push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import Panel, column, dialog_foot, row
from webrag_desktop.gui.settings.pages import Page, SettingsPage

_SIZE = (860, 640)
_NAVIGATION = 210
_ROW, _ICON, _INSET = 30, 16, 10


class SectionButton(QAbstractButton):
    """A line of the navigation. Up and Down move through the group; Tab stops once."""

    def __init__(self, icon_name: str, title: str) -> None:
        """Name a section."""
        super().__init__()
        self._icon = icon_name
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        """One line."""
        width = text_width(self.text(), font("body", MEDIUM)) + grown(_ICON) + 3 * _INSET
        return QSize(round(width), grown(_ROW))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw icon and title; the chosen one on the ground of a selection."""
        painter, rect = QPainter(self), QRectF(self.rect())
        if self.isChecked() or self.underMouse():
            paint_box(painter, rect, RADIUS_CONTROL, colour("accent_soft" if self.isChecked() else "hover"))
        side, mirrored = grown(_ICON), self.isRightToLeft()
        at = rect.width() - _INSET - side if mirrored else _INSET
        role: Role = "accent_text" if self.isChecked() else "text2"
        paint_icon(painter, self._icon, at, (rect.height() - side) / 2, side, role)
        taken = _INSET + side + _INSET
        words = rect.adjusted(_INSET, 0, -taken, 0) if mirrored else rect.adjusted(taken, 0, -_INSET, 0)
        used = font("body", MEDIUM)
        paint_line(painter, words, self.text(), used, "accent_text" if self.isChecked() else "text", LEFT)
        if self.hasFocus():
            paint_focus(painter, rect, RADIUS_CONTROL)


class SettingsDialog(QDialog):
    """Everything that can be set. Nothing is written before Save, and nothing that cannot be used."""

    save_requested = Signal(object)  # dict[str, str | None]

    def __init__(self, pages: Sequence[Page], parent: QWidget | None = None) -> None:
        """Show the first of ``pages``."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setModal(True)
        self.pages = list(pages)
        self._group = QButtonGroup(self)
        self.stack = QStackedWidget()
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search settings"))
        self.search.setAccessibleName(self.tr("Search settings"))
        self.search.setClearButtonEnabled(True)
        name_within(self.search, self.tr("Show all settings"))
        self.search.textChanged.connect(self._search)
        self.status = Label("", "small", "text2", wrap=True)
        self.save_button = push_button(self.tr("Save"), "primary")
        self.cancel_button = push_button(self.tr("Cancel"))
        self.save_button.setAutoDefault(True)
        self.save_button.clicked.connect(lambda: self.save_requested.emit(self.changes()))
        self.cancel_button.clicked.connect(self.reject)
        self._lay_out()
        for page in self.pages:
            if isinstance(page, SettingsPage):
                page.changed.connect(self._show_state)
        self._show_state()
        self.resize(*map(grown, _SIZE))
        self.choose(0)
        self._group.button(0).setFocus()

    def _lay_out(self) -> None:
        navigation = Panel("sidebar")
        navigation.setFixedWidth(grown(_NAVIGATION))
        lines = column(navigation, (SPACE_M, SPACE_M, SPACE_M, SPACE_M), SPACE_XS)
        lines.addWidget(self.search)
        lines.addSpacing(SPACE_S)
        for at, page in enumerate(self.pages):
            button = SectionButton(page.icon_name, page.title)
            self._group.addButton(button, at)
            lines.addWidget(button)
            self.stack.addWidget(page.area)
        self.none_found = Label(self.tr("No setting is called that."), "small", "text2", wrap=True)
        self.none_found.hide()
        lines.addWidget(self.none_found)
        lines.addStretch(1)
        self._group.idClicked.connect(self.choose)
        body = row()
        body.addWidget(navigation)
        body.addWidget(self.stack, 1)
        whole = column(self)
        whole.addLayout(body, 1)
        foot = dialog_foot(self.cancel_button, self.save_button, leading=[self.status])
        self.status.setMinimumWidth(grown(_SIZE[0] // 2))
        whole.addWidget(foot)

    # -- Pages ------------------------------------------------------------------------------------------------

    def choose(self, at: int) -> None:
        """Show a page."""
        self._group.button(at).setChecked(True)
        self.stack.setCurrentIndex(at)
        for number, button in enumerate(self._group.buttons()):
            stops = Qt.FocusPolicy.TabFocus if number == at else Qt.FocusPolicy.NoFocus
            button.setFocusPolicy(stops)

    def page(self, section: str) -> SettingsPage:
        """The page of a group of declared settings."""
        return next(one for one in self.pages if isinstance(one, SettingsPage) and one.id == section)

    def show_section(self, section: str, setting: str = "") -> None:
        """Show the page of a group, with the keyboard at one of its settings."""
        page = self.page(section)
        self.choose(self.pages.index(page))
        if setting:
            page.reveal(setting)
        else:
            self._group.button(self.pages.index(page)).setFocus()

    def _search(self, text: str) -> None:
        words = text.casefold().split()
        found = [page.matches(words) for page in self.pages]
        for button, shown in zip(self._group.buttons(), found, strict=True):
            button.setVisible(shown)
        self.none_found.setVisible(not any(found))
        self.stack.setVisible(any(found))
        if any(found) and not found[self.stack.currentIndex()]:
            self.choose(found.index(True))

    # -- What is changed --------------------------------------------------------------------------------------

    def _forms(self) -> list[SettingsPage]:
        return [page for page in self.pages if isinstance(page, SettingsPage)]

    def changes(self) -> dict[str, str | None]:
        """What is to be written."""
        return {name: value for page in self._forms() for name, value in page.changes().items()}

    def _show_state(self) -> None:
        wrong = [page.title for page in self._forms() if page.is_wrong()]
        changed = len(self.changes())
        self.save_button.setEnabled(changed > 0 and not wrong)
        if wrong:
            self.show_status(self.tr("Something cannot be used: {0}.").format(", ".join(wrong)))
        elif changed:
            self.show_status(self.tr("Holds here at once; other programs take it when they start again."))
        else:
            self.show_status("")

    def show_status(self, text: str) -> None:
        """Say something beside the buttons."""
        self.status.setText(text)
        self.status.setAccessibleName(text)

    def show_saving(self, *, saving: bool) -> None:
        """Nothing is changed while it is being written."""
        self.save_button.setEnabled(not saving)
        self.stack.setEnabled(not saving)
        if saving:
            self.show_status(self.tr("Saving …"))
        else:
            self._show_state()
