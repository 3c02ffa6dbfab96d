"""The menu that says how often a document, and all documents, are looked at by themselves."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.data.versions import NEVER, DocumentTexts
from webrag_desktop.gui.library.schedule_words import CHOICES, every_words

Choose = Callable[[timedelta | None], None]


def schedule_menu(parent: QWidget, texts: DocumentTexts, of_document: Choose, of_library: Choose) -> QMenu:
    """One choice for the document, and below it one for all documents; what holds now is ticked."""
    menu = QMenu(parent)
    menu.setAccessibleName(_tr("How often it is checked"))
    same = _tr("Like all documents ({0})").format(every_words(texts.library).lower())
    _add_choices(menu, [(None, same), *_named(texts.own)], texts.own, of_document)
    menu.addSeparator()
    every = menu.addMenu(_tr("All documents"))
    library = texts.library or NEVER
    _add_choices(every, _named(library), library, lambda chosen: of_library(chosen or None))
    return menu


def _named(present: timedelta | None) -> list[tuple[timedelta | None, str]]:
    """The usual choices, and the present one where it is another."""
    known: set[timedelta] = {*CHOICES, present if present is not None else NEVER}
    return [(every, every_words(every)) for every in sorted(known)]


def _add_choices(
    menu: QMenu,
    choices: Sequence[tuple[timedelta | None, str]],
    present: timedelta | None,
    choose: Choose,
) -> None:
    group = QActionGroup(menu)
    for every, words in choices:
        action = menu.addAction(words)
        action.setCheckable(True)
        action.setChecked(every == present)
        group.addAction(action)
        action.triggered.connect(lambda _checked, every=every: choose(every))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Schedule", text)
