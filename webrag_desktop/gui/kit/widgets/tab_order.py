"""The order in which Tab reaches widgets that are made late."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def put_before(later: QWidget, made: QWidget) -> None:
    """Have Tab reach ``made`` and all within it, in the order in which they were made, before ``later``.

    Both are in the same window. Qt puts what is made last at the end.
    """
    within = [one for one in _chain(made) if one is made or made.isAncestorOf(one)]
    before = _chain(later)[-1]
    for one in within:
        QWidget.setTabOrder(before, one)
        before = one


def _chain(first: QWidget) -> list[QWidget]:
    """What Tab reaches from a widget on, once around the window: the widget itself only where Tab reaches it."""
    found, one = [], first
    while True:
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(one)
        after = one.nextInFocusChain()
        if after is None or after is first:
            return found
        one = after
