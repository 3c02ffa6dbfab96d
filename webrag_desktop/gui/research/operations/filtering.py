"""What searches can be restricted to: read from the library, and handed to the core."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.filters import Choice, ChosenFilters, FilterChoices, read_bound
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.retrieval.contracts.filters import SearchFilters


class FilterOperations(QObject):
    """Reads what there is to choose from in the session's library."""

    choices = Signal(object)  # FilterChoices
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session

    def fetch(self) -> None:
        """Have the choices told."""
        self._session.call(
            _choices,
            on_success=self.choices.emit,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="filter choices",
            repeat=True,
        )


def _choices(library: "Library", _task: Task) -> FilterChoices:
    from webrag_desktop.retrieval.contracts.filters import CONTENT_FLAGS

    facets, labels = library.documents.facets(), library.labels
    return FilterChoices(
        sites=_counted((site_value(host), documents) for host, documents in facets.sites),
        collections=_counted((one.name, one.documents) for one in labels.collections()),
        tags=_counted((one.name, one.documents) for one in labels.tags()),
        doc_types=_counted(facets.doc_types),
        languages=_counted(facets.languages),
        content_flags=tuple(map(Choice, CONTENT_FLAGS)),
    )


def site_value(host: str) -> str:
    """A host as a filter takes it: a number of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def _counted(values: Iterable[tuple[str, int]]) -> tuple[Choice, ...]:
    return tuple(Choice(value, documents) for value, documents in values)


def search_filters(chosen: ChosenFilters) -> "SearchFilters | None":
    """The same for the core; None where nothing is restricted.

    Raises:
        InputError: a period that ends before it begins.
    """
    if not chosen:
        return None
    from webrag_desktop.retrieval.contracts.filters import SearchFilters

    return SearchFilters(
        sites=chosen.sites,
        collections=chosen.collections,
        tags=chosen.tags,
        doc_types=chosen.doc_types,  # type: ignore[arg-type]
        languages=chosen.languages,
        content_flags=chosen.content_flags,  # type: ignore[arg-type]
        sections=chosen.sections,
        published_from=read_bound(chosen.published.first, last=False),
        published_to=read_bound(chosen.published.last, last=True),
        fetched_from=read_bound(chosen.fetched.first, last=False),
        fetched_to=read_bound(chosen.fetched.last, last=True),
    )
