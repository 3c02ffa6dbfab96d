"""An answer as views show it, as far as it is written: plain, frozen data that an operation makes of events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.text.citation_formats import Quotation

AnswerKind = Literal["model", "extract"]
AnswerBasis = Literal["full_context", "chunk", "selected_text_only"]
Support = Literal["supported", "doubtful", "unsupported"]
# "searching" until it is known what the answer is based on; the last four are how an answer ends.
Stage = Literal["searching", "writing", "complete", "refused", "stopped", "failed"]
RUNNING: frozenset[Stage] = frozenset(("searching", "writing"))


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """A part of a claim: plain words, a quotation found in the library, or words in quotes found nowhere."""

    kind: Literal["text", "verified_quote", "unverified"]
    text: str
    citation: int | None = None


@dataclass(frozen=True, slots=True)
class ClaimWarning:
    """What of a claim its sentences lack."""

    kind: Literal["number", "name", "negation", "quotation"]
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of an answer. Its citations are quoted exactly, always; ``support`` says whether they bear it.

    What is ``by`` the search is a stored sentence, word for word; where a model answers, those come last.
    """

    number: int
    parts: tuple[ClaimPart, ...]
    citations: tuple[int, ...] = ()
    support: Support = "supported"
    warnings: tuple[ClaimWarning, ...] = ()
    by: Literal["model", "search"] = "model"

    @property
    def text(self) -> str:
        """The claim as it is read."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence(Quotation):
    """A sentence of the library that an answer points at; ``number`` is the answer's, from 1.

    ``quote`` is how it reads; ``span`` is its place, None for a text that is in no library. ``attribution_only``: the
    answer quotes it already.
    """

    number: int
    span: SpanReference | None
    attribution_only: bool = False


@dataclass(frozen=True, slots=True)
class SelectedText:
    """A span of a stored text that a question is about; ``words`` are how it reads."""

    span: SpanReference
    words: str


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer as far as it is. ``draft`` is the claim that is being written.

    ``passages`` of ``documents`` were sent, None where that is not known. ``asked_at`` is there for an answer out of
    the history. ``pictures`` of the evidence can be sent to the model, ``pictures_sent`` were. ``problem`` and ``hint``
    say why it failed. ``filters_changed``: the question was asked within other filters.
    """

    question: str
    stage: Stage = "searching"
    kind: AnswerKind = "model"
    basis: AnswerBasis | None = None
    model: str | None = None
    passages: int | None = None
    documents: int | None = None
    claims: tuple[Claim, ...] = ()
    draft: str = ""
    citations: tuple[CitedSentence, ...] = ()
    references: tuple[str, ...] = ()
    refusal: str | None = None
    notices: tuple[str, ...] = ()
    problem: str | None = None
    hint: str | None = None
    kept_as: UUID | None = None
    asked_at: datetime | None = None
    filters_changed: bool = False
    pictures: int = 0
    pictures_sent: int = 0

    @property
    def is_running(self) -> bool:
        """Whether more is to come."""
        return self.stage in RUNNING

    def citation(self, number: int) -> CitedSentence | None:
        """The sentence of a number."""
        return next((one for one in self.citations if one.number == number), None)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A line of the history of questions."""

    id: UUID
    question: str
    asked_at: datetime
    stage: Stage
    kind: AnswerKind
