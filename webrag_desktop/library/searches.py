"""Searches that are kept: the history of the window, and searches with a name, with what is new for them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID, uuid4

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.models.searches import KeptSearch, RemovedSearch
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import collections
from webrag_desktop.storage.library import searches as stored
from webrag_desktop.text.printable import UNSTORABLE

if TYPE_CHECKING:
    from webrag_desktop.retrieval.contracts.filters import SearchFilters
    from webrag_desktop.retrieval.contracts.results import RetrievalResult

_FEWEST_CHARS = 4  # of an id that is named by its beginning


class _Search(Protocol):
    def __call__(
        self,
        query: str,
        *,
        filters: "SearchFilters | None",
        cancel: CancelToken | None,
    ) -> "RetrievalResult": ...


@dataclass(frozen=True, slots=True)
class Searches:
    """What was searched for. Filters are named as :class:`.SearchFilters` names them, dates may be texts.

    A search is named by its name, its id, or the first characters of that (at least four).
    """

    database: Database
    search: _Search

    def history(self, limit: int = 50) -> list[KeptSearch]:
        """The newest searches of the window, newest first; five hundred are kept.

        Raises:
            InputError: the limit is below 1.
        """
        if limit < 1:
            raise InputError(f"{limit} is no number of searches.", "Request at least one.")
        with self.database.connection() as conn:
            return stored.history(conn, limit)

    def note(self, question: str, filters: Mapping[str, Any] | None = None) -> None:
        """Put a search into the history; one that is there already comes to the top.

        Raises:
            InputError: the question is empty, or a filter is none.
        """
        question, usable = _checked(question, filters)
        with self.database.connection() as conn:
            stored.note_search(conn, uuid4(), question, usable)

    def clear(self) -> int:
        """Forget the history; returns how many searches it had. Those with a name stay."""
        with self.database.connection() as conn:
            return stored.clear_history(conn)

    def saved(self) -> list[KeptSearch]:
        """The searches that have a name, by it."""
        with self.database.connection() as conn:
            return stored.named(conn)

    def get(self, reference: UUID | str) -> KeptSearch:
        """A search.

        Raises:
            NotFoundError: there is none.
            InputError: several ids begin so.
        """
        with self.database.connection() as conn:
            found = stored.get_search(conn, self._id(str(reference)))
        if found is None:
            raise _unknown(str(reference))
        return found

    def save(self, name: str, question: str, filters: Mapping[str, Any] | None = None) -> KeptSearch:
        """Keep a search under a name. What is in the library now has been seen.

        Raises:
            InputError: another search has the name; name or question are empty, or a filter is none.
        """
        name = _named(name)
        question, usable = _checked(question, filters)
        with self.database.connection() as conn:
            made = stored.save_search(conn, uuid4(), name, question, usable)
            found = stored.get_search(conn, made) if made else None
        if found is None:
            raise _taken(name)
        return found

    def put_back(self, search: RemovedSearch) -> None:
        """Have a search again that :meth:`remove` returned, as it was; its collections are named as they are now.

        Raises:
            InputError: another search has its name by now.
        """
        with self.database.connection() as conn:
            now = collections.names_of(conn, list(search.collections.values()))
            renamed = {name: now[id_] for name, id_ in search.collections.items() if id_ in now}
            if not stored.insert_search(conn, _with_names(search, renamed)):
                raise _taken(search.name or search.question)

    def rename(self, reference: UUID | str, name: str) -> None:
        """Give a search another name; one of the history is kept under it from now on.

        Raises:
            NotFoundError: there is no such search.
            InputError: another search has the name, or it is empty.
        """
        name, search = _named(name), self.get(reference)
        with self.database.connection() as conn:
            if not stored.rename_search(conn, search.id, name):
                raise _taken(name)

    def remove(self, reference: UUID | str) -> RemovedSearch:
        """Delete a search, with or without a name; returns what it was.

        Raises:
            NotFoundError: there is none.
        """
        search = self.get(reference)
        with self.database.connection() as conn:
            named = {name: collections.find_collection(conn, name) for name in _collections_of(search)}
            stored.delete_search(conn, search.id)
        known = {name: id_ for name, id_ in named.items() if id_ is not None}
        return RemovedSearch(**asdict(search), collections=known)

    def mark_seen(self, reference: UUID | str) -> None:
        """Note that its results are looked at now: only what comes into the library later is new.

        Raises:
            NotFoundError: there is none.
        """
        search = self.get(reference)
        with self.database.connection() as conn:
            stored.mark_seen(conn, search.id)

    def count_new(self, reference: UUID | str, cancel: CancelToken | None = None) -> int:
        """How many documents the search finds that came, or whose text changed, since it was last looked at.

        Nothing is searched while no document is that new. No model judges the passages again.

        Raises:
            NotFoundError: there is no such search.
            Cancelled: the token was set.
        """
        from webrag_desktop.retrieval.contracts.filters import read_filters  # every start lists searches

        search = self.get(reference)
        with self.database.connection() as conn:
            fresh = stored.changed_since(conn, search.seen_at)
        if not fresh:
            return 0
        filters = read_filters(search.filters) if search.filters else None
        result = self.search(search.question, filters=filters, cancel=cancel)
        return len({chunk.document_id for chunk in result.chunks} & fresh)

    def _id(self, reference: str) -> UUID:
        wanted = reference.strip()
        with self.database.connection() as conn:
            found = stored.ids_of(conn, wanted, _FEWEST_CHARS)
        if not found:
            raise _unknown(reference)
        if len(found) > 1:
            raise InputError(f"Several searches begin with {reference}.", "Give more of the id.")
        return found[0]


def _checked(question: str, filters: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    from webrag_desktop.retrieval.contracts.filters import read_filters  # every start lists searches

    if not question.strip() or UNSTORABLE.search(question):
        raise InputError("The question is empty, or cannot be stored.", "Give the words to search for.")
    usable = {name: value for name, value in (filters or {}).items() if value not in (None, "", (), [])}
    read_filters(usable)
    return question.strip(), {n: list(v) if isinstance(v, tuple) else v for n, v in usable.items()}


def _collections_of(search: KeptSearch) -> list[str]:
    named = search.filters.get("collections", ())
    return [named] if isinstance(named, str) else list(named)


def _with_names(search: KeptSearch, names: Mapping[str, str]) -> KeptSearch:
    """The search with other names for collections in its filters."""
    if not names:
        return search
    return replace(
        search,
        filters={**search.filters, "collections": [names.get(one, one) for one in _collections_of(search)]},
    )


def _named(name: str) -> str:
    name = " ".join(name.split())
    if not name or UNSTORABLE.search(name):
        raise InputError("The name is empty, or cannot be stored.", "Give the search a name.")
    return name


def _taken(name: str) -> InputError:
    return InputError(f"Another search is called “{name}”.", "Give it another name.")


def _unknown(reference: str) -> NotFoundError:
    return NotFoundError(f"There is no search {reference}.", "`webrag searches` lists them.")
