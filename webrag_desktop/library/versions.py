"""What became of a document's text over time, and what changed from one version to another."""

from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.citations.differences import compare
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.models.versions import VersionDifference, VersionRow
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import citations
from webrag_desktop.storage.texts import versions


@dataclass(frozen=True, slots=True)
class Versions:
    """The texts that documents had."""

    database: Database

    def of(self, document_id: UUID) -> list[VersionRow]:
        """Every text of a document, the oldest first; none while it has none."""
        with self.database.connection() as conn:
            return versions.list_versions(conn, document_id)

    def diff(
        self, document_id: UUID, before: int | None = None, after: int | None = None
    ) -> VersionDifference:
        """What changed between two versions, named by their numbers.

        Where they are not given: to what the document shows now, from the version before that one.

        Raises:
            NotFoundError: there is no version of that number.
            InputError: the document has had only one text, or both are the same.
        """
        rows = {row.number: row for row in self.of(document_id)}
        if after is None:
            after = next((row.number for row in rows.values() if row.active), None)
        if before is None and after is not None:
            before = after - 1
        if not rows or after is None:
            raise NotFoundError("The document has no text yet.", "`webrag show` tells how far it is.")
        if before == 0 and len(rows) == 1:
            raise InputError(
                "The document has had one text so far.", "`webrag refresh` looks whether it changed."
            )
        for number in (before, after):
            if number not in rows:
                raise NotFoundError(
                    f"The document has no version {number}.", "`webrag versions` lists those that it has."
                )
        assert before is not None, "it is in the rows"
        if before == after:
            raise InputError("These are one and the same version.", "Give two numbers that differ.")
        with self.database.connection() as conn:
            texts = citations.load_markdown(conn, [rows[before].id, rows[after].id])
        if len(texts) < 2:
            raise NotFoundError("The document was removed meanwhile.", "`webrag list` shows what is there.")
        old, new = texts[rows[before].id], texts[rows[after].id]
        return VersionDifference(rows[before], rows[after], old, new, compare(old, new))
