"""The progress of an answer as a stream of typed events; user interfaces know only these."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from webrag_desktop.citations.spans import CitationSpan
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.retrieval.contracts.bundles import CandidateItem, RetrievalStats
from webrag_desktop.text.citation_formats import cited_address

# A model wrote the claims and pointed at sentences, or there is none and the sentences themselves are the answer.
AnswerKind = Literal["model", "extract"]
# What the answer is based on: whole documents of a small library, the passages found, or a text that the user selected.
AnswerBasis = Literal["full_context", "chunk", "selected_text_only"]
# "supported": its sentences were found to support it; "unsupported": it cites no sentence of the library;
# "doubtful": it cites sentences, but they lack something that it states, or the model could not confirm them.
Support = Literal["supported", "doubtful", "unsupported"]
# "model": it wrote the claim and pointed at sentences; "search": a stored sentence, word for word, that the search
# ranks best for the question.
ClaimBy = Literal["model", "search"]
Outcome = Literal["complete", "refused", "stopped", "failed"]


class ClaimPart(FrozenModel):
    """A part of a claim's text; a blank line in it, or before its first words, begins a paragraph.

    ``verified_quote`` is a quotation by the model that was found in the library (``citation`` is its number), as the
    stored text reads, with its quotation marks; ``unverified`` are words that it put in quotation marks and that were
    found nowhere: the marks were taken off.
    """

    kind: Literal["text", "verified_quote", "unverified"]
    text: str
    citation: int | None = None


class ClaimWarning(FrozenModel):
    """What of a claim its sentences lack: ``text`` is the number, name, negation or quotation."""

    kind: Literal["number", "name", "negation", "quotation"]
    text: str


class AnswerCitation(FrozenModel):
    """A sentence that the answer points at. ``number`` counts from 1, by first use.

    ``span`` was cut from the stored text by its offsets. ``attribution_only`` says that the prose quotes it already,
    so that it is not quoted again. ``document_id`` and ``span.version_id`` are None for a selected text that is in no
    library. ``heading_path`` and ``page`` are its place, as far as they are known.
    """

    number: int
    document_id: UUID | None
    span: CitationSpan
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    attribution_only: bool = False

    @property
    def reference(self) -> str:
        """The line that the block of citations has for it: ``[source_url#section_heading]``."""
        return cited_address(self.span)


class AnswerClaim(FrozenModel):
    """One claim of the answer; ``number`` counts from 1. Where a model answers, those ``by`` the search come last.

    Two separate facts: its ``citations`` are always quoted exactly; ``support`` says whether they support the claim.
    """

    number: int
    by: ClaimBy = "model"
    parts: tuple[ClaimPart, ...]
    citations: tuple[int, ...] = ()
    support: Support = "unsupported"
    warnings: tuple[ClaimWarning, ...] = ()

    @property
    def text(self) -> str:
        """The claim as it is read."""
        return "".join(part.text for part in self.parts)


class Answer(FrozenModel):
    """A whole answer, as it is stored and copied. ``error`` and ``hint`` say why it ended early, if it did."""

    question: str
    kind: AnswerKind
    basis: AnswerBasis
    model: str | None
    outcome: Outcome
    claims: list[AnswerClaim] = Field(default_factory=list)
    citations: list[AnswerCitation] = Field(default_factory=list)
    refusal: str | None = None
    notices: list[str] = Field(default_factory=list)
    error: str | None = None
    hint: str | None = None

    @property
    def references(self) -> list[str]:
        """The block of citations: a line for each place, in order of first use, none twice."""
        return list(dict.fromkeys(citation.reference for citation in self.citations))


class KeptAnswer(FrozenModel):
    """An answer of the library's history."""

    id: UUID
    asked_at: datetime
    answer: Answer


class Sources(FrozenModel):
    """The documents that the answer may be based on, best first."""

    type: Literal["rag.sources"] = "rag.sources"
    candidates: list[CandidateItem]


class Debug(FrozenModel):
    """Statistics of the search; only on request."""

    type: Literal["rag.debug"] = "rag.debug"
    stats: RetrievalStats


class Started(FrozenModel):
    """The answer begins: who writes it and what it is based on. ``passages`` of ``documents`` were sent.

    ``pictures`` of them can be sent to the model, which sees; ``pictures_sent`` were.

    It comes with the model's first words, since a model that reads less than it was sent is sent less before.
    """

    type: Literal["answer.started"] = "answer.started"
    kind: AnswerKind
    basis: AnswerBasis
    model: str | None
    passages: int
    documents: int
    notices: list[str] = Field(default_factory=list)
    pictures: int = 0
    pictures_sent: int = 0


class ClaimText(FrozenModel):
    """More of a claim that is being written, ``text`` behind what came before.

    A quotation comes whole, once it was found in the library; so may a claim.
    """

    type: Literal["answer.text"] = "answer.text"
    claim: int
    by: ClaimBy = "model"
    text: str


class ClaimWritten(FrozenModel):
    """A claim is whole. Its parts replace what was shown of it, with the same words; new citations come with it."""

    type: Literal["answer.claim"] = "answer.claim"
    claim: AnswerClaim
    citations: list[AnswerCitation] = Field(default_factory=list)


class ClaimChecked(FrozenModel):
    """The pointing of a claim was checked: its support, warnings and citations as they are now; its words stay."""

    type: Literal["answer.checked"] = "answer.checked"
    claim: AnswerClaim
    citations: list[AnswerCitation] = Field(default_factory=list)


class Ended(FrozenModel):
    """The end, however it came; the last event there is.

    Citations are numbered by first use in the answer as it is now: where a check dropped some, others than before.
    """

    type: Literal["answer.ended"] = "answer.ended"
    answer: Answer
    kept_as: UUID | None = None


AnswerEvent = Annotated[
    Sources | Debug | Started | ClaimText | ClaimWritten | ClaimChecked | Ended, Field(discriminator="type")
]
