"""Ranks what a document says twice behind what it says once: in two chunks, on two pages, with other markup."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence

from webrag_desktop.retrieval.contracts.results import MatchedSpan

# What a sentence is worth that a better passage of its document says too (docs/decisions/0017-evidence.md).
REPEATED_WEIGHT = 0.9

_LOOKED_AT, _BEGINNING = 40, 12

_NOTE = re.compile(r"(?<=[.!?…,;])\\?\[\^?[^\s\[\]\\]{1,12}\\?\](?:\([^)\s]*\))?")
_LINK_TARGET = re.compile(r"(?<=\])(?:\([^)\s]*\)|\[[^\[\]]*\])")
_MARKUP, _PUNCTUATION = "\\*_`~|>", ".,;:!?…。！？、，()[]{}\"'“”‘’„«»"
_AS_READ = str.maketrans(dict.fromkeys(_MARKUP) | dict.fromkeys(_PUNCTUATION, " "))


def repeats_later(found: Sequence[tuple[Hashable, Sequence[MatchedSpan]]]) -> list[list[MatchedSpan]]:
    """The spans of each passage, best first, those worth less that a better one of the same document says already.

    ``found`` names the document of each passage. A passage itself says a sentence once, where it is worth most, since
    it is shown by a few sentences. In another passage a repetition stays evidence at its own offsets, and comes a
    little later. Only markup, punctuation, spacing, case and note marks may differ: a number or a "not" makes another
    sentence.
    """
    numbers: dict[Hashable, int] = {}
    documents = [numbers.setdefault(document, len(numbers)) for document, _ in found]
    candidates = sorted(
        (-span.score, place, span.char_start, span, (documents[place], _beginning(span.text)))
        for place, (_, spans) in enumerate(found)
        for span in spans
    )
    alike = Counter(beginning for *_, beginning in candidates)
    unsure = {document for *_, (document, letters) in candidates if letters is None}
    said: set[tuple[int, str]] = set()
    said_here: set[tuple[int, str]] = set()
    kept: list[list[MatchedSpan]] = [[] for _ in found]
    for _, place, _, span, beginning in candidates:
        if alike[beginning] == 1 and beginning[0] not in unsure:  # nothing else can say the same
            kept[place].append(span)
            continue
        wording = _wording(span.text)
        if (place, wording) in said_here:
            continue
        said_here.add((place, wording))
        key = (documents[place], wording)
        kept[place].append(_repeated(span) if key in said else span)
        said.add(key)
    return [sorted(spans, key=lambda span: (-span.score, span.char_start)) for spans in kept]


def _repeated(span: MatchedSpan) -> MatchedSpan:
    return span.model_copy(update={"score": REPEATED_WEIGHT * span.score})


def _beginning(text: str) -> str | None:
    """The first letters, which texts that read the same have in common; None where a look at them does not tell."""
    bare, bracket, _ = text.partition("[")
    letters = "".join(filter(str.isalnum, bare[:_LOOKED_AT].casefold()))
    if len(letters) < _BEGINNING and (bracket or len(bare) > _LOOKED_AT):
        return None
    return letters[:_BEGINNING]


def _wording(text: str) -> str:
    """The words as they are read; the text itself where there are none."""
    bare = _LINK_TARGET.sub("", _NOTE.sub("", text)) if "]" in text else text
    return " ".join(bare.translate(_AS_READ).split()).casefold() or text
