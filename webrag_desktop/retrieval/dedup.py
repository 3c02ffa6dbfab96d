"""Folds near-duplicates: of passages with nearly the same text, the best is shown and lists the others.

Two passages are near-duplicates if their texts are equal, or if the Jaccard similarity of their sets of tokens is
above the threshold. Tokens are words, signs with a meaning (``<``, ``+``), and, in scripts without spaces, pairs of
characters, the same pairs that are searched. ``docs/decisions/0024-answers-from-evidence.md`` explains why no library
computes them.

:func:`deduplicate` is for whole results, either kind of chunk. A search that fills a budget folds before it cuts, and
only passages of different documents (:func:`foldings`). Whole documents (the mode ``full_context``) are not to be
folded: there the order is the documents' own, and nothing may be missing.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.contracts.answers import ScoredChunk, content_hash_of
from webrag_desktop.retrieval.contracts.passages import Passage, as_folded, passage_of
from webrag_desktop.retrieval.contracts.results import Folded, RetrievedChunk
from webrag_desktop.storage.searching.words import bigrams, without_unspaced

DEFAULT_THRESHOLD = 0.95

Chunk = TypeVar("Chunk", ScoredChunk, RetrievedChunk)

# Signs of comparison and calculation are tokens; "-", "*" and "|" are not, being markup far more often.
_ASCII_SIGNS, _OTHER_SIGNS = (*"<>=+/^%", "!="), "±×÷≠≤≥→"
# Words keep their combining marks: without its vowel signs a Hindi word is another one.
_WORD = re.compile(
    r"[^\s\x00-/:-@\[-`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"
    r"\u2000-\u200b\u200e-\u206f\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3030"
    r"\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
)
# The same for ASCII, four times as fast; most texts are that but for their quotation marks and dashes.
_WITHOUT_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}
_TYPOGRAPHIC = "“”‘’–—…\xa0"


class Folding(NamedTuple):
    """The passage at ``folded`` is a near-duplicate of the better one at ``kept``."""

    folded: int
    kept: int
    similarity: float


def deduplicate(
    chunks: Sequence[Chunk], threshold: float = DEFAULT_THRESHOLD, *, within_documents: bool = True
) -> list[Chunk]:
    """The chunks without near-duplicates of better ones, in their order; each lists what was folded into it.

    Without ``within_documents`` repetitions within one document are kept.

    Raises:
        InputError: the threshold is not above 0 and at most 1.
    """
    passages = list(map(_passage, chunks))
    documents = [None if within_documents else _document_of(chunk) for chunk in chunks]
    found = foldings(passages, documents, threshold)
    into: dict[int, list[Folded]] = defaultdict(list)
    for one in found:
        into[one.kept] += _listed(chunks[one.folded], one.similarity)
    dropped = {one.folded for one in found}
    return [_with_folded(chunk, into[place]) for place, chunk in enumerate(chunks) if place not in dropped]


def foldings(
    passages: Sequence[Passage], documents: Sequence[Hashable], threshold: float = DEFAULT_THRESHOLD
) -> list[Folding]:
    """Which passages to fold into which, the best folded first.

    ``documents`` names the document of each, within which nothing is folded; None where that does not matter.
    The better one stays, of equal scores the one that comes first. A passage is compared with those that stay, and
    goes to the best that is similar enough, so that a folded passage is similar to the one that lists it. Equal
    texts are always folded; a threshold of 1 folds only them.

    Raises:
        InputError: the threshold is not above 0 and at most 1.
    """
    _check(threshold)
    kept = _Kept(threshold)
    ranked = sorted(range(len(passages)), key=lambda place: -passages[place].rank_score)
    taken = (kept.take(place, passages[place].text, documents[place]) for place in ranked)
    return [folding for folding in taken if folding]


def jaccard(one: frozenset[str] | frozenset[int], other: frozenset[str] | frozenset[int]) -> float:
    """The share of all tokens that both hold; 0 where there is none."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def tokens(text: str) -> frozenset[str]:
    """The tokens of a text to compare, regardless of case and punctuation."""
    folded = unicodedata.normalize("NFC", text).casefold()
    signs = [sign for sign in _ASCII_SIGNS if sign in folded]
    if not folded.isascii():
        signs += [sign for sign in _OTHER_SIGNS if sign in folded]
        for mark in _TYPOGRAPHIC:
            folded = folded.replace(mark, " ")
    if folded.isascii():
        return frozenset((*folded.translate(_WITHOUT_PUNCTUATION).split(), *signs))
    pairs = bigrams(folded)
    words = _WORD.findall(without_unspaced(folded) if pairs else folded)
    return frozenset((*words, *pairs, *signs))


class _Held(NamedTuple):
    """The tokens of a passage by number, and of these the ``newest``, one of which any similar passage shares."""

    tokens: frozenset[int]
    newest: frozenset[int]


@dataclass(slots=True)
class _Kept:
    """The passages that stay, of those compared so far. Tokens are numbered as they first occur."""

    threshold: float
    by_hash: defaultdict[str, list[tuple[int, Hashable]]] = field(default_factory=lambda: defaultdict(list))
    compared: list[tuple[int, Hashable, _Held]] = field(default_factory=list)
    numbers: defaultdict[str, int] = field(default_factory=lambda: defaultdict(count().__next__))

    def take(self, place: int, text: str, document: Hashable) -> Folding | None:
        """How the passage is folded; None where it stays."""
        content_hash = content_hash_of(text)
        for kept, other_document in self.by_hash[content_hash]:
            if _elsewhere(document, other_document):
                return Folding(place, kept, 1.0)
        held = self._held(text)
        for kept, other_document, other in self.compared:
            if _elsewhere(document, other_document) and self._may_be_similar(held, other):
                similarity = jaccard(held.tokens, other.tokens)
                if similarity > self.threshold:
                    return Folding(place, kept, similarity)
        self.by_hash[content_hash].append((place, document))
        self.compared.append((place, document, held))
        return None

    def _held(self, text: str) -> _Held:
        """More than the threshold's share of all tokens must be common, so one of the highest few numbers is."""
        numbers = sorted(map(self.numbers.__getitem__, tokens(text)))
        spared = int(len(numbers) * (1 - self.threshold)) + 1
        return _Held(frozenset(numbers), frozenset(numbers[-spared:]))

    def _may_be_similar(self, one: _Held, other: _Held) -> bool:
        """Spares nearly all comparisons: neither can share more than it holds, and both hold the highest shared."""
        fewer, more = len(one.tokens), len(other.tokens)
        if fewer > more:
            fewer, more = more, fewer
        return more > 0 and fewer / more > self.threshold and not one.newest.isdisjoint(other.newest)


def _elsewhere(document: Hashable, other: Hashable) -> bool:
    """Whether a passage of one document may be folded into one of the other; None is a document of its own."""
    return other is None or document != other


def _check(threshold: float) -> None:
    is_number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if not (is_number and 0 < threshold <= 1):
        raise InputError(
            f"Near-duplicates cannot be found by a similarity of {threshold!r}.",
            "Give a number above 0 and at most 1, such as 0.95.",
        )


def _passage(chunk: ScoredChunk | RetrievedChunk) -> Passage:
    return passage_of(chunk) if isinstance(chunk, RetrievedChunk) else Passage(chunk.text, chunk.score)


def _document_of(chunk: ScoredChunk | RetrievedChunk) -> Hashable:
    return chunk.document_id if isinstance(chunk, RetrievedChunk) else chunk.metadata.document_id or None


def _with_folded(chunk: Chunk, more: Sequence[Folded]) -> Chunk:
    return chunk.model_copy(update={"folded": [*chunk.folded, *more]}) if more else chunk


def _listed(chunk: ScoredChunk | RetrievedChunk, similarity: float) -> list[Folded]:
    """How a folded chunk is listed, followed by what was folded into it before."""
    if isinstance(chunk, RetrievedChunk):
        itself = as_folded(passage_of(chunk), similarity)
    else:
        known = chunk.metadata
        itself = Folded(
            chunk_id=chunk.chunk_id,
            document_id=known.document_id or None,
            source_url=known.doc_path,
            similarity=similarity,
        )
    return [itself, *chunk.folded]


# Bins that a hash of 16 bits puts words into; a passage of 4,000 characters fills about a tenth of them.
_BINS, _SPARE_BITS = 4096, 4
# The least Jaccard similarity of hashed words. Other passages of one language share up to .4, copies with a thirtieth
# of the words changed .9.
LEAST_RESEMBLANCE = 0.75
LEAST_SCREENED = (
    0.9  # below that threshold, near-duplicates may resemble each other too little to be screened
)
_AT_ONCE = 16  # texts that are compared with all, so that thousands need no more than some megabytes
_SPACE, _LAST_OF_ASCII = ord(" "), 127
_FIRST, _SECOND, _MIDDLE, _LAST, _LENGTH = map(np.uint16, (961, 31, 7919, 2503, 5003))
# Letters and digits of ASCII without their case; what else there is parts words.
_WORDS_ALONE = bytes(
    ord(chr(byte).lower()) if byte <= _LAST_OF_ASCII and chr(byte).isalnum() else _SPACE
    for byte in range(256)
)

Places = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]


def resembling(texts: Sequence[str], documents: Sequence[Hashable]) -> list[int]:
    """The positions of the texts that may be near-duplicates of one of another document, in order.

    A cheap screen before words are compared, which would take as long as the rest of a search. It compares sets of
    hashed words, which texts of nearly the same words share whatever their order. Writing of other letters than ASCII's
    is compared by runs of three bytes.
    """
    if len(set(documents)) < 2:
        return []
    marked = _marked(texts)
    sizes = _counted(marked)
    portions = (marked[at : at + _AT_ONCE, None] for at in range(0, len(texts), _AT_ONCE))
    shared = np.concatenate([_counted(some & marked) for some in portions])
    alike = shared >= LEAST_RESEMBLANCE * (sizes[:, None] + sizes - shared)
    numbers = {document: number for number, document in enumerate(documents)}
    owners = np.array([numbers[document] for document in documents])
    alike &= owners[:, None] != owners[None, :]
    return [int(place) for place in np.flatnonzero(alike.any(axis=1))]


def _counted(marked: Bits) -> Places:
    """How many bits of each row are set.

    The product of matrices of numbers would say as much, but several threads compute it, which wait for one another
    while other programs have the processors.
    """
    return np.asarray(np.bitwise_count(marked).sum(axis=-1, dtype=np.int64))


def _marked(texts: Sequence[str]) -> Bits:
    """A row for each text: a bit for each bin that one of its words or runs falls into."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    joined = b"  ".join((b"", *encoded, b""))
    ends = np.cumsum([len(one) + 2 for one in encoded])
    bins = np.zeros(len(texts) * _BINS, np.bool_)
    for places, hashes in (_words_in(joined), _runs_in(joined)):
        counts = np.diff(np.searchsorted(places, ends), prepend=0)
        rows = np.repeat(np.arange(len(texts), dtype=np.int32) * _BINS, counts)
        bins[rows + (hashes >> np.uint16(_SPARE_BITS))] = True
    return np.packbits(bins).view(np.uint64).reshape(len(texts), -1)


def _words_in(joined: bytes) -> tuple[Places, npt.NDArray[np.uint16]]:
    """Where words of ASCII begin, and a hash of each: of its first, second, middle and last letter and its length."""
    codes = np.frombuffer(joined.translate(_WORDS_ALONE), np.uint8)
    letters = codes != _SPACE
    edges = np.flatnonzero(letters[1:] != letters[:-1])
    first, last = edges[::2] + 1, edges[1::2]
    length = (last - first).astype(np.uint16)
    parts = (first, _FIRST), (first + 1, _SECOND), ((first + last) >> 1, _MIDDLE), (last, _LAST)
    hashes = [codes[at].astype(np.uint16) * factor for at, factor in parts]
    return first, sum(hashes, length * _LENGTH)


def _runs_in(joined: bytes) -> tuple[Places, npt.NDArray[np.uint16]]:
    """Where three bytes of other letters follow one another, and a hash of each."""
    codes = np.frombuffer(joined, np.uint8)
    others = np.flatnonzero(codes > _LAST_OF_ASCII)
    at = others[:-2][others[2:] == others[:-2] + 2]
    wide = [codes[at + step].astype(np.uint16) for step in range(3)]
    return at, wide[0] * _FIRST + wide[1] * _SECOND + wide[2] * _MIDDLE
