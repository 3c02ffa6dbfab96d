"""Answers as text: claims as they are written, then their sources."""

from collections.abc import Sequence

from webrag_desktop.cli.cite_ids import say_link
from webrag_desktop.cli.output import INDENT, Output, Styled, one_line, readable_address, sentences
from webrag_desktop.retrieval.contracts.answer_events import (
    Answer,
    AnswerCitation,
    AnswerClaim,
    AnswerKind,
    ClaimChecked,
    ClaimText,
    ClaimWritten,
    Ended,
    Started,
)
from webrag_desktop.text.citation_formats import reference

EXTRACT = "No model wrote this: these are the sentences that answer best, word for word."
PASSED_OVER = "The search ranks these sentences above those, word for word:"
_TICK = "✓"
_KINDS = {"number": "the number", "name": "the name", "negation": "the word", "quotation": "the quotation"}


class AnswerText:
    """Prints one answer while it comes."""

    def __init__(self, output: Output, *, links: bool = False) -> None:
        """Print to ``output``, with ``links`` also the links of what is cited."""
        self._output = output
        self._links = links
        self._writing: int | None = None
        self._shown: dict[int, AnswerClaim] = {}
        self._changed = False
        self._kind: AnswerKind = "model"
        self._said_passed_over = False
        self._noted: set[str] = set()

    def started(self, event: Started) -> None:
        """What the answer rests on."""
        self._note(event.notices)
        self._kind = event.kind
        if event.kind == "extract":
            self._output.note(EXTRACT)

    def _note(self, notices: Sequence[str]) -> None:
        """What was not noted before."""
        for notice in notices:
            if notice not in self._noted:
                self._noted.add(notice)
                self._output.note(f"Note: {notice}")

    def text(self, event: ClaimText) -> None:
        """More of a claim."""
        begins = self._writing != event.claim
        if event.by == "search" and self._kind == "model" and not self._said_passed_over:
            self._said_passed_over = True
            _print_passed_over(self._output)
        self._writing = event.claim
        self._output.write(_behind_a_line(event.text) if begins else event.text)

    def written(self, event: ClaimWritten) -> None:
        """The end of a claim: its numbers, and what is doubtful."""
        self._shown[event.claim.number] = event.claim
        self._writing = None
        self._output.say(*_behind(event.claim))

    def checked(self, event: ClaimChecked) -> None:
        """Something stands otherwise than it was shown."""
        self._changed = True

    def ended(self, event: Ended) -> None:
        """What it all rests on; the claims once more where they stand otherwise now."""
        answer = event.answer
        if self._writing is not None:
            self._output.say()
        self._note(answer.notices)
        if self._changed or any(self._shown.get(claim.number) != claim for claim in answer.claims):
            self._output.say()
            self._output.say(Styled("After its sources were checked, the answer is:", dim=True))
            print_claims(self._output, answer)
        if answer.refusal and not self._shown:
            self._output.say(one_line(answer.refusal))
        print_sources(self._output, answer, links=self._links)
        if answer.outcome == "stopped":
            self._output.note("Stopped. What was written is above.")
        elif answer.error:
            self._output.note(Styled(answer.error, bold=True))
            if answer.hint:
                self._output.note(answer.hint)


def print_answer(output: Output, answer: Answer, *, links: bool = False) -> None:
    """A whole answer of the history, with ``links`` also the links of what it cites."""
    output.say(Styled(one_line(answer.question), bold=True))
    if answer.kind == "extract":
        output.say(Styled(EXTRACT, dim=True))
    output.say()
    if answer.refusal:
        output.say(one_line(answer.refusal))
    print_claims(output, answer)
    print_sources(output, answer, links=links)
    for notice in answer.notices:
        output.note(f"Note: {notice}")
    if answer.error:
        output.note(sentences(answer.error, answer.hint))


def print_claims(output: Output, answer: Answer) -> None:
    """The claims with the numbers of what they rest on."""
    first = next((claim for claim in answer.claims if claim.by == "search"), None)
    for claim in answer.claims:
        if claim is first and answer.kind == "model":
            _print_passed_over(output)
        output.say(_behind_a_line(claim.text), *_behind(claim))


def _behind_a_line(text: str) -> str:
    """A claim that begins a paragraph behind the line of the one before, a blank line between them."""
    return f"\n{text.lstrip()}" if text.startswith("\n") else text


def _print_passed_over(output: Output) -> None:
    output.say()
    output.say(Styled(PASSED_OVER, dim=True))


def print_sources(output: Output, answer: Answer, *, links: bool = False) -> None:
    """What is cited, with a tick: it was cut from the stored texts; and where each stands."""
    if answer.citations:
        output.say()
    for citation in answer.citations:
        _print_citation(output, citation)
        if links:
            span = citation.span
            say_link(output, span.version_id, span.char_start, span.char_end)


def _print_citation(output: Output, citation: AnswerCitation) -> None:
    quote = "" if citation.attribution_only else f" “{one_line(citation.span.verbatim_text)}”"
    output.say(f"[{citation.number}] ", Styled(_TICK, colour="green"), quote)
    headings = " › ".join(citation.heading_path) or citation.span.section_heading
    if named := reference(citation.span.title, headings, page=citation.page):
        output.say(INDENT, Styled(one_line(named), dim=True))
    output.say(INDENT, Styled(one_line(readable_address(citation.reference)), dim=True))


def _behind(claim: AnswerClaim) -> Sequence[str | Styled]:
    numbers = "".join(f" [{number}]" for number in claim.citations)
    return numbers, *([Styled(f" ({doubt})", colour="yellow")] if (doubt := _doubt(claim)) else ())


def _doubt(claim: AnswerClaim) -> str:
    """What is wrong with a claim, in words; nothing where its sentences bear it."""
    lacking = [
        one_line(f"{_KINDS[one.kind]} {one.text}").strip()
        for one in claim.warnings
        if one.kind != "quotation"
    ]
    unfound = [one_line(one.text) for one in claim.warnings if one.kind == "quotation"]
    said = [
        *([f"its sources lack {', '.join(lacking)}"] if lacking else []),
        *([f"quoted nowhere in the library: {', '.join(unfound)}"] if unfound else []),
    ]
    if claim.support == "supported":
        return "; ".join(said)
    if claim.support == "unsupported":
        return "; ".join(["unsupported: no sentence of the library supports it", *said])
    return "; ".join(["doubtful", *said]) if said else "doubtful: its sources may not say so"
