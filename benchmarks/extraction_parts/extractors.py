"""Our extractor and its peers behind one face: bytes of a page in, text and structure out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version

from benchmarks.extraction_parts.html_reading import html_structure, parse, remove_unseen, visible_text
from benchmarks.extraction_parts.markdown_reading import markdown_structure, markdown_text
from benchmarks.extraction_parts.structure import Structure
from webrag_desktop.errors import WebragError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Capture

_WHEN = datetime(2024, 1, 1, tzinfo=UTC)
OURS = "webrag"


@dataclass(frozen=True)
class Extractor:
    """``work`` is what is timed: a page's bytes and address to the library's own output, which ``text`` reads.

    ``structure`` is None where the output carries none. ``packages`` names what must be installed.
    """

    name: str
    work: Callable[[bytes, str], str]
    text: Callable[[str], str]
    structure: Callable[[str], Structure] | None = None
    package: str = ""

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.package} {version(self.package)}" if self.package else "WebRAG Desktop"


@dataclass(frozen=True)
class Reading:
    """What an extractor made of a page; ``failure`` says why there is nothing."""

    text: str = ""
    structure: Structure = field(default_factory=Structure)
    failure: str = ""


def capture_of(body: bytes, url: str) -> Capture:
    """A page as if it had just been fetched."""
    headers = (("Content-Type", "text/html"),)
    return Capture(url=url, final_url=url, status_code=200, headers=headers, body=body, fetched_at=_WHEN)


def read_page(extractor: Extractor, body: bytes, url: str) -> Reading:
    """Run an extractor; whatever a library raises becomes the reading's failure."""
    try:
        output = extractor.work(body, url)
    except WebragError as error:
        return Reading(failure=error.message)
    except Exception as error:  # noqa: BLE001  peers raise what their parsers raise
        return Reading(failure=f"{type(error).__name__}: {error}")
    structure = extractor.structure(output) if extractor.structure else Structure()
    return Reading(extractor.text(output), structure)


def _ours(body: bytes, url: str) -> str:
    return extract(capture_of(body, url)).markdown


def _trafilatura(body: bytes, _url: str) -> str:
    import trafilatura

    return (
        trafilatura.extract(body, output_format="markdown", include_comments=False, include_tables=True) or ""
    )


def _readability(body: bytes, _url: str) -> str:
    from readability import Document

    summary: str = Document(_decoded(body)).summary(html_partial=True)
    return summary


def _resiliparse(body: bytes, _url: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(_decoded(body), main_content=True, alt_texts=False)
    return text


def _decoded(body: bytes) -> str:
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    text: str = bytes_to_str(body, detect_encoding(body, html5_compatible=True) or "utf-8")
    return text


def _html_text(summary: str) -> str:
    tree = parse(summary.encode() or b"<p></p>", "utf-8")
    remove_unseen(tree)
    return visible_text(tree)


def _html_structure(summary: str) -> Structure:
    return html_structure(parse(summary.encode() or b"<p></p>", "utf-8"))


EXTRACTORS = (
    Extractor(OURS, _ours, markdown_text, markdown_structure),
    Extractor("trafilatura", _trafilatura, markdown_text, markdown_structure, "trafilatura"),
    Extractor("readability", _readability, _html_text, _html_structure, "readability-lxml"),
    Extractor("resiliparse", _resiliparse, str, None, "resiliparse"),
)
