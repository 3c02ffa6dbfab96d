"""Manuscripts: the quotations of a text, each searched in the library."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webrag_desktop.errors import ExtractionError, FetchError, IndexingError, InputError
from webrag_desktop.ingestion.content_types import detect_format
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.files import read_file
from webrag_desktop.ingestion.text_decoding import decode_text
from webrag_desktop.models.formats import MANUSCRIPTS, MANUSCRIPTS_IN_WORDS, Format
from webrag_desktop.models.quotes import (
    LEAST_WORDS,
    CheckedQuotation,
    ManuscriptReport,
    QuoteReport,
    SkippedQuotation,
)
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.retrieval.quotes.passages import LONGEST_QUOTE
from webrag_desktop.text.quotation_marks import without_reference
from webrag_desktop.text.quotations import (
    Quotation,
    Quotations,
    count_words,
    quotations_in_markdown,
    quotations_in_paragraphs,
    quotations_in_text,
)


@dataclass(frozen=True, slots=True)
class Manuscript:
    """What a text quotes, and what its places count."""

    name: str
    unit: Literal["line", "paragraph"]
    quotations: Quotations


def read_manuscript(file: Path) -> Manuscript:
    """Find the quotations of a file of a format in :data:`~webrag_desktop.models.formats.MANUSCRIPTS`.

    The format goes by content and name.

    Raises:
        InputError: it cannot be opened or read, or is of another kind.
        ResourceError: this computer lacks what reading it takes.
    """
    try:
        return _read(file)
    except (FetchError, ExtractionError, IndexingError) as error:
        message = f"The manuscript cannot be read. {error.message.rstrip('.')}."
        raise InputError(message, f"Give a {MANUSCRIPTS_IN_WORDS} that other programs open.") from error


def _read(file: Path) -> Manuscript:
    capture = read_file(file, FetchOptions())
    found = detect_format(capture.body, name=file.name)
    if found not in MANUSCRIPTS:
        raise InputError(
            f"{file.name} is no {MANUSCRIPTS_IN_WORDS}.",
            "Save the manuscript as one of these; a single quotation can be given as it is.",
        )
    unit, quotations_in = _READERS[found]
    return Manuscript(file.name, unit, quotations_in(capture.body))


def _in_word_file(body: bytes) -> Quotations:
    from webrag_desktop.ingestion.docx.document import word_paragraphs  # its library is long to import

    return quotations_in_paragraphs(word_paragraphs(body))


_READERS: dict[Format, tuple[Literal["line", "paragraph"], Callable[[bytes], Quotations]]] = {
    "docx": ("paragraph", _in_word_file),
    "markdown": ("line", lambda body: quotations_in_markdown(decode_text(body))),
    "text": ("line", lambda body: quotations_in_text(decode_text(body))),
}


def markdown_manuscript(text: str, name: str) -> Manuscript:
    """Find the quotations of a Markdown text.

    Raises:
        InputError: it holds more markup than can be read.
    """
    try:
        return Manuscript(name, "line", quotations_in_markdown(text))
    except IndexingError as error:
        raise InputError(f"{name} holds more markup than can be read.", "Give a part of it.") from error


def check_manuscript(
    manuscript: Manuscript,
    verify: Callable[[str], QuoteReport],
    *,
    min_words: int = LEAST_WORDS,
    cancel: CancelToken | None = None,
    progress: ProgressCallback = no_progress,
) -> ManuscriptReport:
    """Have every quotation verified, the same words once; those between marks of fewer words are only listed.

    Raises:
        Cancelled: the token was set.
    """
    quoted = manuscript.quotations.found
    checked: list[CheckedQuotation] = []
    skipped: list[SkippedQuotation] = []
    reports: dict[str, QuoteReport] = {}
    for done, one in enumerate(quoted):
        if cancel is not None:
            cancel.raise_if_cancelled()
        progress(Step("Looking for quotations", done, len(quoted), f"{done} of {len(quoted)}"))
        if not one.is_block and count_words(one.text) < min_words:
            skipped.append(SkippedQuotation(place=one.place, quote=one.text))
            continue
        if len(one.text) > LONGEST_QUOTE:
            skipped.append(SkippedQuotation(place=one.place, quote=one.text, reason="long"))
            continue
        if one.text not in reports:
            reports[one.text] = _verified(one, verify)
        checked.append(CheckedQuotation(place=one.place, block=one.is_block, report=reports[one.text]))
    return ManuscriptReport(
        name=manuscript.name,
        unit=manuscript.unit,
        quotations=checked,
        skipped=skipped,
        unpaired=list(manuscript.quotations.unpaired),
    )


def _verified(one: Quotation, verify: Callable[[str], QuoteReport]) -> QuoteReport:
    """The finding for a quotation; a reference in brackets at the end of a block quotation may be no part of it."""
    report = verify(one.text)
    shorter = without_reference(one.text) if one.is_block else one.text
    if report.is_verified or shorter == one.text or not count_words(shorter):
        return report
    without = verify(shorter)
    return without if without.is_verified else report
