"""What views show of a quotation that was looked for: how it stands, and every place where it does."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from webrag_desktop.gui.data.versions import Piece
from webrag_desktop.gui.data.view_data import SpanReference

QuoteGrade = Literal["exact", "exact_as_rendered", "near", "none"]


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A place where a quotation stands. ``text`` is how the source reads there.

    ``pieces`` are the quotation corrected by it: what is only in the quotation is removed, what is only there is
    added. ``shown`` tells that its document shows this text now; ``fetched_at`` is when the text was fetched.
    """

    span: SpanReference
    grade: QuoteGrade
    title: str
    section: str | None
    page: int | None
    text: str
    pieces: tuple[Piece, ...]
    version_number: int
    shown: bool
    fetched_at: datetime | None

    @property
    def is_verified(self) -> bool:
        """Whether it may be cited."""
        return self.grade in {"exact", "exact_as_rendered"}


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """How a quotation stands. ``more`` counts places that are not listed, all of them where that is ``complete``.

    ``older`` tells that texts were looked through, too, that documents do not show any more.
    """

    quote: str
    grade: QuoteGrade
    places: tuple[FoundPlace, ...] = ()
    more: int = 0
    complete: bool = True
    older: bool = False
