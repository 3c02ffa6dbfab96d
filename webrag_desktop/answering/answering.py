"""Answers a question from its evidence: the model points, the program quotes, and the pointing is checked."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from webrag_desktop.answering.checks.support import Pointing, Similarity, pointed_again
from webrag_desktop.answering.citing import Citations, Resolve, Verify, extracted, passed_over, renumbered
from webrag_desktop.answering.claims.reading import ClaimMore, ClaimRead, ClaimReader, Read
from webrag_desktop.answering.claims.wording import ClaimWording, declines
from webrag_desktop.answering.evidence import AnswerEvidence
from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.answering.prompt import claims_schema, messages_of
from webrag_desktop.citations.spans import CitableChunk
from webrag_desktop.errors import Cancelled, ChatError, WebragError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.answer_events import (
    Answer,
    AnswerCitation,
    AnswerClaim,
    AnswerEvent,
    ClaimChecked,
    ClaimText,
    ClaimWarning,
    ClaimWritten,
    Ended,
    Outcome,
    Started,
)
from webrag_desktop.servers.chat import (
    ChatEnd,
    ChatPiece,
    ChatRequest,
    ContextOverflowError,
    StreamingChatModel,
)
from webrag_desktop.text.printable import printable, title_line

NOTHING_FOUND = "Nothing was found that bears on this question, so there is nothing to answer from."
NOTHING_SAID = "The model found nothing in these passages that answers the question."
CUT = (
    "The model wrote as much as it may, so the answer may lack its end. CHAT_REPLY_TOKENS lets it write more."
)
FEWER = "The model reads less than it was sent at first, so it was sent fewer passages."
UNCHECKED = "The model could not be asked again whether its sources hold: {reason}"

# Less evidence, after the model refused what it was sent as too much; None where there is none.
Fewer = Callable[[ContextOverflowError], AnswerEvidence | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What answering needs of the library; it knows no storage itself.

    ``verify`` finds the place of a quotation, ``resolve`` cuts a quote from a stored text. ``selection`` is selected
    text where only that answers, and is in no library. ``similarity`` is how near texts are in meaning, where that can
    be reported. ``fewer`` gathers less. ``window`` is how many tokens the model reads and writes, if known.
    """

    verify: Verify
    resolve: Resolve
    selection: CitableChunk | None = None
    similarity: Similarity | None = None
    fewer: Fewer | None = None
    window: int | None = None


def answer_events(
    evidence: AnswerEvidence,
    model: StreamingChatModel | None,
    options: AnswerOptions,
    surroundings: Surroundings,
    cancel: CancelToken | None = None,
) -> Iterator[AnswerEvent]:
    """The answer as it comes, from ``answer.started`` to ``answer.ended``.

    Without a model the best sentences are the answer. Without evidence it is a refusal, and no request is made. It
    starts when the model does: one that reads less than it was sent is sent less before. Whatever happens to the model
    ends the answer, with what was written kept.
    """
    if not evidence.grounded.sufficient_context or not evidence.sentences:
        yield from _refused(evidence, model)
    elif model is None:
        yield from _extract(evidence, surroundings)
    else:
        yield from _Writer(evidence, model, options, surroundings, cancel).events()


def _started(
    evidence: AnswerEvidence, model: StreamingChatModel | None, notices: Iterable[str] = ()
) -> Started:
    sent = evidence.grounded.citations if evidence.grounded.sufficient_context else []
    return Started(
        kind="extract" if model is None else "model",
        basis=evidence.basis,
        model=None if model is None else title_line(model.name),
        passages=len(sent),
        documents=len({one.document_id or one.doc_path for one in sent}),
        notices=[*evidence.grounded.notices, *notices],
    )


def _refused(evidence: AnswerEvidence, model: StreamingChatModel | None) -> Iterator[AnswerEvent]:
    started = _started(evidence, model)
    yield started
    yield Ended(answer=_answer(evidence, started, outcome="refused", refusal=NOTHING_FOUND))


def _answer(evidence: AnswerEvidence, started: Started, **more: object) -> Answer:
    common: dict[str, object] = {
        "question": printable(evidence.grounded.question),
        "kind": started.kind,
        "basis": started.basis,
        "model": started.model,
        "notices": started.notices,
    }
    return Answer.model_validate(common | more)


def _extract(evidence: AnswerEvidence, surroundings: Surroundings) -> Iterator[AnswerEvent]:
    started = _started(evidence, None)
    yield started
    citations = Citations(evidence, surroundings.verify, surroundings.resolve, surroundings.selection)
    claims = list(extracted(evidence, citations))
    listed = {number: citations[number] for claim in claims for number in claim.citations}
    for claim in claims:
        yield from _extracted(claim, [listed[number] for number in claim.citations])
    yield Ended(
        answer=_answer(
            evidence,
            started,
            outcome="complete" if claims else "refused",
            refusal=None if claims else NOTHING_FOUND,
            claims=claims,
            citations=list(listed.values()),
        )
    )


@dataclass(slots=True)
class _Claim:
    """A claim while it is written: its words, the sentences that the model cited, and how it was judged."""

    wording: ClaimWording
    pointed: tuple[str, ...] = ()
    whole: bool = True
    none: bool = False
    judged: AnswerClaim | None = None


@dataclass
class _Writer:
    """Has one answer written by a model."""

    evidence: AnswerEvidence
    model: StreamingChatModel
    options: AnswerOptions
    surroundings: Surroundings
    cancel: CancelToken | None
    notices: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._started: Started | None = None
        self._begin()

    def _begin(self) -> None:
        """Begin with the evidence as it is."""
        by, ids = self.surroundings, [one.id for one in self.evidence.sentences]
        self._reader = ClaimReader(ids)
        self._citations = Citations(self.evidence, by.verify, by.resolve, by.selection)
        self._pointing = Pointing(self.evidence)
        self._claims: dict[int, _Claim] = {}
        self._passed_over: list[AnswerClaim] = []
        reads = " ".join(one.reads for one in self.evidence.sentences)
        self._words = frozenset(re.findall(r"\w+", reads))

    def events(self) -> Iterator[AnswerEvent]:
        """All of them, whatever happens to the model."""
        outcome: Outcome = "complete"
        failure: WebragError | None = None
        try:
            yield from self._written()
            yield from self._checked()
            yield from self._completed()
        except Cancelled:
            outcome = "stopped"
        except WebragError as error:
            outcome, failure = "failed", error
        yield from self._start()
        if outcome != "complete":
            yield from self._left_over()
        yield Ended(answer=self._whole(outcome, failure))

    # -- Writing -------------------------------------------------------------------------------------------------

    def _written(self) -> Iterator[AnswerEvent]:
        try:
            yield from self._asked()
        except ContextOverflowError as error:
            fewer = self.surroundings.fewer(error) if self.surroundings.fewer and not self._claims else None
            if fewer is None or not fewer.sentences:
                raise
            self.evidence = fewer
            self.notices.append(FEWER)
            self._begin()
            yield from self._asked()

    def _asked(self) -> Iterator[AnswerEvent]:
        for piece in self._stream():
            yield from self._start()
            if isinstance(piece, ChatEnd):
                if piece.cut:
                    self.notices.append(CUT)
            else:
                yield from self._events_of(self._reader.feed(piece.text))
        yield from self._events_of(self._reader.end())

    def _stream(self) -> Iterator[ChatPiece]:
        request = ChatRequest(
            messages=messages_of(self.evidence),
            schema=claims_schema(self.evidence),
            images=self.evidence.images,
            most_tokens=self.options.reply_tokens,
            temperature=self.options.temperature,
        )
        pieces = self.model.stream(request, seconds=self.options.seconds, cancel=self.cancel)
        with closing(pieces):  # type: ignore[type-var]  # generators all, which end their request by it
            for piece in pieces:
                if self.cancel is not None:
                    self.cancel.raise_if_cancelled()
                yield piece

    def _start(self) -> Iterator[AnswerEvent]:
        if self._started is None:
            self._started = _started(self.evidence, self.model, self.notices)
            yield self._started

    def _events_of(self, read: Sequence[Read]) -> Iterator[AnswerEvent]:
        for one in read:
            if isinstance(one, ClaimMore):
                claim = self._claims.get(one.number)
                if claim is None:
                    wording = ClaimWording(
                        self._reader.known, self._citations.quoted, self._words.__contains__
                    )
                    claim = self._claims[one.number] = _Claim(wording)
                yield from _shown(one.number, claim.wording.feed(one.text))
            else:
                yield from self._claim_read(one)

    def _claim_read(self, read: ClaimRead) -> Iterator[AnswerEvent]:
        claim = self._claims[read.number]
        yield from _shown(read.number, claim.wording.end())
        claim.pointed, claim.whole, claim.none = read.ids, read.whole, read.none
        if not claim.wording.text.strip():  # of nothing but marks
            del self._claims[read.number]
            return
        claim.judged = self._judged(read.number, claim, claim.pointed, self._pointing)
        yield ClaimWritten(claim=claim.judged, citations=self._cited_by(claim.judged))

    def _left_over(self) -> Iterator[AnswerEvent]:
        """What was shown of a claim that came to no end stays, as one that nothing is known of."""
        if not self._claims:
            return
        for number, claim in self._claims.items():
            if claim.judged is None:
                yield from _shown(number, claim.wording.end())
                claim.whole = False
                claim.judged = self._judged(number, claim, (), self._pointing)
                yield ClaimWritten(claim=claim.judged, citations=self._cited_by(claim.judged))

    # -- Judging -------------------------------------------------------------------------------------------------

    def _judged(
        self, number: int, claim: _Claim, ids: Sequence[str], pointing: Pointing, *, agreed: bool = False
    ) -> AnswerClaim:
        parts = tuple(claim.wording.parts)
        text = claim.wording.text
        quotes = [part for part in parts if part.kind == "verified_quote"]
        unverified = [
            ClaimWarning(kind="quotation", text=part.text.strip())
            for part in parts
            if part.kind == "unverified"
        ]
        if claim.none:
            ids = ()
        judged = pointing.judge(text, ids, [part.text for part in quotes], agreed=agreed)
        cited = {id_: n for id_ in judged.ids if (n := self._citations.of_sentence(id_)) is not None}
        self._citations.note_prose(text, cited)
        numbers = [*(part.citation for part in quotes if part.citation is not None), *cited.values()]
        support = judged.support if numbers else "unsupported"
        if support == "supported" and (unverified or not claim.whole):
            support = "doubtful"
        return AnswerClaim(
            number=number,
            parts=parts,
            citations=tuple(dict.fromkeys(numbers)),
            support=support,
            warnings=(*unverified, *judged.warnings) if numbers else tuple(unverified),
        )

    def _checked(self) -> Iterator[AnswerEvent]:
        """What changes after the model checked its claims again, and the meaning of words is known."""
        pointed = {n: claim.wording.text for n, claim in self._claims.items() if claim.pointed}
        again = self._pointed_again(pointed) if self.options.check_again else None
        pointing = Pointing(self.evidence, self.surroundings.similarity)
        for number, claim in self._claims.items():
            ids, agreed = claim.pointed, False
            if again is not None and number in again:
                ids = tuple(id_ for id_ in ids if id_ in again[number])
                agreed = bool(ids)
            judged = self._judged(number, claim, ids, pointing, agreed=agreed)
            if judged != claim.judged:
                claim.judged = judged
                yield ClaimChecked(claim=judged, citations=self._cited_by(judged))

    def _pointed_again(self, claims: dict[int, str]) -> dict[int, tuple[str, ...]] | None:
        by = self.surroundings
        try:
            return pointed_again(self.model, self.evidence, claims, self.options, by.window, self.cancel)
        except ChatError as error:
            self.notices.append(UNCHECKED.format(reason=error.message))
            return None

    def _completed(self) -> Iterator[AnswerEvent]:
        """Sentences that answer better than all that the claims cite, as far as the search can tell."""
        if self._refusal() is not None:
            return
        for claim in passed_over(self.evidence, self._citations, self._judged_claims()):
            self._passed_over.append(claim)
            yield from _extracted(claim, self._cited_by(claim))

    def _judged_claims(self) -> list[AnswerClaim]:
        return [claim.judged for claim in self._claims.values() if claim.judged is not None]

    # -- The end -------------------------------------------------------------------------------------------------

    def _cited_by(self, claim: AnswerClaim) -> list[AnswerCitation]:
        numbers = dict.fromkeys((*claim.citations, *(part.citation for part in claim.parts if part.citation)))
        return [self._citations[number] for number in numbers]

    def _whole(self, outcome: Outcome, failure: WebragError | None) -> Answer:
        assert self._started is not None
        claims = [*self._judged_claims(), *self._passed_over]
        refusal = self._refusal() if outcome == "complete" else None
        if refusal is not None:
            outcome, claims = "refused", []
        used = [number for claim in claims for number in _numbers_in(claim)]
        listed = renumbered(used, {number: self._citations[number] for number in used})
        numbers = {old: one.number for old, one in listed.items()}
        return _answer(
            self.evidence,
            self._started,
            outcome=outcome,
            claims=[_with_numbers(claim, numbers) for claim in claims],
            citations=list(listed.values()),
            refusal=refusal,
            notices=list(dict.fromkeys((*self._started.notices, *self.notices))),
            error=failure.message if failure else None,
            hint=failure.hint if failure else None,
        )

    def _refusal(self) -> str | None:
        """What the model says where it answers nothing; None where it answers."""
        claims = list(self._claims.values())
        if any(claim.judged is not None and claim.judged.citations for claim in claims):
            return None
        said = " ".join(claim.wording.text for claim in claims)
        if not said.strip():
            return NOTHING_SAID
        return said if all(claim.none for claim in claims) or declines(said) else None


def _extracted(claim: AnswerClaim, citations: list[AnswerCitation]) -> Iterator[AnswerEvent]:
    yield ClaimText(claim=claim.number, by=claim.by, text=claim.text)
    yield ClaimWritten(claim=claim, citations=citations)


def _shown(number: int, text: str) -> Iterator[AnswerEvent]:
    if text:
        yield ClaimText(claim=number, text=text)


def _numbers_in(claim: AnswerClaim) -> Iterator[int]:
    """The numbers of its citations as they are met: those of quotations are within."""
    yield from (part.citation for part in claim.parts if part.citation is not None)
    yield from claim.citations


def _with_numbers(claim: AnswerClaim, numbers: dict[int, int]) -> AnswerClaim:
    parts = tuple(
        part if part.citation is None else part.model_copy(update={"citation": numbers[part.citation]})
        for part in claim.parts
    )
    return claim.model_copy(
        update={"parts": parts, "citations": tuple(numbers[one] for one in claim.citations)}
    )
