"""The units of evidence of a text, with exact offsets, and their encoding for the cache stored with each child.

In prose a unit is a sentence, in a table a row. A short item of a list is whole, and so is a short entry of a
definition list, with its term; of a longer one each sentence is a unit. In code a unit is what indentation and blank
lines make one.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from webrag_desktop.text.markdown_grammar import ITEM_MARK
from webrag_desktop.text.sentences import Sentence, split_sentences
from webrag_desktop.text.units.joints import code_units

EvidenceKind = Literal["prose", "code", "table", "item", "definition"]
KINDS: tuple[EvidenceKind, ...] = get_args(EvidenceKind)

# Characters that a unit of several sentences or lines may have.
LONGEST_ITEM = 300
LONGEST_CODE = 700

_MARKER = re.compile(rf"(?:>\s*)*{ITEM_MARK}(?:\s+\[[ xX]\])?")
_TERM = re.compile(r"(\*\*|__)(?:(?!\1)[^\n])+\1:?[ \t]*\n")
_COLON = re.compile(r"^[ \t>]*:[ \t]+\S", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t>]*\n")


class Unit(NamedTuple):
    """``text[start:end]``; that of code begins with the indentation of its first line."""

    start: int
    end: int
    kind: EvidenceKind


def evidence_units(text: str) -> list[Unit]:
    """The units in order, without headings, which name evidence but are none, unless there is nothing else."""
    sentences = split_sentences(text)
    units = [unit for run in _runs(text, sentences) for unit in _units(text, run)]
    if units:
        return units
    headings = [one for one in sentences if one.kind == "heading"] or sentences
    return [Unit(one.start, one.end, "prose") for one in headings] or [Unit(0, len(text), "prose")]


class _Run(NamedTuple):
    """Sentences that belong together: a listing, the rows of a table, an item, an entry, a paragraph."""

    sentences: Sequence[Sentence]
    kind: EvidenceKind


def _runs(text: str, sentences: Sequence[Sentence]) -> Iterator[_Run]:
    """What headings, marks, and outside of code blank lines part."""
    run: list[Sentence] = []
    listed = False
    for before, one in zip([None, *sentences], [*sentences, None], strict=True):
        if run and (one is None or not _goes_on(text, run[-1], one)):
            yield _Run(run, _kind_of(text, run, listed=listed))
            run = []
        if one is None or one.kind in {"heading", "mark"}:
            continue
        if not run:
            listed = before is not None and before.kind == "mark" and _marks(text, before, one)
        run.append(one)


def _goes_on(text: str, last: Sentence, one: Sentence) -> bool:
    if one.kind != last.kind:
        return False
    return one.kind == "code" or not _BLANK.search(text, last.end, one.start)


def _marks(text: str, mark: Sentence, one: Sentence) -> bool:
    """Whether a mark is that of the item that begins with a sentence."""
    return (
        "\n" not in text[mark.end : one.start] and _MARKER.fullmatch(text, mark.start, mark.end) is not None
    )


def _kind_of(text: str, run: Sequence[Sentence], *, listed: bool) -> EvidenceKind:
    first = run[0]
    if first.kind in {"code", "table"}:
        return first.kind
    if _TERM.match(text, first.start, first.end) or _COLON.search(text, first.start, run[-1].end):
        return "definition"
    return "item" if listed else "prose"


def _units(text: str, run: _Run) -> Iterator[Unit]:
    start, end = run.sentences[0].start, run.sentences[-1].end
    if run.kind == "code":
        begin = text.rfind("\n", 0, start) + 1
        yield from (Unit(*span, "code") for span in code_units(text, begin, end, LONGEST_CODE))
    elif run.kind in {"item", "definition"} and end - start <= LONGEST_ITEM:
        yield Unit(start, end, run.kind)
    else:
        yield from (Unit(one.start, one.end, run.kind) for one in run.sentences)


# Raise it whenever the same text is parted otherwise: what was cached by other rules is not used.
RULES = 2

_LONGEST = 2**16 - 1  # characters: each place is stored in two bytes
_UNIT = struct.Struct("<HHB")


def readable_units(text: str, cached: bytes | None = None) -> Sequence[Unit]:
    """The units of a text: read from ``cached`` where that was encoded by the same rules, else found in the text."""
    if cached and cached[0] == RULES:
        return [Unit(start, end, KINDS[kind]) for start, end, kind in _UNIT.iter_unpack(cached[1:])]
    return evidence_units(text)


def encode_units(text: str) -> bytes | None:
    """What to store of a text for :func:`readable_units`; None where the text is too long for that."""
    if len(text) > _LONGEST:
        return None
    units = (_UNIT.pack(start, end, KINDS.index(kind)) for start, end, kind in evidence_units(text))
    return b"".join([bytes([RULES]), *units])
