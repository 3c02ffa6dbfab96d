"""Following links for a question: starting a run, and the runs that are stored, by id."""

from collections.abc import Iterator
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.expansion.events import Expansion, ExpansionEvent
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.library.expansion.batch import Choose, expansion_of
from webrag_desktop.library.expansion.growing import GrowingLibrary
from webrag_desktop.library.expansion.loop import holding, resumed
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import expansions as stored
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.expansions import Kind

FEWEST_CHARS = 4
_NAMES: dict[Kind, tuple[str, str]] = {"question": ("expansion", "expand"), "site": ("capture", "capture")}


def id_of(conn: Connection, kind: Kind, reference: str) -> UUID:
    """The id of the run of a kind that ``reference`` names.

    Raises:
        NotFoundError: there is none.
        InputError: several begin so.
    """
    wanted = reference.strip().lower()
    found = stored.ids_beginning_with(conn, kind, wanted) if len(wanted) >= FEWEST_CHARS else []
    if not found:
        raise unknown(kind, reference)
    if len(found) > 1:
        raise InputError(f"Several {_NAMES[kind][0]}s begin with {reference}.", "Give more of the id.")
    return found[0]


def unknown(kind: Kind, reference: str) -> NotFoundError:
    """The error where no run of a kind is so named."""
    name, command = _NAMES[kind]
    return NotFoundError(
        f"There is no {name} {reference}.", f"`webrag {command} --list` lists them; give an id from it."
    )


class Expansions:
    """What links were followed for, the newest first. Each call but :meth:`resume` is one transaction of its own."""

    def __init__(self, library: GrowingLibrary) -> None:
        """Of that library."""
        self._library = library

    def all(self, limit: int = 50, *, unfinished: bool = False) -> list[Expansion]:
        """The newest expansions; with ``unfinished`` those alone that run, or were cut off and may be resumed.

        Raises:
            InputError: the limit is below 1.
        """
        if limit < 1:
            raise InputError(f"{limit} is no number of expansions.", "Ask for at least one.")
        with self._library.database.connection() as conn:
            rows = stored.list_runs(conn, "question", limit, is_open=unfinished)
            with_visits = [(row, stored_visits.visits_of(conn, row.id)) for row in rows]
        found: list[Expansion] = []
        for row, visits in with_visits:
            try:
                found.append(expansion_of(row, visits))
            except ValidationError:  # a newer program wrote it; it stays for that
                continue
        return found

    def get(self, expansion_id: UUID | str) -> Expansion:
        """The expansion of an id, or of its first characters (at least four).

        Raises:
            NotFoundError: there is none.
            InputError: several begin so.
        """
        with self._library.database.connection() as conn:
            row = stored.get_run(conn, self._id(str(expansion_id)))
            visits = stored_visits.visits_of(conn, row.id) if row else []
        if row is None:
            raise unknown("question", str(expansion_id))
        return expansion_of(row, visits)

    def remove(self, expansion_id: UUID | str) -> None:
        """Forget an expansion; the pages that it brought stay.

        Raises:
            NotFoundError: there is none.
            InputError: several begin so, or it is running.
        """
        found = self._id(str(expansion_id))
        with holding(self._library.database, found), self._library.database.connection() as conn:
            stored.delete_run(conn, found)

    def resume(
        self,
        expansion_id: UUID | str,
        limits: ExpansionLimits | None = None,
        *,
        choose: Choose | None = None,
        cancel: CancelToken | None = None,
    ) -> Iterator[ExpansionEvent]:
        """Go on with an expansion that was cut off, stopped, or did not find enough; see :meth:`.Library.expand`.

        ``limits`` take the place of those it was begun with. Pages and bytes count from its beginning, seconds
        start again.
        Without ``choose`` it goes on by itself, also where the user chose what was followed before.

        Raises:
            NotFoundError: there is none.
            InputError: several begin so, it is running, or its question is covered.
        """
        return resumed(self._library, self.get(expansion_id), limits, choose, cancel)

    def _id(self, reference: str) -> UUID:
        with self._library.database.connection() as conn:
            return id_of(conn, "question", reference)
