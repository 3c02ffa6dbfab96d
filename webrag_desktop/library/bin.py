"""The bin of a library: documents that were removed, until they are restored or deleted for good."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.models.sources import SourceRow
from webrag_desktop.storage import removal
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import citations, sources


@dataclass(frozen=True, slots=True)
class Bin:
    """What was removed. :meth:`.Documents.remove_all` puts documents into it."""

    database: Database

    def all(self) -> list[SourceRow]:
        """Everything in the bin, the last removed first; :attr:`.SourceRow.removed_at` says since when."""
        with self.database.connection() as conn:
            ids = removal.all_ids(conn)
            rows = sources.get_sources(conn, ids, or_in_bin=True)
        return [rows[id_] for id_ in ids if id_ in rows]

    def restore(self, source_ids: Sequence[UUID]) -> list[UUID]:
        """Take documents out of the bin; returns those that were in it. They keep ids, labels and citations.

        Their kept copies are queued to be read again, without the network: they can be found once that is done.
        """
        with self.database.connection() as conn:
            return removal.restore(conn, source_ids)

    def delete(self, source_ids: Sequence[UUID]) -> int:
        """Delete for good those of these that are in the bin; returns how many. Citations stay, with their words."""
        from webrag_desktop.maintenance.upkeep import delete_all

        return delete_all(self.database, source_ids, of_bin=True)

    def empty(self) -> int:
        """Delete for good all that is in the bin at this moment; returns how many."""
        with self.database.connection() as conn:
            ids = removal.all_ids(conn)
        return self.delete(ids)

    def citations_of(self, source_ids: Sequence[UUID]) -> dict[UUID, int]:
        """How many citations are of these documents, in the bin or not; those that are not cited are left out."""
        with self.database.connection() as conn:
            return citations.counts_of(conn, source_ids)
