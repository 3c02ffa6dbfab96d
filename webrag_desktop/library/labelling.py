"""Tagging documents and putting them into collections."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.models.sources import LabelCount, Labels
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import labels


@dataclass(frozen=True, slots=True)
class Labelling:
    """The labels of a library's documents. Each call is one transaction of its own."""

    database: Database

    def of(self, source_id: UUID) -> Labels:
        """The labels of a document."""
        with self.database.connection() as conn:
            return labels.labels_of(conn, source_id)

    def of_all(self, source_ids: Sequence[UUID]) -> dict[UUID, Labels]:
        """The labels of those of these documents that there are."""
        with self.database.connection() as conn:
            return labels.labels_of_all(conn, source_ids)

    def change(self, source_ids: Sequence[UUID], add: Labels, remove: Labels) -> None:
        """Give these documents labels and take others from them, all or nothing."""
        with self.database.connection() as conn:
            labels.remove_labels(conn, source_ids, remove)
            labels.add_labels(conn, source_ids, add)

    def tags(self) -> list[LabelCount]:
        """Every tag that a document has, by name."""
        with self.database.connection() as conn:
            return labels.all_tags(conn)

    def collections(self) -> list[LabelCount]:
        """Every collection, by name."""
        with self.database.connection() as conn:
            return labels.all_collections(conn)

    def delete_collection(self, name: str) -> None:
        """Delete a collection; its documents stay.

        Raises:
            NotFoundError: there is none of that name.
        """
        with self.database.connection() as conn:
            labels.delete_collection(conn, name)
