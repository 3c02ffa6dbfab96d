"""The best sentences of the passages that were chosen; what a better passage says too scores less."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence

from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.results import NOTHING_SOUGHT, MatchedSpan
from webrag_desktop.retrieval.evidence import Evidence

# Factor for the score of a sentence that a better passage of its document contains too
# (docs/decisions/0017-evidence.md).
REPEATED_WEIGHT = 0.9

_COMPARED, _BEGINNING = 40, 12

_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())

_NOTE = re.compile(r"(?<=[.!?…,;])\\?\[\^?[^\s\[\]\\]{1,12}\\?\](?:\([^)\s]*\))?")
_LINK_TARGET = re.compile(r"(?<=\])(?:\([^)\s]*\)|\[[^\[\]]*\])")
_MARKUP, _PUNCTUATION = "\\*_`~|>", ".,;:!?…。！？、，()[]{}\"'“”‘’„«»"
_AS_READ = str.maketrans(dict.fromkeys(_MARKUP) | dict.fromkeys(_PUNCTUATION, " "))


def repeats_later(found: Sequence[tuple[Hashable, Sequence[MatchedSpan]]]) -> list[list[MatchedSpan]]:
    """The spans of each passage, best first; a sentence that a better passage of the document contains scores less.

    ``found`` names the document of each passage. Of repetitions within a passage only the one of the
    highest score is listed, since a passage is shown by a few sentences. In another passage a repetition stays
    evidence at its own offsets, with a lower score. Only markup, punctuation, spacing, case and note marks may differ:
    a number or a "not" makes another sentence.
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
    seen: set[tuple[int, str]] = set()
    seen_here: set[tuple[int, str]] = set()
    kept: list[list[MatchedSpan]] = [[] for _ in found]
    for _, place, _, span, beginning in candidates:
        if alike[beginning] == 1 and beginning[0] not in unsure:  # no other sentence begins so
            kept[place].append(span)
            continue
        worded = wording(span.text)
        if (place, worded) in seen_here:
            continue
        seen_here.add((place, worded))
        key = (documents[place], worded)
        kept[place].append(_repeated(span) if key in seen else span)
        seen.add(key)
    return [sorted(spans, key=lambda span: (-span.score, span.char_start)) for spans in kept]


def _repeated(span: MatchedSpan) -> MatchedSpan:
    return span.model_copy(update={"score": REPEATED_WEIGHT * span.score})


def _beginning(text: str) -> str | None:
    """The first letters, which equal wordings share; None where they cannot be determined cheaply."""
    bare, bracket, _ = text.partition("[")
    first = bare[:_COMPARED]
    if first.isascii():  # as nearly all are
        letters = first.lower().encode().translate(None, _NO_LETTERS).decode()
    else:
        letters = "".join(filter(str.isalnum, first.casefold()))
    if len(letters) < _BEGINNING and (bracket or len(bare) > _COMPARED):
        return None
    return letters[:_BEGINNING]


def wording(text: str) -> str:
    """The words as they are read; the text itself where there are none."""
    bare = _LINK_TARGET.sub("", _NOTE.sub("", text)) if "]" in text else text
    return " ".join(bare.translate(_AS_READ).split()).casefold() or text


def with_evidence(passages: Sequence[Passage], evidence: Evidence, limit: int) -> list[Passage]:
    """The passages with their best sentences, at most ``limit`` each, and the words of the question in them."""
    found = [(one.document, evidence.spans(one.children, limit) if one.children else []) for one in passages]
    return [
        one._replace(
            matched_spans=spans, sought=evidence.sought(one.children[0]) if one.children else NOTHING_SOUGHT
        )
        for one, spans in zip(passages, repeats_later(found), strict=True)
    ]
