"""Questions on documentation, made by rules from the pages of Debian's packages: sections, whole sections, typed words.

The pages are drawn with a fixed seed from the packages' own folders, and read as the product reads them; the documents
of a set are their markdown, so that every system searches the same characters. Nobody wrote or chose the questions:

* ``documentation``: the words of a link of three words or more, and the section that it leads to. Most are the
  heading of the section, as somebody asks who knows how a manual would call it; words that are not are preferred where
  a section is linked by both. Where the section is linked from, the words stand, too, and count as a wrong answer.
* ``typed``: the words of a link of one to three words, names of functions and options among them, and the part of the
  page that the link leads to. Every third is misspelt: a letter of its longest word is left out, put in, changed, or
  swapped with the next.
* ``long-answers``: the first sentence of a section, and all the rest of the section as the answer. The sentence is
  taken out of the document (the inverse cloze task), so that it must be answered from what the section says.

Limits: links and first sentences are statements rather than questions; a part of a page that says the same as the one
that is linked counts as wrong; pages are English and of few projects.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.misspellings import KINDS, slip
from benchmarks.retrieval_quality_parts.documentation_pages import LEAST_WORDS, Pages, read_pages
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question, spread
from webrag_desktop.models.documents import Block, NormalizedDocument
from webrag_desktop.retrieval.function_words import is_function_word
from webrag_desktop.retrieval.query_text import SHORTEST_CORRECTED
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.sentences import split_sentences

SEED = 23
SECTION_CHARACTERS = range(200, 6_000)
LONG_CHARACTERS = range(1_500, 8_000)
QUESTIONS = 210
MOST_OF_A_PAGE = 6
SENTENCE_WORDS = range(8, 41)
MISSPELT = 3  # every third

_NUMBER = re.compile(r"(?:Section|Chapter|Table|Appendix|Part|Example|Figure)\s+\S+")
_NOT_WORDS = re.compile(r"[\[\]{}<>|=#/]|\.\.|\.html")
_NUMBERED = re.compile(
    r"^(?:(?:Section|Chapter|Table|Appendix|Part|Example|Figure)\s+)?(?:[A-Z]|\d+)(?:\.\d+)*[.,:]?\s+(?=\S)"
)
_QUOTES = "“”‘’\"'`<> "
_NAME = re.compile(r"[._()\-:]|[a-z][A-Z]|[A-Z]{3}")
_LETTERS = re.compile(r"[a-z]+")


class _Linked(NamedTuple):
    """The words of a link, the part of a page that it leads to, and its heading; "" where it begins with none."""

    words: str
    answer: Piece
    heading: str


class _Removed(NamedTuple):
    """The first sentence of a section, ``[start, end)``, and where the section ends."""

    start: int
    end: int
    section_end: int


def read_documentation(folder: Path) -> EvaluationSet:
    """Links of three words or more, and the sections they lead to."""
    pages = read_pages(folder)
    linked = _one_of_each(
        one
        for one in _linked(pages)
        if one.heading and len(one.words.split()) >= LEAST_WORDS and _telling(one.words) > 1
    )
    questions = [Question(one.words, (one.answer,)) for one in linked]
    return EvaluationSet("documentation", _texts(pages.documents), tuple(spread(questions, QUESTIONS)))


def read_typed(folder: Path) -> EvaluationSet:
    """Links of one to three words, every third misspelt, and the parts of pages they lead to."""
    pages, chance = read_pages(folder), random.Random(SEED)
    linked = _one_of_each(one for one in _linked(pages) if _is_typed(one.words))
    questions = [
        Question(
            _misspelt(one.words, KINDS[number % len(KINDS)], chance)
            if number % MISSPELT == MISSPELT - 1
            else one.words,
            (one.answer,),
        )
        for number, one in enumerate(spread(linked, QUESTIONS))
    ]
    return EvaluationSet("typed", _texts(pages.documents), tuple(questions))


def read_long_answers(folder: Path) -> EvaluationSet:
    """First sentences, taken out of the documents, and the rest of their sections."""
    texts: dict[str, str] = {}
    questions: list[Question] = []
    for name, document in read_pages(folder).documents.items():
        text, gone = document.markdown, 0
        removed = sorted(spread(list(_first_sentences(document)), MOST_OF_A_PAGE))
        for one in removed:
            gone += one.end - one.start
            answer = Piece(name, one.end - gone, one.section_end - gone)
            questions.append(Question(_plain(text[one.start : one.end]), (answer,)))
        for one in reversed(removed):
            text = text[: one.start] + text[one.end :]
        texts[name] = text
    return EvaluationSet("long-answers", texts, tuple(spread(questions, QUESTIONS)))


def _texts(pages: Mapping[str, NormalizedDocument]) -> dict[str, str]:
    return {name: document.markdown for name, document in pages.items()}


def _linked(pages: Pages) -> Iterator[_Linked]:
    """Every link that leads to an anchored part of one of the pages."""
    parts = {name: dict(_anchored(name, document)) for name, document in pages.documents.items()}
    for link in pages.references:
        found = parts[link.page].get(link.anchor)
        if found is not None and not _NUMBER.fullmatch(link.words) and not _NOT_WORDS.search(link.words):
            yield _Linked(_NUMBERED.sub("", link.words).strip(_QUOTES), *found)


def _anchored(name: str, document: NormalizedDocument) -> Iterator[tuple[str, tuple[Piece, str]]]:
    """By anchor, the part of a page: a section up to the next heading, else the blocks up to the next anchor."""
    seen: set[str] = set()
    for first, block in enumerate(document.blocks):
        if block.anchor is None or block.anchor in seen:
            continue
        seen.add(block.anchor)
        headed = _is_heading(document, block)
        rest = document.blocks[first + 1 :]
        ends = (
            one for one in rest if _is_heading(document, one) or not (headed or one.anchor == block.anchor)
        )
        behind = next(ends, None)
        end = len(document.markdown) if behind is None else behind.char_start
        heading = _plain(block.heading_path[-1]) if headed and block.heading_path else ""
        yield block.anchor, (Piece(name, block.char_start, end), heading)


def _is_heading(document: NormalizedDocument, block: Block) -> bool:
    return document.markdown.startswith("#", block.char_start)


def _one_of_each(linked: Iterable[_Linked]) -> list[_Linked]:
    """In text order, one link for each part of a fitting length, in words that lead to no other part.

    Words that are not the heading are preferred.
    """
    targets: dict[str, set[Piece]] = defaultdict(set)
    found: dict[Piece, _Linked] = {}
    for one in linked:
        targets[one.words.casefold()].add(one.answer)
        if one.answer.end - one.answer.start in SECTION_CHARACTERS:
            known = found.setdefault(one.answer, one)
            if _is_headed(known) and not _is_headed(one):
                found[one.answer] = one
    clear = (found[answer] for answer in sorted(found) if len(targets[found[answer].words.casefold()]) == 1)
    of_each: Counter[str] = Counter()
    kept = []
    for one in clear:
        of_each[one.answer.document] += 1
        if of_each[one.answer.document] <= MOST_OF_A_PAGE:
            kept.append(one)
    return kept


def _first_sentences(document: NormalizedDocument) -> Iterator[_Removed]:
    """Of every section that is long enough, its first sentence, where that is one of prose and whole."""
    blocks = document.blocks
    for heading, first in pairwise(blocks):
        if not _is_heading(document, heading) or _is_heading(document, first):
            continue
        behind = next(
            (one for one in blocks if one.char_start > first.char_start and _is_heading(document, one)), None
        )
        section_end = len(document.markdown) if behind is None else behind.char_start
        text = document.markdown[first.char_start : first.char_end]
        sentence = next(iter(split_sentences(text)), None)
        if sentence is None or sentence.kind != "prose" or sentence.start:
            continue
        asked, end = _plain(text[: sentence.end]), first.char_start + sentence.end
        whole = asked.endswith(".") and len(asked.split()) in SENTENCE_WORDS
        if whole and section_end - end in LONG_CHARACTERS:
            yield _Removed(first.char_start, end, section_end)


def _telling(words: str) -> int:
    """How many words there are beside function words and numbers."""
    return sum(any(map(str.isalpha, word)) and not is_function_word(word.lower()) for word in words.split())


def _is_typed(words: str) -> bool:
    """Whether it is a name such as ``os.path``, or two or three words."""
    count = len(words.split())
    return _telling(words) > 0 and (count in (2, 3) or (count == 1 and _NAME.search(words) is not None))


def _is_headed(one: _Linked) -> bool:
    return one.words.casefold() == _NUMBERED.sub("", one.heading).strip(_QUOTES).casefold()


def _misspelt(words: str, kind: str, chance: random.Random) -> str:
    """With one slip in its longest run of letters, where that is long enough."""
    longest = max(_LETTERS.finditer(words), key=lambda run: run.end() - run.start(), default=None)
    if longest is None or longest.end() - longest.start() < SHORTEST_CORRECTED:
        return words
    return words[: longest.start()] + slip(longest[0], kind, chance) + words[longest.end() :]


def _plain(markdown: str) -> str:
    return " ".join(project(markdown).text.split())


READERS: Mapping[str, Callable[[Path], EvaluationSet]] = {
    "documentation": read_documentation,
    "typed": read_typed,
    "long-answers": read_long_answers,
}
