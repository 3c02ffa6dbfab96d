"""What a model is given to answer from: its sentences with ids, the instructions, and marks that no page can fake."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.retrieval.contracts.answer_events import AnswerBasis
from webrag_desktop.retrieval.contracts.answers import AnswerContext, GroundedResponse, ScoredChunk
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk
from webrag_desktop.servers.chat import ChatImage
from webrag_desktop.text.printable import title_line
from webrag_desktop.text.skeletons import Bracket, bracketed, brackets, rounded

LONGEST_NAME = 200  # characters of a title or heading; a page may call itself anything, at any length

_GAP = "[.:]*+"
# Some digits look like an s, an o, a c or an e, and so do $ and other symbols like the s. No other word ends so.
_SOURCE = rf"(?:{_GAP}[s0-2]{_GAP}|[.:]++)" + _GAP.join(["[o0]", "u", "r", "[c1C]", "[e12]", ""])
_COUNTED = rf"(?:s{_GAP})?(?:n{_GAP}(?:u{_GAP}[mM]{_GAP}b{_GAP}e{_GAP}r|[o0]|r){_GAP})?"
# A number has a digit. What only looks like one may be a word: Roman numerals and letters like З count where no letter
# follows, and behind a colon ("source: З історії") only where nothing else does; a small l or a large i, which may
# look like a one, where it is alone.
_ALL_OF_IT = r"(?=\.?(?::|$))"
_LIKE_A_NUMBER = "[ilo]*[2A-Z][ilo2A-Z]*+"
_NUMBER = "|".join(
    (
        "[ilo2A-Z]*[01]",
        rf"(?<!:){_LIKE_A_NUMBER}(?![a-z])",
        _LIKE_A_NUMBER + _ALL_OF_IT,
        rf"(?<!:)[il]{_ALL_OF_IT}",
    )
)
# The number of an id begins right behind its s; digits that look like an s make numbers in brackets, which texts are
# full of, so these stay. A word such as "so" or "soil" is no id either.
_SENTENCE = rf"{_GAP}s{_GAP}(?:[ilo2A-Z]*[01]|(?:[2A-Z][ilo2A-Z]*+|[il]){_ALL_OF_IT})"
_MARK = re.compile(f"(?:{_SOURCE}{_COUNTED}(?:{_NUMBER})|{_SENTENCE})")


class SentenceMark(NamedTuple):
    """The ``id`` that goes before the character at ``place`` of an excerpt; rising places make an order."""

    place: int
    id: str


def format_context_with_citations(
    chunks: Sequence[ScoredChunk],
    marks: Sequence[Sequence[SentenceMark]] = (),
    *,
    by_document: bool = False,
) -> str:
    """The texts, each below a line ``[Source n: title - section]``, counted from 1, with a blank line between.

    What is not known of title and section is left out; without a title the address takes its place. ``marks`` holds the
    ids of each text's sentences, which are written ``[s1]``. ``by_document`` puts a line ``[Sources n-m: title -
    address]`` above a run of excerpts of one document. What looks like any of these in a text, a title or a
    heading gets round brackets, so that only ours say where a text comes from and what its sentences are called.
    """
    given = enumerate(zip(chunks, marks or [()] * len(chunks), strict=True), start=1)
    excerpts = [_excerpt(number, chunk, own) for number, (chunk, own) in given]
    if by_document:
        for first, last in _documents(chunks):
            excerpts[first] = f"{_document_line(chunks[first], first + 1, last + 1)}\n\n{excerpts[first]}"
    return "\n\n".join(excerpts)


def _excerpt(number: int, chunk: ScoredChunk, marks: Sequence[SentenceMark]) -> str:
    text = with_ids(chunk.text, marks).strip("\n").rstrip()
    return f"[Source {number}: {_name(chunk)}]\n{text}"


def _documents(chunks: Sequence[ScoredChunk]) -> list[tuple[int, int]]:
    """The first and last place of each run of one document."""
    runs = groupby(range(len(chunks)), key=lambda place: chunks[place].metadata.document_id)
    places = [list(run) for _, run in runs]
    return [(run[0], run[-1]) for run in places]


def _document_line(chunk: ScoredChunk, first: int, last: int) -> str:
    about = chunk.metadata
    numbers = str(first) if first == last else f"{first}-{last}"
    named = " - ".join(filter(None, (_one_line(about.title), _one_line(about.doc_path))))
    return f"[Sources {numbers}: {named or _one_line(chunk.chunk_id)}]"


def without_marks(text: str) -> str:
    """The text, where brackets that name a source or a sentence are round; everything else stays as it is.

    However it is written: in full-width or look-alike letters, with markup, escapes or invisible characters between.
    """
    return rounded(text, bracketed(text, _MARK))


def with_ids(text: str, marks: Sequence[SentenceMark]) -> str:
    """The text with these ids before their places, and without anything that looks like a mark of ours.

    It is searched as it came and again with the ids in it, so that a text cannot make a mark out of one of ours.
    """
    if not marks:
        return without_marks(text)
    faked = bracketed(text, _MARK)
    places = _moved([mark.place for mark in marks], faked)
    bare = rounded(text, faked)
    pieces: list[str] = []
    ours: set[int] = set()
    done = length = 0
    for place, mark in zip(places, marks, strict=True):
        written = f"[{mark.id}] "
        pieces += [bare[done:place], written]
        length += place - done
        ours |= {length, length + len(written) - 2}
        length, done = length + len(written), place
    marked = "".join((*pieces, bare[done:]))
    return rounded(marked, (one for one in bracketed(marked, _MARK) if one.start not in ours))


def _moved(places: Sequence[int], faked: Iterable[Bracket]) -> list[int]:
    """Where the places are once these brackets are round, which may be written in many characters."""
    shrunk = sorted((one.start, one.end - one.start - 1) for one in faked)
    return [place - sum(fewer for start, fewer in shrunk if start + fewer < place) for place in places]


def _name(chunk: ScoredChunk) -> str:
    about = chunk.metadata
    named = (_one_line(about.title) or _one_line(about.doc_path), _one_line(about.section))
    return " - ".join(filter(None, named)) or _one_line(chunk.chunk_id)


def _one_line(text: str | None) -> str:
    line = without_marks(title_line(text or ""))
    # Those of our own mark; Japanese titles are full of the others.
    line = rounded(line, [bracket for bracket in brackets(line) if bracket.looks_square])
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1].rstrip()}…"


@dataclass(frozen=True, slots=True)
class PointedSentence:
    """A sentence of the evidence that has an id; ``[char_start, char_end)`` are code points of the version's markdown.

    ``id`` is short (``s7``) and comes before the sentence in the context. ``source`` is the n of its
    ``[Source n: …]``. ``markdown`` is the stored text of it, verbatim, ``reads`` how it is read. ``score``, in [0, 1],
    is retrieval's own for the question. ``version_id`` and ``document_id`` are None for a text that is in no library,
    whose offsets count in that text.
    """

    id: str
    source: int
    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int
    markdown: str
    reads: str
    score: float


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """The evidence of one question, as the model reads it: ``grounded`` holds instruction and context, ids inside.

    ``sentences`` are those with an id, about thirty, best first; ids are numbered as they are read in the context.
    ``chunks`` are the passages of the library that were sent, by their ``source`` number less one; empty for a selected
    text. What surrounds a passage under other headings is a source of its own, and has the passage that it is
    around there: its sentences, and those that go over a border, lie outside of it. ``left_out`` counts passages that
    the budget did not hold. ``pictures`` counts those of the texts that may help, whether they are sent or not, of
    which ``images`` are sent. ``image_names`` says what each of the ``images`` is called in the texts. ``tokens`` are
    those of the context as the library's tokenizer counts them.

    ``sources`` and ``marks`` are what the context is made of: the texts, and the ids of each with their places, so that
    it can be put in another order. ``result`` is what the search found, None for a selected text.
    """

    basis: AnswerBasis
    grounded: GroundedResponse
    sentences: tuple[PointedSentence, ...]
    chunks: tuple[RetrievedChunk, ...] = ()
    images: tuple[ChatImage, ...] = ()
    image_names: tuple[str, ...] = ()
    pictures: int = 0
    tokens: int = 0
    left_out: int = 0
    sources: AnswerContext | None = None
    marks: tuple[tuple[SentenceMark, ...], ...] = ()
    result: RetrievalResult | None = None


NO_EVIDENCE = (
    "Nothing was found that bears on this question. Do not answer it: tell the user that the sources at hand "
    "do not hold enough to answer."
)
SELECTION_ALONE = (
    "The text below, which the user selected, is all you may answer from. Leave aside whatever else you know. "
    "Where it does not tell enough for an answer, tell the user that."
)
EXCERPTS = (
    "Let your answer rest on the excerpts below. Name for every fact the source that it comes from, in the form "
    "[Source n]. Where the excerpts do not tell enough for an answer, state that plainly."
)


def apply_grounding_policy(
    result: AnswerContext,
    question: str,
    marks: Sequence[Sequence[SentenceMark]] = (),
    *,
    by_document: bool = False,
) -> GroundedResponse:
    """What to tell a model that is to answer ``question`` from ``result`` alone.

    Without any evidence it is to refuse. A selected text is handed on as it is, and nothing beside it may be used.
    Passages of the library are numbered, and each fact is to name its source. ``marks`` are the ids of sentences in
    each text, where there are any; ``by_document`` names the document above its passages.
    """
    if not result.chunks:
        instruction, context = NO_EVIDENCE, ""
    elif result.mode == "selected_text_only":
        texts = [chunk.text for chunk in result.chunks]
        if marks:
            texts = [with_ids(text, own) for text, own in zip(texts, marks, strict=True)]
        instruction, context = SELECTION_ALONE, "\n\n".join(texts)
    else:
        context = format_context_with_citations(result.chunks, marks, by_document=by_document)
        instruction = EXCERPTS
    return GroundedResponse(
        question=question,
        mode=result.mode,
        sufficient_context=bool(result.chunks),
        system_instruction=instruction,
        context=context,
        citations=result.citations,
        notices=result.notices,
    )
