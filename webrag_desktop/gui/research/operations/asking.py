"""Asking the library a question, in a thread: all at once, or the first page before the others."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters, FilterCosts, read_bound
from webrag_desktop.gui.data.view_data import SearchResults
from webrag_desktop.gui.research.operations.text_parts import Readings
from webrag_desktop.gui.session.background import Task
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.retrieval.contracts.filters import SearchFilters
    from webrag_desktop.retrieval.contracts.results import RetrievalResult


Rest: TypeAlias = "Callable[[CancelToken], RetrievalResult]"
FIRST_PAGE = 10  # passages: as many as a large window shows, and a few


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
        authors=chosen.authors,
        doc_types=chosen.doc_types,  # type: ignore[arg-type]
        languages=chosen.languages,
        content_flags=chosen.content_flags,  # type: ignore[arg-type]
        sections=chosen.sections,
        published_from=read_bound(chosen.published.first, last=False),
        published_to=read_bound(chosen.published.last, last=True),
        fetched_from=read_bound(chosen.fetched.first, last=False),
        fetched_to=read_bound(chosen.fetched.last, last=True),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """What a question found, and how it is shown; ``shown`` has the question and the filters.

    Of a first page, ``rest`` gives the whole result.
    """

    shown: SearchResults
    result: "RetrievalResult"
    rest: "Rest | None" = None


def search_all(
    query: str,
    filters: ChosenFilters,
    readings: Readings,
    library: "Library",
    task: Task,
    *,
    rerank: bool | None = None,
) -> Found:
    """All that a question finds."""
    result = library.search(
        query, mode="chunk", filters=search_filters(filters), rerank=rerank, cancel=task.cancel
    )
    return _made(query, filters, readings, library, task, result)


def search_first(
    query: str, filters: ChosenFilters, readings: Readings, library: "Library", task: Task
) -> Found:
    """The best passages of a question, before the others are read."""
    growing = library.search_growing(query, FIRST_PAGE, filters=search_filters(filters), cancel=task.cancel)
    found = _made(query, filters, readings, library, task, growing.first)
    return found if growing.is_whole else replace(found, rest=growing.whole)


def search_rest(first: Found, rest: Rest, readings: Readings, library: "Library", task: Task) -> Found:
    """All that the question of a first page finds."""
    shown = first.shown
    return _made(shown.query, shown.filters, readings, library, task, rest(task.cancel))


def _made(
    query: str,
    filters: ChosenFilters,
    readings: Readings,
    library: "Library",
    task: Task,
    result: "RetrievalResult",
) -> Found:
    from webrag_desktop.gui.research.operations.passages import documents_of, search_results

    sources = library.documents.rows(list(documents_of(result)))
    read = readings.of(
        {chunk.version_id for chunk in result.chunks}, library.documents.plain_texts, task.cancel
    )
    options = library.settings.retrieval_options()
    threshold = min(options.full_context_threshold, options.context_budget)
    structures = readings.structures.of(result.chunks, library.documents.markdown, task.cancel)
    shown = search_results(query, result, sources, read, threshold, structures)
    return Found(replace(shown, filters=filters), result)


_OWN_MODEL = "embedded"


def search_as_typed(
    query: str, filters: ChosenFilters, readings: Readings, library: "Library", task: Task
) -> Found | None:
    """What is found so far, no model judging it again; None where a server would have to be asked."""
    model = library.embedding_model()
    if model is not None and model.backend != _OWN_MODEL:
        return None
    found = search_all(query, filters, readings, library, task, rerank=False)
    return replace(found, shown=replace(found.shown, as_typed=True))


def costs_of(found: Found, library: "Library", task: Task) -> FilterCosts:
    """Search without each filter; the question's vector is taken from what was found, so no model is asked."""
    query, filters = found.shown.query, found.shown.filters

    def passages(chosen: ChosenFilters) -> int:
        result = library.search(
            query,
            mode="chunk",
            filters=search_filters(chosen),
            rerank=False,
            query_embedding=found.result.query_embedding or None,
            cancel=task.cancel,
        )
        return len(result.chunks)

    single = {field: passages(filters.without(field)) for field in filters.fields}
    without_all = passages(NO_FILTERS) if len(single) > 1 else max(single.values())
    return FilterCosts(query, filters, tuple(single.items()), without_all)
