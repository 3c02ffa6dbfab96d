"""The findings of checks, and the results of repairs."""

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AffectedDocument:
    """A document that damage belongs to; title and address are None where they are unknown or lost."""

    id: UUID
    title: str | None
    address: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: ``broken`` counts damaged rows, ``examples`` names some of them.

    ``documents`` are those of the examples, where requested; ``to_refresh`` are the ones that are
    mended by refreshing them, and by nothing else.
    """

    check: str
    promise: str
    broken: int
    examples: tuple[str, ...]
    documents: tuple[AffectedDocument, ...] = ()
    to_refresh: tuple[AffectedDocument, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no row is damaged."""
        return self.broken == 0


TABLES_CHECK: Final = "tables-there"


# The rest cannot be saved as a library, and restoring replaces only what it could save before.
TABLES_REMEDY: Final = (
    "Move the data folder away, or name an empty database; then `webrag restore` brings a backup back."
)


Remedy = Literal["work", "refresh", "remove", "uncite"]


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done about one damage, or why nothing could be; ``subject`` is an id, a table or a row count.

    ``document`` is the one that it belongs to, where requested; ``remedy`` what the user can do about it.
    """

    check: str
    subject: str
    mended: bool
    message: str
    remedy: Remedy | None = None
    document: AffectedDocument | None = None
