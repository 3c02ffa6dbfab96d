"""Walks what a screen reader is reported widgets, and where the Tab key leads; says what is wrong in sentences."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QApplication, QScrollBar, QWidget

Role = QAccessible.Role
ROWS = {Role.ListItem, Role.TreeItem, Role.Cell}
CONTROLS = {
    Role.Button, Role.CheckBox, Role.RadioButton, Role.ComboBox, Role.EditableText, Role.SpinBox, Role.Slider,
    Role.PageTab, Role.Link, Role.ButtonMenu, Role.ButtonDropDown, Role.MenuItem, Role.List, Role.Tree, Role.Table,
    Role.HotkeyField, Role.Switch,
}  # fmt: skip
# What says nothing of what a control does, whatever it is called in the code.
MEANINGLESS = {
    "button",
    "list",
    "row",
    "item",
    "edit",
    "text",
    "label",
    "widget",
    "tree",
    "table",
    "...",
    "…",
    "none",
}
MOST_ROWS = 60
MOST_TABS = 250
MOST_WITHIN = 40  # steps from mark to mark of one text


@dataclass(frozen=True)
class Heard:
    """One thing as it is read out."""

    role: QAccessible.Role
    name: str
    description: str
    widget: QWidget | None

    def __str__(self) -> str:
        where = type(self.widget).__name__ if self.widget is not None else "row"
        return f"{self.role.name} “{self.name}” ({where})"


def heard(root: QWidget) -> list[Heard]:
    """Everything in a widget that a screen reader can come to now."""
    found = QAccessible.queryAccessibleInterface(root)
    return [] if found is None else list(_walk(found))


def _walk(interface: QAccessibleInterface) -> Iterator[Heard]:
    state = interface.state()
    widget = interface.object()
    shown = widget if isinstance(widget, QWidget) else None
    if state.invisible or (shown is not None and not shown.isVisible()):
        return
    if not isinstance(shown, QScrollBar):
        name, more = (interface.text(kind) for kind in (QAccessible.Text.Name, QAccessible.Text.Description))
        yield Heard(interface.role(), name, more, shown)
        if isinstance(shown, QAbstractItemView):
            yield from _rows(shown, interface)
            return
    for at in range(interface.childCount()):
        child = interface.child(at)
        if child is not None and child.isValid():
            yield from _walk(child)


def _rows(view: QAbstractItemView, interface: QAccessibleInterface) -> Iterator[Heard]:
    """The rows of a view; of a table's, the first column, which is what the keyboard goes to."""
    for at in range(min(interface.childCount(), MOST_ROWS)):
        child = interface.child(at)
        if child is None or child.role() not in ROWS or child.state().disabled:
            continue
        index = view.indexAt(view.viewport().mapFromGlobal(child.rect().center()))
        if index.isValid():
            yield Heard(
                child.role(),
                child.text(QAccessible.Text.Name),
                child.text(QAccessible.Text.Description),
                None,
            )


def faults(root: QWidget) -> list[str]:
    """What a screen reader's user could not make out in a widget."""
    everything = heard(root)
    reported = [one for one in everything if one.role in CONTROLS | ROWS or _takes_keyboard(one.widget)]
    wrong = [f"{one} has no name" for one in reported if not _has_words(one.name)]
    wrong += [f"{one} says nothing" for one in reported if one.name.strip().lower() in MEANINGLESS]
    same = Counter((one.role, one.name, one.description) for one in reported if one.role in CONTROLS)
    wrong += [
        f"{count} are called {role.name} “{name}”"
        for (role, name, _), count in same.items()
        if count > 1 and name
    ]
    return wrong


def _has_words(name: str) -> bool:
    return any(char.isalnum() for char in name) or len(name.strip()) == 1


def _takes_keyboard(widget: QWidget | None) -> bool:
    return widget is not None and widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def reached_by_tab(root: QWidget) -> set[QWidget]:
    """Where Tab leads, from where the keyboard is, until it is there again; it may not leave a text with Tab."""
    seen: list[QWidget] = []
    stays = 0
    for _ in range(MOST_TABS):
        now = QApplication.focusWidget()
        assert now is not None, f"the keyboard is nowhere after {seen[-1] if seen else root}"
        stays = stays + 1 if seen and now is seen[-1] else 0
        if stays > MOST_WITHIN or now in seen[:-1]:
            break
        if not stays:
            seen.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    return set(seen)


def unreachable(root: QWidget) -> list[str]:
    """Visible widgets that take the keyboard, or act when clicked, and that Tab does not lead to."""
    reached = reached_by_tab(root)
    proxies = {one.focusProxy() for one in reached} | {
        one for one in root.findChildren(QWidget) if one.focusProxy() in reached
    }
    missed = [
        one
        for one in root.findChildren(QWidget)
        if one.isVisible() and _takes_keyboard(one) and one not in reached | proxies
        if not _is_inner(one) and one.window() is root.window()
    ]
    return [f"Tab does not lead to {type(one).__name__} “{_words(one)}”" for one in missed]


def _words(widget: QWidget) -> str:
    text = widget.property("text")
    return widget.accessibleName() or (text if isinstance(text, str) else "") or widget.objectName()


def _is_inner(widget: QWidget) -> bool:
    """A part of a view, or a scroll area around what takes the keyboard itself."""
    parent = widget.parentWidget()
    return isinstance(parent, QAbstractScrollArea) and widget is parent.viewport()
