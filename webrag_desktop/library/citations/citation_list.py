"""What the user cites, in the user's order, and what can be done with it."""

from dataclasses import dataclass, replace
from uuid import UUID

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library.citations import citing
from webrag_desktop.models.citations import StoredCitation
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import citations


@dataclass(frozen=True, slots=True)
class CitationList:
    """The user's citations. Each call is one transaction of its own."""

    database: Database

    def all(self) -> list[StoredCitation]:
        """Every citation, in the user's order, with how it stands with its page's present text."""
        with self.database.connection() as conn:
            return citing.list_citations(conn)

    def cite(
        self,
        version_id: UUID,
        char_start: int,
        char_end: int,
        *,
        heading: str | None = None,
        anchor: str | None = None,
    ) -> StoredCitation:
        """Cite ``[char_start, char_end)`` of a stored text, last in order; what is cited already stays as it is.

        ``heading`` and ``anchor`` are read from the text where they are not given, the page always.

        Raises:
            NotFoundError: there is no such text.
            InputError: the span is empty, inverted or outside the text.
        """
        with self.database.connection() as conn:
            cited, is_new = citing.cite(
                conn, version_id, char_start, char_end, heading=heading, anchor=anchor
            )
            return _told(conn, cited, is_new=is_new)

    def cite_quote(self, document_id: UUID, quote: str, occurrence: int | None = None) -> StoredCitation:
        """Cite words of the text that a document shows; :func:`.quoting.cite_quote` says how they are looked for.

        Raises:
            NotFoundError: the document has no text, or the words do not stand in it.
            InputError: the words are none, or stand several times and ``occurrence`` does not say which are meant.
        """
        from webrag_desktop.library.citations.quoting import (
            cite_quote,  # the window lists citations at its start
        )

        with self.database.connection() as conn:
            cited, is_new = cite_quote(conn, document_id, quote, occurrence)
            return _told(conn, cited, is_new=is_new)

    def find(self, reference: str) -> StoredCitation:
        """The citation that an id, or its first characters (at least four), names.

        Raises:
            NotFoundError: there is none.
            InputError: there are several.
        """
        wanted = reference.lower()
        found = [one for one in self.all() if str(one.id).startswith(wanted)] if len(wanted) >= 4 else []
        if not found:
            raise NotFoundError(
                f"There is no citation {reference}.", "`webrag citations` shows them; give an id from it."
            )
        if len(found) > 1:
            raise InputError(f"Several citations begin with {reference}.", "Give more of the id.")
        return found[0]

    def remove(self, citation_id: UUID) -> StoredCitation | None:
        """Remove a citation; returns it, for :meth:`restore`. None when there was none."""
        with self.database.connection() as conn:
            found = next((one for one in citing.list_citations(conn) if one.id == citation_id), None)
            citations.delete_citation(conn, citation_id)
            return found

    def restore(self, citation: StoredCitation) -> None:
        """Put a removed citation back at its position; nothing happens when it is there."""
        with self.database.connection() as conn:
            citations.insert_citation(conn, citing.as_record(citation), citation.position)

    def move(self, citation_id: UUID, position: int) -> bool:
        """Put a citation at a position, counted from 1; False when there is none of that id."""
        with self.database.connection() as conn:
            return citations.move_citation(conn, citation_id, position)


def _told(conn: Connection, citation_id: UUID, *, is_new: bool) -> StoredCitation:
    stored = next(one for one in citing.list_citations(conn) if one.id == citation_id)
    return replace(stored, is_new=is_new)
