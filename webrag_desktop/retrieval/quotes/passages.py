"""The words of a quotation that are searched, and the texts that it is compared with."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.citations.matching import QuoteMatch
from webrag_desktop.citations.quote_readings import MOST_LEFT_OUT, PreparedQuote, prepared_quote
from webrag_desktop.citations.reading import ReadText
from webrag_desktop.citations.spans import LONGEST_HEADING, heading_path_at, resolve_span
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.models.documents import Block, DocumentVersion, Place
from webrag_desktop.models.quotes import QuoteDifference, QuotePlace
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.quotes import ReadVersion, SoughtWords, TextAround
from webrag_desktop.storage.searching.words import UNSPACED, bigrams, identifiers, without_unspaced
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.canonical.lookalikes import read_alike
from webrag_desktop.text.links import build_url, is_web
from webrag_desktop.text.plain_text import PlainText
from webrag_desktop.text.printable import UNSTORABLE


class Location(NamedTuple):
    """The headings, page and anchor of a place."""

    section_heading: str | None
    heading_path: tuple[str, ...]
    anchor: str | None
    page: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """Some children of a shown text that adjoin each other, or a whole text, and how they read in it.

    ``text`` begins at the code point ``start`` of the markdown; ``to_end`` says that nothing is read after it. A whole
    text has no ``children``.
    """

    version: ReadVersion
    start: int
    text: ReadText
    children: Sequence[TextAround] = ()
    to_end: bool = True

    def is_cut(self, start: int, end: int) -> bool:
        """Whether ``[start, end)`` of its markdown touches an end of it where text continues, maybe within a word."""
        return (self.start > 0 and start <= 0) or (not self.to_end and end >= len(self.text.markdown))


def whole_text(version: ReadVersion) -> Passage:
    """A text that was read with its markdown."""
    assert version.markdown is not None, "it was read with it"
    plain = PlainText(version.plain_text, version.plain_map)
    text = ReadText.of(version.markdown, plain)
    return Passage(version, 0, text)


def location_among(children: Sequence[TextAround], position: int) -> Location:
    """The headings, page and anchor of a code point of the markdown that is in one of these children."""
    child = children[max(bisect_right(children, position, key=_begins) - 1, 0)]
    places = [Place(*place) for place in child.places]  # they are stored as lists
    index = bisect_right(places, position, key=_place_begins) - 1
    at = places[index] if index >= 0 else Place(position, child.anchor, None, child.page)
    path = heading_path_at(child.heading_path, child.section_heading, places, position)
    return Location(child.section_heading, path, at.anchor, at.page)


def location_in(text: DocumentVersion, position: int) -> Location:
    """The headings, page and anchor of a code point of the markdown of a stored text."""
    span = resolve_span(text, position, position + 1)
    index = bisect_right(text.blocks, position, key=_block_begins) - 1
    if index < 0:
        return Location(span.section_heading, (), span.anchor, None)
    block = text.blocks[index]
    path = tuple(heading[:LONGEST_HEADING].rstrip() for heading in block.heading_path)
    return Location(span.section_heading, path, span.anchor, block.page)


def passages_of(texts: Iterable[TextAround], versions: Mapping[UUID, ReadVersion]) -> Iterator[Passage]:
    """What children that are given in order make up: those that adjoin each other are one passage."""
    for document, of_one in groupby(texts, key=_document):
        version = versions.get(document)
        if version is None:  # a chunk without its document is damage, which doctor reports
            continue
        plain = PlainText(version.plain_text, version.plain_map)
        for children in _adjoining(of_one):
            yield _passage(version, plain, children)


def _adjoining(children: Iterable[TextAround]) -> Iterator[list[TextAround]]:
    run: list[TextAround] = []
    for child in children:
        if run and run[-1].char_end != child.char_start:
            yield run
            run = []
        run.append(child)
    yield run


def _passage(version: ReadVersion, plain: PlainText, children: Sequence[TextAround]) -> Passage:
    """Children of a text as they read in the whole of it."""
    start, markdown = children[0].char_start, "".join(child.chunk_text for child in children)
    first, last = plain.to_plain_span(start, start + len(markdown))

    def to_markdown(begin: int, end: int) -> tuple[int, int]:
        from_, to = plain.to_markdown_span(begin + first, end + first)
        return max(from_ - start, 0), min(to - start, len(markdown))

    def to_plain(begin: int, end: int) -> tuple[int, int]:
        from_, to = plain.to_plain_span(begin + start, end + start)
        return from_ - first, to - first

    text = ReadText(markdown, plain.text[first:last], to_markdown, to_plain)
    return Passage(version, start, text, children, last == len(plain.text))


def _document(child: TextAround) -> UUID:
    return child.document_id


def _begins(child: TextAround) -> int:
    return child.char_start


def _place_begins(place: Place) -> int:
    return place.char_start


def _block_begins(block: Block) -> int:
    return block.char_start


class Places:
    """Makes places of matches; loads the headings above one where the passage does not have them."""

    def __init__(self, conn: Connection) -> None:
        """Ask on ``conn``, whose snapshot the passages were read in."""
        self._text: Callable[[UUID], DocumentVersion] = cache(lambda version_id: _text(conn, version_id))

    def of(self, passage: Passage, match: QuoteMatch) -> QuotePlace:
        """The place of a match whose offsets count from the beginning of the passage."""
        version, shift = passage.version, passage.start
        start, end = match.start + shift, match.end + shift
        location = self._location(passage, start)
        return QuotePlace(
            grade=match.grade,
            document_id=version.document_id,
            version_id=version.version_id,
            version_number=version.number,
            shown=version.shown,
            char_start=start,
            char_end=end,
            verbatim=passage.text.markdown[match.start : match.end],
            parts=tuple((begin + shift, until + shift) for begin, until in match.parts),
            similarity=match.similarity,
            differences=tuple(_shifted(one, shift) for one in match.differences),
            title=version.title,
            source_url=version.source_url,
            url=_url(passage, match, location),
            **location._asdict(),
        )

    def _location(self, passage: Passage, position: int) -> Location:
        if passage.children:
            return location_among(passage.children, position)
        return location_in(self._text(passage.version.version_id), position)


def _text(conn: Connection, version_id: UUID) -> DocumentVersion:
    text = documents.load_text(conn, version_id)
    if text is None:
        raise NotFoundError("The text that contains this is not in the library any more.", "Search again.")
    return text


def _shifted(difference: QuoteDifference, shift: int) -> QuoteDifference:
    if not shift:
        return difference
    moved = {"char_start": difference.char_start + shift, "char_end": difference.char_end + shift}
    return difference.model_copy(update=moved)


def _url(passage: Passage, match: QuoteMatch, location: Location) -> str:
    """The nearest anchor or heading; on a web page, the very words, in which browsers scroll to them."""
    source_url, text = passage.version.source_url, passage.text
    words = None
    if is_web(source_url):
        first, last = text.to_plain(match.start, match.end)
        words = text.plain[first:last]
    return build_url(source_url, location.section_heading, anchor=location.anchor, text=words)


LONGEST_QUOTE = 100_000
# A longer one is searched by some of its runs.
_LOOKED_UP = 2_400
_RUNS, _RUN = 8, 300
_FEW_WORDS = 6
_MOST_LITERALS = 400

_SOFT_HYPHEN = "\N{SOFT HYPHEN}"  # read over; in their place, so that offsets stay
_BLANK = re.compile(r"\s")
_LINE_END = re.compile(r"(?<=[^\W\d_])-\s+(?=[^\W\d_])")  # within a word, at the end of a line
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
# As printed; words are stored as a text has them.
_LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}
_LIGATED = re.compile("|".join(_LIGATURES))


@dataclass(frozen=True)
class Quotation:
    """A quotation that can be searched."""

    text: str

    @cached_property
    def prepared(self) -> PreparedQuote:
        """It in all ways to read it."""
        return prepared_quote(self.text)

    @property
    def reach(self) -> int:
        """How many characters of a text it may take, at the most, where some came in between its words."""
        gaps = max(len(self.prepared.parts) - 1, 0)
        return 2 * len(self.text) + 400 + gaps * MOST_LEFT_OUT

    @property
    def is_short(self) -> bool:
        """Whether it has too few words for similar text to be a finding."""
        return len(_WORD.findall(self.text)) < _FEW_WORDS

    @cached_property
    def alike(self) -> str:
        """It in the usual one of the ways to write each character; offsets are others."""
        return read_alike(self.text).text

    @cached_property
    def sought(self) -> SoughtWords:
        """The words by which it is found; stored texts may write them in other ways."""
        runs = tuple(_LINE_END.sub("", run) for run in _runs(self.alike))
        forms = [*_runs(self.text), *_runs(self.alike)]
        for run in runs:
            forms += [
                unicodedata.normalize("NFD", run),
                _LIGATED.sub(lambda found: _LIGATURES[found[0]], run),
            ]
        literals = dict.fromkeys(term for run in runs for term in (*identifiers(run), *bigrams(run)))
        return SoughtWords(
            tuple(map(without_unspaced, runs)),
            tuple(without_unspaced(form) for form in dict.fromkeys(forms) if form not in runs),
            tuple(literals)[:_MOST_LITERALS],
        )


def read_quotation(text: str) -> Quotation:
    """The quotation, with soft hyphens for what no stored text can hold.

    Raises:
        InputError: there is nothing but blanks, or it is longer than 100,000 characters.
    """
    if len(text) > LONGEST_QUOTE:
        raise InputError(
            f"The quotation has {len(text):,} characters; {LONGEST_QUOTE:,} are the most that are searched.",
            "Give a part of it; its first sentences are enough to find where it comes from.",
        )
    usable = UNSTORABLE.sub(_SOFT_HYPHEN, text)
    if not usable.replace(_SOFT_HYPHEN, "").strip():
        raise InputError("An empty quotation cannot be searched.", "Give the words that are quoted.")
    return Quotation(usable)


def _runs(text: str) -> Iterator[str]:
    """The text, or runs of a long one that are spread over it evenly, from blank to blank where there are any."""
    if len(text) <= _LOOKED_UP:
        yield text
        return
    last = len(text) - _RUN
    for start in (last * number // (_RUNS - 1) for number in range(_RUNS)):
        run = text[start : start + _RUN]
        blanks = [found.start() for found in _BLANK.finditer(run)]
        inner = run[blanks[0] : blanks[-1]] if len(blanks) > 1 else run
        yield inner if inner.strip() else run
