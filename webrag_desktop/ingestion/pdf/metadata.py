"""What a PDF says about itself: information dictionary, XMP packet, and, for the title, its first large line."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from html import unescape

from webrag_desktop.ingestion.facts import Facts
from webrag_desktop.ingestion.pdf.characters import clean_characters
from webrag_desktop.ingestion.pdf.file import PdfFile
from webrag_desktop.ingestion.pdf.lines import Line
from webrag_desktop.models.formats import DOCUMENT_SUFFIXES
from webrag_desktop.models.metadata import DocumentMetadata, FactName

_LONGEST_PACKET = 200_000  # bytes
_BEYOND_UNICODE = re.compile(r"&#[0-9]{8,};?")  # Python refuses to read thousands of digits
_PACKET = re.compile(rb"<x:xmpmeta[\s>]")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?")
_FILE_NAME = re.compile(
    rf"^(?:microsoft\s+\w+\s+-\s+)?\S+(?:{'|'.join(map(re.escape, sorted(DOCUMENT_SUFFIXES)))}"
    r"|\.(?:pptx?|xlsx?|dvi|tex|indd|qxp|fm|ps|cdr|ai|p65))$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:untitled|unbenannt|sans titre|title|document|slide|presentation|powerpoint presentation|no title|none)\s*\d*",
    re.IGNORECASE,
)
_UNSPECIFIED = re.compile(r"\((?:unspecified|anonymous)\)")  # as ReportLab writes for nothing
_OF_AN_OFFICE = re.compile(r"^microsoft\s+(?:word|powerpoint|excel)\s+-\s+", re.IGNORECASE)
# Stricter than text.language on purpose: a private or one-letter part makes a tag of a PDF void, so that it is guessed.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_OF_PACKET: dict[FactName, tuple[str, ...]] = {
    "publisher": ("dc:publisher",),
    "journal": ("prism:publicationName",),
    "volume": ("prism:volume",),
    "issue": ("prism:number",),
    "doi": ("prism:doi", "pdfx:doi", "dc:identifier", "prism:url"),
    "isbn": ("prism:isbn", "dc:identifier"),
    "arxiv_id": ("dc:identifier",),
    "licence": ("cc:license", "xmpRights:WebStatement", "dc:rights"),
}
_PROGRAM = re.compile(
    r"\b(?:microsoft|adobe|acrobat|latex|writer|openoffice|libreoffice|scanner|printer)\b", re.IGNORECASE
)
_FIRST_PAGE = 20_000  # characters
_NAMED_DOI = re.compile(r"(?:\bdoi\s*[:.]?\s*|doi\.org/)(10\.[0-9]{4,9}/\S+)", re.IGNORECASE)
_NAMED_ARXIV = re.compile(r"\barXiv:\s?\S+", re.IGNORECASE)
_MOST_TITLE_LINES = 4
_TITLE_LARGER = 1.2  # times the body's size


def read_metadata(file: PdfFile, body: bytes, lines: Sequence[Line], text_size: float) -> DocumentMetadata:
    """The metadata of a PDF; a title that is only a file's name is replaced by the first large line."""
    packet = _packet(body)
    title = _sensible(_element(packet, "dc:title")) or _sensible(file.field("Title"))
    metadata = DocumentMetadata(
        title=title or _large_title(lines, text_size),
        description=_tidy(_element(packet, "dc:description")) or _tidy(file.field("Subject")) or None,
        language=_language(file.language()) or _language(_element(packet, "dc:language")),
        page_count=file.page_count,
    )
    return _facts(file, packet, lines).added_to(metadata)


def _facts(file: PdfFile, packet: str, lines: Sequence[Line]) -> Facts:
    """Who wrote it and where it appeared: the packet, the information dictionary, then the words of the first page."""
    facts = Facts()
    creators = [text for text in _elements(packet, "dc:creator") if not _UNSPECIFIED.fullmatch(text)]
    facts.state_authors("xmp", creators)  # office programs put all names into one, as they are written
    for name, elements in _OF_PACKET.items():
        facts.state(
            name, "xmp", *(_tidy(text) for element in elements for text in _elements(packet, element))
        )
    first, last = _element(packet, "prism:startingPage"), _element(packet, "prism:endingPage")
    facts.state(
        "pages",
        "xmp",
        "–".join(dict.fromkeys(filter(None, (first, last)))),
        _element(packet, "prism:pageRange"),
    )
    author = _tidy(file.field("Author"))
    facts.state_authors("pdf", [author] if not _PROGRAM.search(author) else [])
    facts.state("doi", "pdf", file.field("doi"), file.field("Subject"))
    top = " ".join(line.text for line in lines if line.page == 1)[:_FIRST_PAGE]
    facts.state("doi", "text", *(found[1] for found in _NAMED_DOI.finditer(top)))
    facts.state("arxiv_id", "text", *(found[0] for found in _NAMED_ARXIV.finditer(top)))
    facts.state_time("published_time", "pdf", iso_time(file.field("CreationDate")))
    facts.state_time("modified_time", "pdf", iso_time(file.field("ModDate")))
    return facts


def iso_time(date: str) -> str | None:
    """A PDF date such as ``D:20240131120000+01'00'`` (PDF 32000-1, 7.9.4) in ISO 8601; None if it is not one."""
    match = _DATE.match(date.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups()[:6])
    zone: tzinfo = UTC
    try:
        if match[7]:
            offset = timedelta(hours=int(match[8]), minutes=int(match[9] or 0))
            zone = timezone(-offset if match[7] == "-" else offset)
        moment = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone)
    except ValueError:
        return None
    if hour is None:
        return moment.date().isoformat()
    return moment.isoformat() if match[7] or "Z" in match[0] else moment.replace(tzinfo=None).isoformat()


def _packet(body: bytes) -> str:
    """The last XMP packet that is not compressed."""
    found = [match.start() for match in _PACKET.finditer(body)]
    if not found:
        return ""
    packet = body[found[-1] : found[-1] + _LONGEST_PACKET]
    return packet.partition(b"</x:xmpmeta>")[0].decode("utf-8", "replace")


def _element(packet: str, name: str) -> str:
    """The text of an element of the packet, of its first alternative where it has several."""
    start = re.search(rf"<{name}(?:\s[^<>]*)?>", packet)
    if start is None:
        return ""
    inside = packet[start.end() :].partition(f"</{name}>")[0]
    item = re.search(r"<rdf:li(?:\s[^<>]*)?>([^<>]*)</rdf:li>", inside)
    text = item[1] if item else "" if "<" in inside else inside
    return unescape(_BEYOND_UNICODE.sub("\N{REPLACEMENT CHARACTER}", text))


def _elements(packet: str, name: str) -> list[str]:
    """The texts of an element of the packet, each of a list; an attribute of that name where there is no element."""
    start = re.search(rf"<{name}(?:\s[^<>]*)?>", packet)
    if start is None:
        stated = re.search(rf"\b{name}=[\"']([^\"'<>]*)[\"']", packet)
        return [unescape(_BEYOND_UNICODE.sub("\N{REPLACEMENT CHARACTER}", stated[1]))] if stated else []
    inside = packet[start.end() :].partition(f"</{name}>")[0]
    items = re.findall(r"<rdf:li(?:\s[^<>]*)?>([^<>]*)</rdf:li>", inside) or (
        [] if "<" in inside else [inside]
    )
    return [unescape(_BEYOND_UNICODE.sub("\N{REPLACEMENT CHARACTER}", item)) for item in items]


def _tidy(text: str) -> str:
    words = " ".join(clean_characters(text).split())
    return "" if _UNSPECIFIED.fullmatch(words) else words


def _sensible(title: str) -> str | None:
    """A title that says something; names of files and placeholders do not."""
    words = _OF_AN_OFFICE.sub("", _tidy(title))
    if not _LETTERS.search(words) and not any(ord(character) > 0x2E80 for character in words):
        return None
    return None if _FILE_NAME.match(words) or _PLACEHOLDER.fullmatch(words) else words


def _language(tag: str) -> str | None:
    tag = tag.strip()
    return (
        tag.replace("_", "-")
        if _LANGUAGE.fullmatch(tag) and tag.lower() not in {"und", "x-default"}
        else None
    )


def _large_title(lines: Sequence[Line], text_size: float) -> str | None:
    """The lines of the first page that are set largest, when they are larger than the text."""
    first = [line for line in lines if line.page == 1 and line.table is None and _LETTERS.search(line.text)]
    largest = max((line.size for line in first), default=0.0)
    if largest < text_size * _TITLE_LARGER:
        return None
    start = next(index for index, line in enumerate(first) if line.size == largest)
    title: list[str] = []
    for line in first[start : start + _MOST_TITLE_LINES]:
        if abs(line.size - largest) > 0.5:
            break
        title.append(line.text)
    return " ".join(title) or None
