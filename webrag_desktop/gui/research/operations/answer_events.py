"""The events of an answer, and answers of the history, as what is shown."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from webrag_desktop.gui.data.answers import CitedSentence, Claim, ClaimPart, ClaimWarning, ShownAnswer
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.text.citation_formats import Quotation

if TYPE_CHECKING:
    from webrag_desktop.retrieval.contracts.answer_events import (
        Answer,
        AnswerCitation,
        AnswerClaim,
        AnswerEvent,
        KeptAnswer,
    )


def after_event(shown: ShownAnswer, event: "AnswerEvent") -> ShownAnswer:
    """The answer after an event."""
    if event.type == "answer.started":
        return replace(
            shown,
            stage="writing",
            kind=event.kind,
            basis=event.basis,
            model=event.model,
            passages=event.passages,
            documents=event.documents,
            notices=tuple(event.notices),
            pictures=event.pictures,
            pictures_sent=event.pictures_sent,
        )
    if event.type == "answer.text":
        # A stored sentence is laid out as a quotation, so it is shown when it is whole.
        return replace(shown, draft=shown.draft + event.text) if event.by == "model" else shown
    if event.type == "answer.claim":
        return replace(_with_claim(shown, event.claim, event.citations), draft="")
    if event.type == "answer.checked":
        return _with_claim(shown, event.claim, event.citations)
    if event.type == "answer.ended":
        return replace(whole(shown, event.answer), kept_as=event.kept_as)
    return shown


def whole(shown: ShownAnswer, answer: "Answer") -> ShownAnswer:
    """The answer as it ended."""
    claims = tuple(map(_claim, answer.claims))
    is_in = any(shown.draft.strip() in claim.text for claim in claims)
    return replace(
        shown,
        question=answer.question,
        stage=answer.outcome,
        kind=answer.kind,
        basis=answer.basis,
        model=answer.model,
        claims=claims,
        draft=shown.draft if answer.outcome in {"stopped", "failed"} and not is_in else "",
        citations=tuple(map(_cited, answer.citations)),
        references=tuple(answer.references),
        refusal=answer.refusal,
        notices=tuple(answer.notices) or shown.notices,
        problem=answer.error,
        hint=answer.hint,
    )


def kept_answer(kept: "KeptAnswer") -> ShownAnswer:
    """An answer out of the history."""
    return replace(
        whole(ShownAnswer(kept.answer.question), kept.answer), kept_as=kept.id, asked_at=kept.asked_at
    )


def _with_claim(
    shown: ShownAnswer, claim: "AnswerClaim", citations: "Iterable[AnswerCitation]"
) -> ShownAnswer:
    claims = {one.number: one for one in shown.claims} | {claim.number: _claim(claim)}
    numbered = {one.number: one for one in shown.citations} | {one.number: _cited(one) for one in citations}
    return replace(
        shown,
        claims=tuple(claims[number] for number in sorted(claims)),
        citations=tuple(numbered[number] for number in sorted(numbered)),
    )


def _claim(claim: "AnswerClaim") -> Claim:
    return Claim(
        claim.number,
        tuple(ClaimPart(part.kind, part.text, part.citation) for part in claim.parts),
        claim.citations,
        claim.support,
        tuple(ClaimWarning(one.kind, one.text) for one in claim.warnings),
        claim.by,
    )


def _cited(citation: "AnswerCitation") -> CitedSentence:
    from webrag_desktop.text.plain_text import project

    span = citation.span
    quote = project(span.verbatim_text).text.strip() or span.verbatim_text
    headings = (span.section_heading, *citation.heading_path)
    quotation = Quotation.at(
        span.source_url, quote, span.title, headings, page=citation.page, anchor=span.anchor
    )
    return CitedSentence(
        **asdict(quotation),
        number=citation.number,
        span=_place(citation),
        attribution_only=citation.attribution_only,
    )


def _place(citation: "AnswerCitation") -> SpanReference | None:
    version_id = citation.span.version_id
    if citation.document_id is None or version_id is None:
        return None
    return SpanReference(citation.document_id, version_id, citation.span.char_start, citation.span.char_end)
