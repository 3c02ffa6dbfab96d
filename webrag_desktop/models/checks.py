"""What a check of the library promises, the findings of checks, and the results of repairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AffectedDocument:
    """A document that damage belongs to; title and address are None where they are unknown or lost."""

    id: UUID
    source_url: str | None
    title: str | None


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
SHOWN_EXAMPLES: Final = 3
Mend = Literal[
    "definition", "spaces", "queue", "addresses", "texts", "projections", "html", "lost_captures", "chunks", "figures",
    "word_index", "subresources",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold in every library: the sentence that users read, and what mends it where it does not.

    ``by_refreshing``: some of the damage is mended only by refreshing the document.
    """

    name: str
    sentence: str
    mends: tuple[Mend, ...]
    by_refreshing: bool = field(default=False, kw_only=True)

    def finding(self, offenders: Sequence[str], broken: int | None = None) -> Finding:
        """The result of the check: the damaged rows, or some of the ``broken`` ones."""
        count = len(offenders) if broken is None else broken
        return Finding(self.name, self.sentence, count, tuple(offenders[:SHOWN_EXAMPLES]))


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
