"""Where quotations occur in stored texts, and how faithfully."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.versions import TextRun

LEAST_WORDS = 3  # between quotation marks in a manuscript; fewer are seldom a quotation

# From the most faithful to the least. Only the first two may be shown as verified.
QuoteGrade = Literal["exact", "exact_as_rendered", "near", "none"]
VERIFIED: frozenset[QuoteGrade] = frozenset(("exact", "exact_as_rendered"))


class QuoteDifference(FrozenModel):
    """Where a near quotation and the text say something else.

    ``[quote_start, quote_end)`` are code points of the quotation as it was given, ``[char_start, char_end)`` of the
    document's markdown. One of both is empty where words were left out or put in. ``quoted`` and ``stored`` are the
    words on either side, as they are read.
    """

    quote_start: int
    quote_end: int
    char_start: int
    char_end: int
    quoted: str
    stored: str


class QuotePlace(FrozenModel):
    """A place where a quotation occurs: ``verbatim == markdown[char_start:char_end]`` of the version.

    ``exact``: the markdown there is the quotation, letter for letter. ``exact_as_rendered``: it reads the same,
    apart from markup, spacing and ways to write the same character. ``near``: the ``differences`` are what it says
    otherwise, and ``similarity`` is the share of words in common, below 1.
    ``parts`` are the spans of the parts of a quotation with ellipses, one where there is none.
    ``shown``: its document shows this version; ``version_number`` counts from 1.
    ``section_heading`` is the nearest ``#`` or ``##`` heading, ``heading_path`` all above it, outermost first;
    ``url`` leads to the very place.
    """

    grade: QuoteGrade
    document_id: UUID
    version_id: UUID
    version_number: int
    shown: bool
    char_start: int
    char_end: int
    verbatim: str
    parts: tuple[tuple[int, int], ...]
    similarity: float
    differences: tuple[QuoteDifference, ...] = ()
    title: str | None = None
    source_url: str
    section_heading: str | None = None
    heading_path: tuple[str, ...] = ()
    anchor: str | None = None
    page: int | None = None
    url: str | None = None

    @property
    def is_verified(self) -> bool:
        """Whether the quotation may be shown as one of this place."""
        return self.grade in VERIFIED


class QuoteReport(FrozenModel):
    """The result of searching a quotation: ``grade`` is that of its best place, ``none`` where there is none.

    ``places`` are all where it is verified, else all that are near it, best first: then by document and place, or the
    nearest to where it was expected. Of each text they are those of its best grade. ``more`` counts those that are not
    listed; where it occurs in so many texts that not all were counted, ``complete`` is False. ``older_versions`` tells
    whether texts that documents do not show any more were looked through, too.
    """

    quote: str
    grade: QuoteGrade
    places: list[QuotePlace] = Field(default_factory=list)
    more: int = 0
    complete: bool = True
    older_versions: bool = False

    @property
    def is_verified(self) -> bool:
        """Whether it may be shown as a quotation."""
        return self.grade in VERIFIED

    def compared(self, place: QuotePlace) -> tuple[TextRun, ...]:
        """The quotation corrected by the text at a place: words only of the quotation are ``removed``, words that
        only stand there ``added``. Of a place that is not ``near`` it is the quotation as it is.
        """
        parts: list[TextRun] = []
        at = 0
        for one in sorted(place.differences, key=lambda one: (one.quote_start, one.char_start)):
            parts += [
                TextRun("same", self.quote[at : one.quote_start]),
                TextRun("removed", self.quote[one.quote_start : one.quote_end]),
                TextRun("added", one.stored),
            ]
            at = max(at, one.quote_end)
        parts.append(TextRun("same", self.quote[at:]))
        return tuple(part for part in parts if part.text)


class CheckedQuotation(FrozenModel):
    """A quotation of a manuscript: on which line, or in which paragraph, it begins, from 1, and its result.

    ``block``: it is a block quotation, not between marks.
    """

    place: int
    block: bool
    report: QuoteReport


class SkippedQuotation(FrozenModel):
    """A quotation that was not looked for: it is too ``short`` to be one, or longer than can be looked for."""

    place: int
    quote: str
    reason: Literal["short", "long"] = "short"


class ManuscriptReport(FrozenModel):
    """The state of the quotations of a manuscript, in its order.

    ``unit`` says what ``place`` counts: lines, or paragraphs of a Word file. ``unpaired`` are the places of quotation
    marks that belong to no pair, so that what they quote could not be looked for.
    """

    name: str
    unit: Literal["line", "paragraph"]
    quotations: list[CheckedQuotation] = Field(default_factory=list)
    skipped: list[SkippedQuotation] = Field(default_factory=list)
    unpaired: list[int] = Field(default_factory=list)

    @property
    def is_verified(self) -> bool:
        """Whether every quotation occurs in the library, apart from those too short to search for."""
        all_found = all(one.report.is_verified for one in self.quotations)
        return all_found and all(one.reason == "short" for one in self.skipped)
