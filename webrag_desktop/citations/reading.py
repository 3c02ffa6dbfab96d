"""Texts as they are read: white space aside, each place traced to where it stands."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from webrag_desktop.citations.likeness import WordIndex
from webrag_desktop.text.canonical.canonical_form import CanonicalForm, canonical_form
from webrag_desktop.text.canonical.shown_marks import Shown, shown_marks, without_notes
from webrag_desktop.text.canonical.tracing import Trace

if TYPE_CHECKING:
    from webrag_desktop.text.plain_text import PlainText

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Spaced:
    """A text with one blank wherever it had white space, and none at its ends."""

    original: str

    @cached_property
    def _sources(self) -> list[int]:
        """Where each word stands in the original."""
        return [word.start() for word in _WORD.finditer(self.original)]

    @cached_property
    def text(self) -> str:
        """The words with one blank between two."""
        return " ".join(self.original.split())

    @cached_property
    def _starts(self) -> list[int]:
        """Where each word stands in :attr:`text`."""
        starts, at = [], 0
        for word in self.text.split(" "):
            starts.append(at)
            at += len(word) + 1
        return starts if self._sources else []

    def place_of(self, source: int) -> int:
        """Where in :attr:`text` the character ``source`` of the original stands; of a blank, where it ends."""
        index = bisect_right(self._sources, source) - 1
        if index < 0:
            return 0
        end = self._starts[index + 1] if index + 1 < len(self._starts) else len(self.text)
        return min(self._starts[index] + source - self._sources[index], end)

    def span_in_original(self, start: int, end: int) -> tuple[int, int]:
        """The original ``[start, end)`` of a span of :attr:`text` that begins and ends with words."""
        return self._source_of(start), self._source_of(end - 1) + 1

    def _source_of(self, place: int) -> int:
        index = bisect_right(self._starts, place) - 1
        return self._sources[index] + place - self._starts[index]


@dataclass(frozen=True)
class ReadText:
    """A stored text and how it reads; ``to_markdown`` and ``to_plain`` trace spans from one to the other."""

    markdown: str
    plain: str
    to_markdown: Trace
    to_plain: Trace

    @classmethod
    def of(cls, markdown: str, plain: "PlainText") -> "ReadText":
        """A whole text with its projection."""
        return cls(markdown, plain.text, plain.to_markdown_span, plain.to_plain_span)

    @cached_property
    def spaced(self) -> Spaced:
        """The plain text, spacing aside."""
        return Spaced(self.plain)

    @cached_property
    def shown(self) -> Shown:
        """The plain text with what marks show, as "^" in front of raised figures."""
        return shown_marks(self.markdown, self.plain, self.to_plain)

    @cached_property
    def canonical(self) -> CanonicalForm:
        """The plain text with what marks show, as quotations are compared with it."""
        return canonical_form(self.shown.text)

    @cached_property
    def without_notes(self) -> CanonicalForm:
        """The same without marks of notes and other asides; itself where there is none."""
        shorter = without_notes(self.shown.text.text, self.shown.asides)
        whole = self.shown.text
        return self.canonical if shorter.text == whole.text else canonical_form(shorter, whole)

    @cached_property
    def markdown_canonical(self) -> CanonicalForm:
        """The markdown, its marks included, as quotations are compared with it."""
        return canonical_form(self.markdown)

    @cached_property
    def word_index(self) -> WordIndex:
        """Where each word of :attr:`canonical` stands."""
        return WordIndex(self.canonical.text)

    @cached_property
    def word_index_without_notes(self) -> WordIndex:
        """Where each word of :attr:`without_notes` stands."""
        is_same = self.without_notes is self.canonical
        return self.word_index if is_same else WordIndex(self.without_notes.text)

    def markdown_of(self, start: int, end: int) -> tuple[int, int]:
        """Where in the markdown a span of :attr:`spaced` stands."""
        return self.to_markdown(*self.spaced.span_in_original(start, end))


@dataclass(frozen=True, slots=True)
class QuoteAsRead:
    """A quote as it reads: its words, what reads before and after it, and where it stood, spacing aside."""

    words: str
    before: str
    after: str
    place: int


def as_read(text: ReadText, start: int, end: int, context: int) -> QuoteAsRead | None:
    """How the markdown ``[start, end)`` reads, with ``context`` characters around; None where only markup lies."""
    first, last = text.to_plain(start, end)
    words = " ".join(text.plain[first:last].split())
    if not words:
        return None
    first += len(text.plain[first:last]) - len(text.plain[first:last].lstrip())
    place = text.spaced.place_of(first)
    end_place = place + len(words)
    whole = text.spaced.text
    return QuoteAsRead(
        words, whole[max(0, place - context) : place], whole[end_place : end_place + context], place
    )
