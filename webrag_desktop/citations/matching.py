"""Where a quotation stands in one text: letter for letter, as it is rendered, or nearly."""

from dataclasses import dataclass

from webrag_desktop.models.quotes import QuoteDifference, QuoteGrade


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """``[start, end)`` of the markdown, and how faithfully; see :class:`~webrag_desktop.models.quotes.QuotePlace`."""

    grade: QuoteGrade
    start: int
    end: int
    parts: tuple[tuple[int, int], ...]
    similarity: float = 1.0
    differences: tuple[QuoteDifference, ...] = ()
