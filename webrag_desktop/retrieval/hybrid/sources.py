"""Documents as a list of sources names them, each with a few lines of what it says."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.candidates import Child
from webrag_desktop.retrieval.contracts.bundles import CandidateItem, SnippetOrigin
from webrag_desktop.retrieval.contracts.preferences import SnippetPrefs
from webrag_desktop.retrieval.contracts.results import Arm, ArmScores
from webrag_desktop.retrieval.evidence import Evidence
from webrag_desktop.retrieval.hybrid.documents import FoundDocument, about
from webrag_desktop.retrieval.hybrid.finding import Found
from webrag_desktop.retrieval.hybrid.wording import AskedTerms
from webrag_desktop.storage.searching.candidates import WordQuery
from webrag_desktop.storage.searching.items import ItemRow
from webrag_desktop.storage.searching.words import UNSPACED
from webrag_desktop.text.graphemes import between_characters

_UNSPACED = re.compile(f"[{UNSPACED}]")


def excerpt(text: str, start: int, end: int, max_chars: int) -> tuple[int, int]:
    """At most ``max_chars`` of the text, white space at its ends aside, centred on the sentence ``[start, end)``.

    A line above the sentence is there whole or not at all, and a longer sentence is cut at its end. No word is cut
    unless it alone is too long, and no character ever, so that the excerpt is empty where one character (as readers
    see them) has more code points than there is room.
    """
    room = max_chars - (end - start)
    if room < 0:
        return _trimmed(text, start, _cut_before(text, start, start + max_chars))
    left = max(0, min(start - room // 2, len(text) - max_chars))
    left = _line_start(text, left, start)
    right = min(len(text), left + max_chars)
    while right > end and not _between_words(text, right):
        right -= 1
    return _trimmed(text, left, right)


def _line_start(text: str, at: int, sentence: int) -> int:
    """The first beginning of a line from there to the sentence; of a word, where the sentence's own line is cut."""
    if at and text[at - 1] != "\n":
        line = text.find("\n", at, sentence) + 1
        if line:
            return line
    while at < sentence and not _between_words(text, at):
        at += 1
    return at


def _cut_before(text: str, start: int, limit: int) -> int:
    """The last place to cut at, between words where there is one."""
    for at in range(limit, start, -1):
        if _between_words(text, at):
            return at
    return next((at for at in range(limit, start, -1) if between_characters(text, at)), start)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _between_words(text: str, at: int) -> bool:
    """Whether white space, an end of the text, or writing that knows no spaces is beside the place."""
    if at <= 0 or at >= len(text):
        return True
    if text[at - 1].isspace() or text[at].isspace():
        return True
    return _is_unspaced(text[at - 1]) and _is_unspaced(text[at]) and between_characters(text, at)


def _is_unspaced(char: str) -> bool:
    return _UNSPACED.match(char) is not None


# The site of what was not fetched from any.
FILE = "file"


def candidate_items(found: Found, words: WordQuery, prefs: SnippetPrefs) -> list[CandidateItem]:
    """The documents in the order they were found in."""
    if not found.documents:
        return []
    evidence = _evidence(found, words)
    return [
        candidate_item(one.item, one.score, one.scores, one.found_by, _snippet(one, evidence, prefs))
        for one in found.documents
    ]


def candidate_item(
    item: ItemRow,
    score: float,
    scores: ArmScores,
    found_by: Sequence[Arm],
    snippet: tuple[str | None, SnippetOrigin],
) -> CandidateItem:
    """A document as a list of sources names it, with what its best child is worth and a ``snippet`` of it."""
    return CandidateItem(
        item_id=str(item.id),
        kind=item.doc_type,
        source=item.site or FILE,
        source_ref=item.source_url,
        title=item.title,
        summary=item.description,
        metadata=about(item, found_by),
        score=score,
        score_text=scores.score_text,
        score_vec=scores.score_vec,
        rank_text=scores.rank_text,
        rank_vec=scores.rank_vec,
        snippet=snippet[0],
        snippet_from=snippet[1],
    )


def _evidence(found: Found, words: WordQuery) -> Evidence:
    """Finds the best sentences, among all children that count."""
    candidates = found.candidates
    asked = AskedTerms.of(candidates, words)
    parts = {id_: passage.parts for id_, passage in found.items.passages.items()}
    known = bm25.known_share(candidates.lexicon)
    return Evidence(candidates.children, asked.stems, asked.literals, known, parts)


def _snippet(
    found: FoundDocument, evidence: Evidence, prefs: SnippetPrefs
) -> tuple[str | None, SnippetOrigin]:
    """What may be shown of a document, the better of both first."""
    kinds: list[SnippetOrigin] = ["chunk", "doc"] if prefs.prefer_chunk_snippet else ["doc", "chunk"]
    for origin in kinds:
        text = (
            description_of(found.item, prefs.max_chars)
            if origin == "doc"
            else _of_chunk(found, evidence, prefs.max_chars)
        )
        if text:
            return text, origin
    return None, "unknown"


def description_of(item: ItemRow, max_chars: int) -> str:
    """A document's own description, cut to so many characters; empty where it has none."""
    text = item.description or ""
    start, end = excerpt(text, 0, len(text), max_chars)
    return text[start:end]


def _of_chunk(found: FoundDocument, evidence: Evidence, max_chars: int) -> str:
    (span,) = evidence.spans(found.children, 1)
    row = _holding(found.children, span.char_start).row
    sentence = span.char_start - row.char_start, span.char_end - row.char_start
    start, end = excerpt(row.chunk_text, *sentence, max_chars)
    return row.chunk_text[start:end]


def _holding(children: Sequence[Child], position: int) -> Child:
    """The child that the position lies in; children do not overlap."""
    ordered = sorted(children, key=_start)
    return ordered[bisect_right(ordered, position, key=_start) - 1]


def _start(child: Child) -> int:
    return child.row.char_start
