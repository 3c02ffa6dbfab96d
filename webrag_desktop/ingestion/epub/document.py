"""Books (EPUB 2 and 3): the chapters in reading order, each read as HTML that is content throughout."""

import re
from collections.abc import Iterator, Sequence

from lxml import etree
from turbohtml import Document, Element, Text

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import Archive
from webrag_desktop.ingestion.assembly import DraftBlock, ReadDocument, assemble
from webrag_desktop.ingestion.epub.package import Book, ContentsEntry, read_package
from webrag_desktop.ingestion.html.document import whole_drafts
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.saved_pages import drop_saved_images
from webrag_desktop.ingestion.xml_parts import local_name, parse_xml
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.metadata import DocumentMetadata

_HEADINGS = "h1,h2,h3,h4,h5,h6"
_DEEPEST = 6
_TITLE_LIKE = "p,div,span,b,strong"
_FIRST_ELEMENTS = 12  # of a chapter or a place, in which its title may be a plain paragraph
_MOST_SKIPPED = 8  # entries of the contents between two headings that are not found


class HeadingLevels:
    """Levels of headings through a book; many books set the title of every section as if it were a chapter's."""

    def __init__(self) -> None:
        self._outermost: int | None = None

    def sink(self, body: Element, entries: Sequence[ContentsEntry]) -> None:
        """Lower headings that are higher than the contents list them, with those below them."""
        shift, first = 0, 0
        for heading in body.select(_HEADINGS):
            level, near = int(heading.tag[1]), entries[first : first + _MOST_SKIPPED]
            found = next((at for at, entry in enumerate(near) if _names(heading, entry)), None)
            if found is not None:
                first += found + 1
                depth = near[found].depth
                self._outermost = depth if self._outermost is None else min(self._outermost, depth)
                shift = max(0, depth - self._outermost + 1 - level)
            if shift:
                heading.tag = f"h{min(_DEEPEST, level + shift)}"


def _names(heading: Element, entry: ContentsEntry) -> bool:
    """Whether a heading is that of an entry; one of both may have a number or “Chapter” before it."""
    shown, listed = _words(heading.text), _words(entry.title)
    return shown == listed or shown.endswith(f" {listed}") or listed.endswith(f" {shown}")


def name_parts(body: Element, entries: Sequence[ContentsEntry]) -> None:
    """Head the parts of a chapter without headings with their titles in the table of contents."""
    if not entries or body.select_one(_HEADINGS) is not None:
        return
    places = {part.attr("id"): part for part in reversed(body.select("[id]"))}
    for entry in entries:
        place = places.get(entry.fragment, body)
        heading = Element(f"h{entry.depth + 1}", {}, [Text(entry.title)])
        shown = next((part for part in _first_parts(place) if _same_words(part, entry.title)), None)
        if shown is not None:
            if shown.attr("id"):
                heading.attrs["id"] = shown.attr("id") or ""
            shown.replace_with(heading)
        elif place is body:
            body.insert(0, heading)
        else:
            place.insert_before(heading)


def _first_parts(place: Element) -> list[Element]:
    around = [place] if place.matches(_TITLE_LIKE) else []
    return [*around, *place.select(_TITLE_LIKE)[:_FIRST_ELEMENTS]]


def _same_words(part: Element, title: str) -> bool:
    return _words(part.text) == _words(title)


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()


_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_CONTENTS = r"nav,.toc,.list-of-figures,.list-of-tables,.list-of-examples"
_NOTE_REFERENCES = r"a[role=doc-noteref],a[epub\:type~=noteref],a.footnote-ref,a.footnote-reference,a.noteref"
_REPEATED_TARGET = "a[href] + span.link-target"  # for readers on paper, beside the link itself
_BACK = re.compile("[↩↑⤴⏎←^\ufe0e\ufe0f]+")  # links from a note to where it is referred to
_HTML_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_SHORT_COVER = 500  # characters
_MOSTLY_LINKS = 0.5  # share of the text


def read_epub(capture: Capture) -> ReadDocument:
    """The text of a book, without its cover and its lists of contents.

    Raises :class:`~webrag_desktop.errors.ExtractionError` for files that are damaged, unsafe or locked.
    """
    archive = Archive(capture.body)
    book = read_package(archive)
    text = assemble(_drafts(capture, archive, book))
    if not text.markdown:
        raise ExtractionError(
            "No text was found in this book",
            "It may hold pictures of its pages only; add a version with text.",
        )
    metadata = DocumentMetadata(title=book.title, description=book.description, language=book.language)
    return ReadDocument(text, book.facts.added_to(metadata))


def _drafts(capture: Capture, archive: Archive, book: Book) -> Iterator[DraftBlock]:
    address = capture.final_url.partition("#")[0]
    entries: dict[str, list[ContentsEntry]] = {}
    for entry in book.contents:
        entries.setdefault(entry.chapter, []).append(entry)
    levels = HeadingLevels()
    for name in book.chapters:
        page = _page(capture, archive.read(name))
        body = page.select_one("body")
        if body is None or (name in book.lists and _is_list(body)):
            continue
        if not body.text.strip() and (name in book.lists or name == book.chapters[0]):
            continue  # a cover
        for part in [*body.select(_CONTENTS), *body.select(_REPEATED_TARGET)]:
            if part.matches(_REPEATED_TARGET) or _is_mostly_links(part):
                part.extract()
        name_parts(body, entries.get(name, []))
        levels.sink(body, entries.get(name, []))
        _leave_the_book_alone(page)
        yield from whole_drafts(page, address)


def _page(capture: Capture, content: bytes) -> Document:
    """A chapter as an HTML tree. It is XML, in which any element may close itself, so it cannot be read as HTML."""
    root = parse_xml(content, recover=True)
    for element in list(root.iter()):
        if _is_page_break(element):
            _remove_keeping_tail(element)
        elif isinstance(element.tag, str):
            name = local_name(element)
            element.tag = name if _HTML_NAME.fullmatch(name) else "span"
    etree.cleanup_namespaces(root)
    html = etree.tostring(root, method="html", encoding="utf-8", with_tail=False)
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return parse_html(capture.model_copy(update={"body": html, "headers": headers}))


def _is_page_break(element: etree._Element) -> bool:
    return "pagebreak" in (element.get(_EPUB_TYPE) or "").split() or element.get("role") == "doc-pagebreak"


def _remove_keeping_tail(element: etree._Element) -> None:
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    element.tail = None
    parent.remove(element)


def _is_list(body: Element) -> bool:
    """Whether a page that is called a cover or a list of contents is no more than that."""
    return len(body.text.strip()) < _SHORT_COVER or _is_mostly_links(body)


def _is_mostly_links(part: Element) -> bool:
    linked = sum(len(link.text) for link in part.select("a[href]"))
    return linked > _MOSTLY_LINKS * len(part.text.strip())


def _leave_the_book_alone(page: Document) -> None:
    """Links and pictures inside the book stay as their words: nothing can open a book at a place inside it."""
    for reference in page.select(_NOTE_REFERENCES):
        number = reference.text.strip()
        if number.isalnum():  # would be read as a part of the word before it
            reference.set_text(f"[{number}]")
    for link in page.select("a[href]"):
        if (link.attr("href") or "").partition("#")[2] and _BACK.fullmatch(link.text.strip()):
            link.extract()
        elif "://" not in (link.attr("href") or "")[:16] and not (link.attr("href") or "").startswith(
            "mailto:"
        ):
            del link.attrs["href"]
    for image in page.select("img"):
        for name in [name for name in image.attrs if name != "src" and "src" in name]:
            del image.attrs[name]
    drop_saved_images(page)
