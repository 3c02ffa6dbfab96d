"""Gathers what a model is given to answer from: passages within a budget, ids before their sentences, pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from webrag_desktop.answering.budget import TOKENS_OF_A_SENTENCE, TOKENS_OF_AN_ID, within_room
from webrag_desktop.answering.evidence import AnswerEvidence, PointedSentence
from webrag_desktop.answering.excerpts import Excerpt, Stretch, packed_passages, whole_passages
from webrag_desktop.answering.grounding import apply_grounding_policy
from webrag_desktop.answering.pointing import KnownTexts, Pointable, pointable, whole_sentences
from webrag_desktop.answering.source_markers import SentenceMark
from webrag_desktop.retrieval.answers.selection import retrieve_from_selection
from webrag_desktop.retrieval.contracts.answer_events import AnswerBasis
from webrag_desktop.retrieval.contracts.answers import AnswerContext, AnswerMode, Query, SelectedFrom
from webrag_desktop.retrieval.contracts.packs import ContextPack, TokenCounter
from webrag_desktop.retrieval.contracts.results import RetrievalResult

DEFAULT_SENTENCES = 30
_CUT = "The best passage is longer than the model reads at once: only its best sentences were sent."
_CUT_SELECTION = (
    "The selected text is longer than the model reads at once: only its best sentences were sent."
)
_NOT_ALL = "The library is longer than the model reads at once: {count:,} of its passages were not sent."


class Pack(Protocol):
    """Packs a result within so many tokens, as ``build_context_pack`` does."""

    def __call__(self, result: RetrievalResult, question: str, tokens: int) -> ContextPack:
        """What matched, the rest of its passages, and what stands around."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """What gathering needs of its surroundings; it knows no storage itself.

    ``search`` finds within so many tokens, in the mode that the library's size asks for. ``room`` is how many tokens of
    the ``counter`` the evidence may have. ``sentences`` is how many get an id.
    """

    search: Callable[[str, int], RetrievalResult]
    pack: Pack
    counter: TokenCounter
    room: int
    sentences: int = DEFAULT_SENTENCES

    @property
    def ids(self) -> int:
        """How many sentences get one: fewer where there is little room, so that most of it is left for the texts."""
        return max(1, min(self.sentences, self.room // (TOKENS_OF_AN_ID + TOKENS_OF_A_SENTENCE)))

    @property
    def room_for_texts(self) -> int:
        """What is left of the room beside the ids."""
        return self.room - TOKENS_OF_AN_ID * self.ids


def gather_evidence(
    query: Query, by: Gathering, *, selected_from: SelectedFrom | None = None, document_id: UUID | None = None
) -> AnswerEvidence:
    """What is given to a model that is to answer a question.

    A small library is given whole, document by document; of a larger one the context pack. In the mode
    ``selected_text_only`` it is the selected text, and nothing is searched: ``selected_from`` says where that stands,
    if it is of the library, and ``document_id`` of which document; the text is the markdown there, then.

    What does not fit is left out by rank, and counted. Nothing found means that there is nothing to answer from
    (``sufficient_context``). Whole documents are evidence whatever is asked: whether they bear on it the model says.

    Raises:
        InputError: the question is empty, or no text is selected where only that is to answer.
    """
    if query.mode == "selected_text_only":
        return _of_selection(query, by, selected_from, document_id)
    result = by.search(query.question, by.room)
    if result.mode == "full_context":
        unpacked, cut = set[UUID](), False
        excerpts = whole_passages(result.chunks)
    else:
        pack = by.pack(result, query.question, by.room_for_texts)
        unpacked, cut = _not_packed(pack), any(piece.cut for piece in pack.chunks)
        excerpts = packed_passages(pack, result.chunks)
    kept, shortened = within_room(excerpts, query.question, by.room_for_texts, by.counter)
    left_out = _passages(excerpts) - _passages(kept) | unpacked
    left_out |= {one.chunk_id for one in result.left_out if one.reason == "context_budget"}
    notices = [
        *filter(None, (_nothing(result), result.degraded, result.correction_notice)),
        *([_CUT] if shortened or (cut and len(excerpts) == 1) else []),
        *([_NOT_ALL.format(count=len(left_out))] if left_out and result.mode == "full_context" else []),
    ]
    composed = _Composed(query, "normal", kept, notices, by)
    return composed.evidence(
        result.mode, left_out=len(left_out), result=result, by_document=result.mode == "full_context"
    )


def _nothing(result: RetrievalResult) -> str | None:
    return None if result.corpus_stats.total_parent_chunks else "There is no text to answer from yet."


def _passages(excerpts: Sequence[Excerpt]) -> set[UUID]:
    return {excerpt.found.chunk_id for excerpt in excerpts if excerpt.found is not None}


def _not_packed(pack: ContextPack) -> set[UUID]:
    """The passages of which a pack would hold something if its budget were larger."""
    decisions, most = pack.explanation.decisions, pack.explanation.return_top_n
    primary = [one for one in decisions if one.role == "primary" and one.hit <= most]
    return {one.chunk_id for one in primary if one.outcome == "dropped" and one.chunk_id is not None}


def _of_selection(
    query: Query, by: Gathering, selected_from: SelectedFrom | None, document_id: UUID | None
) -> AnswerEvidence:
    selected = retrieve_from_selection(query)
    about = selected.chunks[0]
    start = selected_from.char_start if selected_from else 0
    excerpt = Excerpt(
        about,
        (Stretch(start, start + len(about.text), about.text),),
        1.0,
        version_id=selected_from.version_id if selected_from else None,
        document_id=document_id,
    )
    kept, shortened = within_room([excerpt], query.question, by.room_for_texts, by.counter)
    composed = _Composed(query, "selected_text_only", kept, [_CUT_SELECTION] if shortened else [], by)
    return composed.evidence("selected_text_only")


@dataclass(frozen=True, slots=True)
class _Composed:
    """Excerpts that are sent, to be read as one context."""

    query: Query
    mode: AnswerMode
    excerpts: Sequence[Excerpt]
    notices: Sequence[str]
    by: Gathering

    def evidence(
        self,
        basis: AnswerBasis,
        *,
        left_out: int = 0,
        result: RetrievalResult | None = None,
        by_document: bool = False,
    ) -> AnswerEvidence:
        """The evidence, with ids numbered as they are read."""
        known = KnownTexts(self.excerpts)
        excerpts = whole_sentences(self.excerpts, known)
        found = pointable(excerpts, known, self.query.question, self.by.ids)
        read = sorted(found, key=lambda one: min([(one.source, one.start), *one.copies]))
        names = {(one.source, one.start): f"s{number}" for number, one in enumerate(read, start=1)}
        sources = AnswerContext(
            mode=self.mode,
            chunks=[one.about.model_copy(update={"text": one.text}) for one in excerpts],
            citations=[one.citation for one in excerpts],
            notices=list(self.notices),
        )
        marks = _marks(excerpts, found, names)
        grounded = apply_grounding_policy(sources, self.query.question, marks, by_document=by_document)
        return AnswerEvidence(
            basis=basis,
            grounded=grounded,
            sentences=tuple(
                _pointed(one, names[one.source, one.start], excerpts[one.source - 1]) for one in found
            ),
            chunks=tuple(one.found for one in excerpts if one.found is not None),
            tokens=self.by.counter.count(grounded.context),
            left_out=left_out,
            sources=sources,
            marks=marks,
            result=result,
        )


def _marks(
    excerpts: Sequence[Excerpt], found: Sequence[Pointable], names: dict[tuple[int, int], str]
) -> tuple[tuple[SentenceMark, ...], ...]:
    """The ids of each excerpt, in order; a sentence has its id wherever it is shown."""
    marks: list[list[SentenceMark]] = [[] for _ in excerpts]
    for one in found:
        for source, start in ((one.source, one.start), *one.copies):
            place = excerpts[source - 1].place_of(start)
            if place is not None:
                marks[source - 1].append(SentenceMark(place, names[one.source, one.start]))
    return tuple(tuple(sorted(own)) for own in marks)


def _pointed(one: Pointable, name: str, excerpt: Excerpt) -> PointedSentence:
    return PointedSentence(
        id=name,
        source=one.source,
        document_id=excerpt.document_id,
        version_id=excerpt.version_id,
        char_start=one.start,
        char_end=one.end,
        markdown=one.markdown,
        reads=one.reads,
        score=one.score,
    )
