"""Reports about quotations as the library gives them, for views and commands that only show them."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid5

from webrag_desktop.gui.citations.operations.found_quotes import found_quote
from webrag_desktop.gui.data.texts import FoundQuote
from webrag_desktop.models.quotes import QuoteDifference, QuoteGrade, QuotePlace, QuoteReport

_NAMES = UUID("b0e3b0b4-6c8f-4f3e-9f43-6d5b4b1b7a01")
TIDE = "Limpets clamp their shells to the rock."
NEARLY = "Limpets clamp their shells to the stones."


def place_of(
    quote: str,
    grade: QuoteGrade = "exact",
    *,
    number: int = 1,
    verbatim: str | None = None,
    title: str | None = "Tide pools",
    section: str | None = "Low tide",
    page: int | None = None,
    shown: bool = True,
    version: int = 1,
    start: int = 201,
    source_url: str = "https://example.org/pools",
    differences: tuple[QuoteDifference, ...] = (),
    similarity: float = 1.0,
) -> QuotePlace:
    """A place where ``quote`` stands; ``number`` tells documents apart."""
    text = quote if verbatim is None else verbatim
    return QuotePlace(
        grade=grade,
        document_id=uuid5(_NAMES, f"document {number}"),
        version_id=uuid5(_NAMES, f"version {version} of {number}"),
        version_number=version,
        shown=shown,
        char_start=start,
        char_end=start + len(text),
        verbatim=text,
        parts=((start, start + len(text)),),
        similarity=similarity,
        differences=differences,
        title=title,
        source_url=source_url,
        section_heading=section,
        heading_path=("Shores", section) if section else (),
        anchor=None,
        page=page,
        url=f"{source_url}#low-tide",
    )


def mixed() -> QuoteReport:
    """The quotation in two documents, letter for letter in one of them alone."""
    report = exact(places=2)
    other = report.places[1].model_copy(update={"grade": "exact_as_rendered"})
    return report.model_copy(update={"places": [report.places[0], other]})


def exact(quote: str = TIDE, places: int = 1, more: int = 0) -> QuoteReport:
    """The quotation, letter for letter, in so many documents."""
    found = [place_of(quote, number=number, title=f"Tide pools {number}") for number in range(1, places + 1)]
    return QuoteReport(quote=quote, grade="exact", places=found, more=more)


def rendered(quote: str = TIDE) -> QuoteReport:
    """The quotation with a bold word in the source, on a page."""
    verbatim = quote.replace("shells", "**shells**")
    place = place_of(quote, "exact_as_rendered", verbatim=verbatim, page=12)
    return QuoteReport(quote=quote, grade="exact_as_rendered", places=[place])


def near(quote: str = NEARLY) -> QuoteReport:
    """The quotation with another last word."""
    at = quote.index("stones")
    start = 201 + TIDE.index("rock")
    one = QuoteDifference(
        quote_start=at,
        quote_end=at + len("stones"),
        char_start=start,
        char_end=start + len("rock"),
        quoted="stones",
        stored="rock",
    )
    place = place_of(quote, "near", verbatim=TIDE, differences=(one,), similarity=6 / 7)
    return QuoteReport(quote=quote, grade="near", places=[place])


def older(quote: str = TIDE) -> QuoteReport:
    """The quotation in a text that its document does not show any more."""
    place = place_of(quote, shown=False, version=2)
    return QuoteReport(quote=quote, grade="exact", places=[place], older_versions=True)


def none(quote: str = "Snails fly at night.", *, older_versions: bool = False) -> QuoteReport:
    """Nothing."""
    return QuoteReport(quote=quote, grade="none", older_versions=older_versions)


# -- As views are given them -------------------------------------------------------------------------------------------

WHEN = datetime(2025, 9, 12, 10, 30, tzinfo=UTC)


def found(report: QuoteReport) -> FoundQuote:
    """A report as the window shows it, without a library to ask for the dates."""
    shown = found_quote(report, {}, {})
    return replace(shown, places=tuple(replace(one, fetched_at=WHEN) for one in shown.places))
