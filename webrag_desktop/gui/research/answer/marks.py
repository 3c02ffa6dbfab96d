"""What an answer's text is made of: runs of words, and the marks among them, each with what a copy of it says."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal
from unicodedata import east_asian_width

from PySide6.QtCore import QCoreApplication

from webrag_desktop.text.printable import without_turning

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import Claim, ClaimPart, ShownAnswer


# "citation" is the number of a sentence; the others say what is wrong, and of what.
MarkKind = Literal["citation", "missing", "doubtful", "unsupported"]
Look = Literal["plain", "quote", "missing", "mark"]
Paragraph = Literal["prose", "extract", "formula", "heading", "reference"]
_ENDS = frozenset(".!?…。！？")
_OPENS = re.compile(r"\$\$|\\\[")  # a displayed formula
_KEPT = 256  # claims
_NARROW = "\N{NARROW NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of a claim. ``number`` is that of its citation; ``words`` are what "missing" is said of."""

    kind: MarkKind
    claim: "Claim"
    number: int = 0
    words: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Words of one style. Those of a mark are drawn as a pill; ``copied`` replaces them in a copy."""

    text: str
    look: Look = "plain"
    mark: Mark | None = None
    copied: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the answer that changes as a whole. ``begins`` a paragraph; ``look`` is that of the paragraph."""

    runs: tuple[Run, ...]
    begins: bool = False
    look: Paragraph = "prose"


def pieces(answer: "ShownAnswer", *, references: bool) -> tuple[Piece, ...]:
    """The answer's text, one or more for each claim; with ``references`` the block of citations at its end."""
    made: list[Piece] = []
    added = (claim for claim in answer.claims if answer.kind == "model" and claim.by == "search")
    passed_over = next(added, None)
    before = ""
    finished = [(claim.text, claim) for claim in answer.claims]
    drafts = [(answer.draft, None)] if answer.draft.strip() else []
    for text, claim in [*finished, *drafts]:
        is_quoted = answer.kind == "extract" or (claim is not None and claim.by == "search")
        look: Paragraph = "extract" if is_quoted else "prose"
        if claim is not None and claim is passed_over:
            made.append(Piece((Run(_passed_over_words()),), True, "heading"))
        is_first = not made or made[-1].look == "formula"
        apart = is_quoted or is_first or text.startswith("\n") or before.endswith("\n")
        gap = "" if apart else _gap(before, text)
        if claim is None:
            made += _paragraphs(_draft_runs(answer, gap), look, begins=apart)
        else:
            made += _claim_pieces(claim, gap, look, apart)
        before = text
    if references:
        lines = (Piece((Run(_shown(line)),), True, "reference") for line in answer.references)
        made += lines
    return tuple(made)


@lru_cache(maxsize=_KEPT)
def _claim_pieces(claim: "Claim", gap: str, look: Paragraph, apart: bool) -> tuple[Piece, ...]:
    """The pieces of a claim, which stay the same while the next one is written."""
    return tuple(_paragraphs(_claim_runs(claim, gap, as_quote=look == "extract"), look, begins=apart))


def _draft_runs(answer: "ShownAnswer", gap: str) -> tuple[Run, ...]:
    """What is written of the next claim; a displayed formula is held back until it is whole, and drawn then."""
    from webrag_desktop.text.mathematics import formulas

    paragraphs = (" ".join(one.split()) for one in _shown(answer.draft).split("\n\n"))
    text = "\n".join(filter(None, paragraphs))  # as the claim will be, so that nothing moves then
    if answer.is_running:
        whole = max((one.end for one in formulas(text)), default=0)
        unfinished = _OPENS.search(text, whole)
        text = text[: unfinished.start()].rstrip() if unfinished else text
    return (Run(gap + text, "quote" if answer.kind == "extract" else "plain"),) if text else ()


def _paragraphs(runs: Iterable[Run], look: Paragraph, *, begins: bool) -> Iterator[Piece]:
    """The runs by paragraph: every line is one, and every displayed formula with the marks behind it."""
    held: list[Run] = []
    of = look
    for run in runs:
        for line, breaks in _lines(run, after_formula=of == "formula"):
            if breaks is not None:
                if any(one.text.strip() for one in held):
                    yield Piece(tuple(held), begins, of)
                    begins = True
                held, of = [], "formula" if breaks == "formula" else look
            if line.text.strip() or held or not begins:
                held.append(line)
    if held:
        yield Piece(tuple(held), begins, of)


def _lines(run: Run, *, after_formula: bool) -> Iterator[tuple[Run, Literal["line", "formula"] | None]]:
    """The parts of a run, each with what begins a paragraph there."""
    from webrag_desktop.text.mathematics import formulas

    if run.mark is not None or run.copied is not None:
        yield run, None
        return
    at = 0
    for formula in formulas(run.text):
        if formula.display:
            yield from _words(run, at, formula.start, after_formula=after_formula)
            at = formula.end + (run.text[formula.end : formula.end + 1] in set(".,;:"))
            yield replace(run, text=run.text[formula.start : at]), "formula"
            after_formula = True
    yield from _words(run, at, len(run.text), after_formula=after_formula)


def _words(
    run: Run, start: int, end: int, *, after_formula: bool
) -> Iterator[tuple[Run, Literal["line"] | None]]:
    """The lines of a run without displayed formulas; after a formula, more than punctuation begins a paragraph."""
    for number, line in enumerate(run.text[start:end].split("\n")):
        breaks = bool(line.strip()) if number else after_formula and any(map(str.isalnum, line))
        if line:
            yield replace(run, text=line.lstrip() if breaks else line), "line" if breaks else None


def _gap(before: str, after: str) -> str:
    """The separator between two claims: none between scripts without spaces."""
    if not before.strip() or not after.strip():
        return ""
    wide = all(east_asian_width(char) in "WF" for char in (before.rstrip()[-1], after.lstrip()[0]))
    return "" if wide else " "


def _shown(text: str) -> str:
    return _in_one_line(without_turning(text)).strip()


def _in_one_line(text: str) -> str:
    """The text without line breaks in formulas, each of which is drawn in one paragraph."""
    from webrag_desktop.text.mathematics import formulas

    for formula in formulas(text) if "\n" in text else ():
        source = text[formula.start : formula.end].replace("\n", " ")
        text = text[: formula.start] + source + text[formula.end :]
    return text


def _claim_runs(claim: "Claim", gap: str, *, as_quote: bool) -> Iterator[Run]:
    """The words, then the marks, before the stop that ends them: as a printed text puts its notes."""
    words, stop = _split(claim.parts)
    if gap:
        yield Run(gap)
    placed: list[int] = []
    for part in words:
        yield from _part_runs(part, claim, as_quote=as_quote)
        if part.citation is not None:
            placed.append(part.citation)
            yield from _pill(claim, part.citation)
    for number in claim.citations:
        if number not in placed:
            yield from _pill(claim, number)
    if claim.support != "supported":
        yield from _flag(claim)
    if stop:
        yield Run(stop)


def _split(parts: "Sequence[ClaimPart]") -> "tuple[list[ClaimPart], str]":
    """The parts without the stop at the end, and the stop; white space around the claim is left out."""
    from webrag_desktop.gui.data.answers import ClaimPart

    shown = [ClaimPart(part.kind, _in_one_line(without_turning(part.text)), part.citation) for part in parts]
    if shown:
        shown[0] = ClaimPart(shown[0].kind, shown[0].text.lstrip(), shown[0].citation)
        last = shown[-1]
        text = last.text.rstrip()
        is_stop = last.kind == "text" and text[-1:] in _ENDS and text[-2:-1] not in _ENDS
        shown[-1] = ClaimPart(last.kind, text[:-1] if is_stop else text, last.citation)
        return shown, text[-1:] if is_stop else ""
    return shown, ""


def _part_runs(part: "ClaimPart", claim: "Claim", *, as_quote: bool) -> Iterator[Run]:
    if part.kind == "unverified":
        yield Run(part.text, "missing")
        mark = Mark("missing", claim, words=part.text)
        yield Run("\N{EN SPACE}", copied=" ")
        yield Run(flag_words("missing"), "mark", mark, f"[{flag_words('missing')}]")
        yield Run(_NARROW, copied="")
    elif part.text:  # a quotation brings its marks; another font would restyle words that were read already
        yield Run(part.text, "quote" if as_quote else "plain")


def _pill(claim: "Claim", number: int) -> Iterator[Run]:
    yield Run(_NARROW * 2, copied=" ")
    yield Run(str(number), "mark", Mark("citation", claim, number), f"[{number}]")
    yield Run(_NARROW, copied="")


def _flag(claim: "Claim") -> Iterator[Run]:
    kind: MarkKind = "doubtful" if claim.support == "doubtful" else "unsupported"
    yield Run("\N{EN SPACE}", copied=" ")
    yield Run(flag_words(kind), "mark", Mark(kind, claim), f"[{flag_words(kind)}]")
    yield Run(_NARROW, copied="")


def _passed_over_words() -> str:
    return QCoreApplication.translate(
        "Answer", "The search ranks these sentences above those, word for word:"
    )


def flag_words(kind: MarkKind) -> str:
    """The words of a mark that says what is wrong."""
    said = QCoreApplication.translate
    words: dict[MarkKind, str] = {
        "missing": said("Answer", "not found"),
        "doubtful": said("Answer", "doubtful"),
        "unsupported": said("Answer", "no passage"),
    }
    return words[kind].replace(" ", "\N{NO-BREAK SPACE}")
