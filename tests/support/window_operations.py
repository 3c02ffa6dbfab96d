"""Stands for everything the user can do: the real signals, and a note of what was asked for; nothing is done."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QMetaMethod, QMetaObject, QObject, Signal

from webrag_desktop.config.settings import Settings
from webrag_desktop.gui.citations.operations.citing import CitationOperations
from webrag_desktop.gui.citations.operations.verifying import QuoteOperations
from webrag_desktop.gui.library.operations.adding import FolderOperations
from webrag_desktop.gui.library.operations.bibliography import BibliographyOperations
from webrag_desktop.gui.library.operations.bin import BinOperations
from webrag_desktop.gui.library.operations.collections import CollectionOperations
from webrag_desktop.gui.library.operations.documents import DocumentOperations
from webrag_desktop.gui.library.operations.finding import FindOperations
from webrag_desktop.gui.library.operations.labelling import LabelOperations
from webrag_desktop.gui.library.operations.page_links import PageLinkOperations
from webrag_desktop.gui.library.operations.refreshing import RefreshOperations, ScheduledChanges
from webrag_desktop.gui.library.operations.versions import VersionOperations
from webrag_desktop.gui.maintenance.operations.moving import MoveOperations
from webrag_desktop.gui.maintenance.operations.safekeeping import SafekeepingOperations
from webrag_desktop.gui.maintenance.operations.stack_operations import StackOperations
from webrag_desktop.gui.map.operations.expanding import ExpansionOperations
from webrag_desktop.gui.map.operations.link_map import LinkMapOperations
from webrag_desktop.gui.reader.operations.page_looks import PageLookOperations
from webrag_desktop.gui.reader.operations.reading import LinkOperations, ReadingOperations
from webrag_desktop.gui.research.operations.answering import AnswerOperations
from webrag_desktop.gui.research.operations.kept_searches import KeptSearchOperations
from webrag_desktop.gui.research.operations.related import RelatedOperations
from webrag_desktop.gui.research.operations.searching import FilterOperations, SearchOperations
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.session.browsing import Browsing
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.gui.settings.operations.changing import SettingsOperations

_PARTS: dict[str, type[QObject]] = {
    "answering": AnswerOperations,
    "background": Background,
    "bin": BinOperations,
    "browsing": Browsing,
    "citing": CitationOperations,
    "documents": DocumentOperations,
    "expanding": ExpansionOperations,
    "filtering": FilterOperations,
    "finding": FindOperations,
    "folders": FolderOperations,
    "collections": CollectionOperations,
    "kept": KeptSearchOperations,
    "labelling": LabelOperations,
    "bibliography": BibliographyOperations,
    "link_map": LinkMapOperations,
    "links": LinkOperations,
    "page_links": PageLinkOperations,
    "moving": MoveOperations,
    "quotes": QuoteOperations,
    "page_looks": PageLookOperations,
    "reading": ReadingOperations,
    "related": RelatedOperations,
    "refreshing": RefreshOperations,
    "safekeeping": SafekeepingOperations,
    "scheduled": ScheduledChanges,
    "searching": SearchOperations,
    "session": LibrarySession,
    "settings": SettingsOperations,
    "stack": StackOperations,
    "versions": VersionOperations,
}


class _Part(QObject):
    """One part of the operations; a method that it has not is one that the real one must have."""

    def __init__(self, parent: "StandInOperations", name: str) -> None:
        super().__init__(parent)
        self._all, self._name = parent, name

    def __getattr__(self, name: str) -> Callable[..., None]:
        assert callable(getattr(_PARTS[self._name], name)), name

        def note(*arguments: object, **named: object) -> None:
            self._all.asked.append((f"{self._name}.{name}", *arguments, *named.values()))

        return note


def _signals(real: type[QObject]) -> dict[str, Any]:
    about: QMetaObject = real.staticMetaObject  # type: ignore[attr-defined]
    methods = (about.method(index) for index in range(about.methodOffset(), about.methodCount()))
    return {
        bytes(method.name().data()).decode(): Signal(*[object] * method.parameterCount())
        for method in methods
        if method.methodType() == QMetaMethod.MethodType.Signal
    }


class StandInOperations(QObject):
    """What the window asked for is in ``asked``, as (part.method, arguments…); undoing works as ever."""

    failed = Signal(object)

    def __init__(self) -> None:
        """A library that is being opened."""
        super().__init__()
        self.asked: list[tuple[object, ...]] = []
        self.undo = UndoStack(self)
        for name, real in _PARTS.items():
            setattr(self, name, type(name, (_Part,), _signals(real))(self, name))
        self.part("session").is_first_start = True
        self.part("session").is_open = False
        self.part("session").settings = Settings()

    def part(self, name: str) -> Any:
        """A part, to emit its signals."""
        return getattr(self, name)

    def calls_of(self, what: str) -> list[tuple[object, ...]]:
        """The arguments of every call of one method."""
        return [tuple(rest) for name, *rest in self.asked if name == what]

    def tell_failure(self, error: Exception) -> None:
        """As the real ones do, in fewer words."""
        self.failed.emit(error)
