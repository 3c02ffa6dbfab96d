"""Qt's import hook, taken out again: the window's modules would otherwise be imported a tenth slower."""

import builtins

import PySide6.QtCore  # noqa: F401 - sets the hook


def remove_import_hook() -> None:
    """Import what follows as Python itself does.

    The hook reads the source of every module in search of ``from __feature__ import``, which nothing here uses.
    """
    without = getattr(builtins, "__orig_import__", None)
    if without is not None:
        builtins.__import__ = without
