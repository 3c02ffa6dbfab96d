"""The findings of checks, and the results of repairs."""

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AffectedDocument:
    """A document as people know it; title and address are None where they are not known, or lost."""

    id: UUID
    title: str | None
    address: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """How one check went: ``broken`` counts offending rows, ``examples`` names some of them.

    ``documents`` are those that the examples belong to, where that was asked for; ``to_refresh`` of these are known to
    be mended by refreshing them, and by nothing else.
    """

    check: str
    promise: str
    broken: int
    examples: tuple[str, ...]
    documents: tuple[AffectedDocument, ...] = ()
    to_refresh: tuple[AffectedDocument, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the promise holds."""
        return self.broken == 0


TABLES_CHECK: Final = "tables-there"


# What is left cannot be saved as a whole library, and restoring replaces nothing that it could not save before.
TABLES_REMEDY: Final = (
    "Move the data folder away, or name an empty database; then `webrag restore` brings a backup back."
)


Remedy = Literal["work", "refresh", "remove", "uncite"]


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done about one damage, or why nothing could be; ``subject`` is an id, a table or a count of rows.

    ``document`` is the one that it belongs to, where that was asked for; ``remedy`` what the user can do with it.
    """

    check: str
    subject: str
    mended: bool
    told: str
    remedy: Remedy | None = None
    document: AffectedDocument | None = None
