"""What the user cites, in the user's order, and what can be done with it."""

from dataclasses import dataclass, replace
from uuid import UUID

from webrag_desktop.orchestration import citing
from webrag_desktop.orchestration.citing import StoredCitation
from webrag_desktop.storage.database import Database
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
            stored = next(one for one in citing.list_citations(conn) if one.id == cited)
            return replace(stored, is_new=is_new)

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
