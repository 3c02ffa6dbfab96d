"""Gathers what a model is given to answer from: passages within a budget of tokens, ids of sentences, pictures."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.answering.evidence import (
    AnswerEvidence,
    PointedSentence,
    SentenceMark,
    apply_grounding_policy,
)
from webrag_desktop.answering.excerpts import Excerpt, TextRange, packed_passages, united, whole_passages
from webrag_desktop.answering.images import MOST_IMAGES, MOST_TRIED, ImageReference, images_for
from webrag_desktop.answering.pointing import KnownTexts, Pointable, pointable, whole_sentences
from webrag_desktop.errors import FetchError, InputError
from webrag_desktop.retrieval.answer_context import retrieve_from_selection
from webrag_desktop.retrieval.contracts.answer_events import AnswerBasis
from webrag_desktop.retrieval.contracts.answers import AnswerContext, AnswerMode, Query, SelectedFrom
from webrag_desktop.retrieval.contracts.packs import ContextPack, TokenCounter
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.servers.chat import ChatImage

SHARE_OF_WINDOW = 0.4
# Our tokenizer is not the model's: so much more may a text take there.
MARGIN = 1.25
INSTRUCTION_TOKENS = 500  # instruction, how to reply, and the schema where it is sent as text
TOKENS_OF_AN_ID = 6  # with brackets, before the sentence, and once more in the schema
TOKENS_OF_A_SENTENCE = 20  # a short one
LEAST_ROOM = 64  # one short passage under its name; less holds nothing to answer from
_TOKENS_OF_A_NAME = 40


def room_for_evidence(window: int | None, reply: int, question: int, otherwise: int) -> int:
    """How many of our tokens the evidence may have, its marks included.

    ``window`` is how many tokens the model reads and writes at once, of which evidence gets two fifths, or less where
    the ``reply``, the instruction and the ``question`` leave less; where it is not known the ``otherwise`` counts.
    All are tokens.
    """
    if window is None:
        return otherwise
    rest = (window - reply - INSTRUCTION_TOKENS - MARGIN * question) / MARGIN
    return max(LEAST_ROOM, int(min(SHARE_OF_WINDOW * window, rest)))


def within_room(
    excerpts: Sequence[Excerpt], question: str, room: int, counter: TokenCounter
) -> tuple[list[Excerpt], bool]:
    """The excerpts that fit, in their order, and whether the last one left had to be cut.

    The weakest go first. Of one that is larger than all there is room for, its best sentences stay.
    """
    costs = [counter.count(excerpt.longest) + _TOKENS_OF_A_NAME for excerpt in excerpts]
    kept = list(range(len(excerpts)))
    by_rank = sorted(kept, key=lambda place: (-excerpts[place].rank, place))
    while len(by_rank) > 1 and sum(costs[place] for place in by_rank) > room:
        by_rank.pop()
    left = [excerpts[place] for place in sorted(by_rank)]
    if len(left) == 1 and costs[by_rank[0]] > room:
        return [_best_sentences(left[0], question, room - _TOKENS_OF_A_NAME, counter)], True
    return left, False


def _best_sentences(excerpt: Excerpt, question: str, room: int, counter: TokenCounter) -> Excerpt:
    """As many of its best sentences as fit, in their order; the best one in any case."""
    sentences = pointable([excerpt], KnownTexts([excerpt]), question, len(excerpt.text))
    if not sentences:
        return excerpt
    chosen: list[TextRange] = []
    for one in sentences:
        cost = counter.count(one.markdown) + TOKENS_OF_AN_ID
        if cost > room:
            break
        room -= cost
        chosen.append(TextRange(one.start, one.end, one.markdown))
    return excerpt.with_ranges(united(chosen) or [_beginning(sentences[0], room, counter)])


def _beginning(sentence: Pointable, room: int, counter: TokenCounter) -> TextRange:
    """The first characters of a sentence that so many tokens hold, up to the end of a word where there is one."""
    lengths = range(1, len(sentence.markdown) + 1)
    most = bisect_right(lengths, room, key=lambda length: counter.count(sentence.markdown[:length]))
    words = sentence.markdown[:most].rpartition(" ")[0].rstrip()
    text = words or sentence.markdown[: max(1, most)]
    return TextRange(sentence.start, sentence.start + len(text), text)


DEFAULT_SENTENCES = 30
_CUT = "The best passage is longer than the model reads at once: only its best sentences were sent."
_CUT_SELECTION = (
    "The selected text is longer than the model reads at once: only its best sentences were sent."
)
_NOT_ALL = "The library is longer than the model reads at once: {count:,} of its passages were not sent."


# Packs a result for a question within so many tokens, as ``build_context_pack`` does.
Pack = Callable[[RetrievalResult, str, int], ContextPack]


@dataclass(frozen=True, slots=True)
class Gathering:
    """What gathering needs of its surroundings; it knows no storage itself.

    ``search`` finds within so many tokens, in the mode that fits the library's size. ``room`` is how many tokens of
    the ``counter`` the evidence may have. ``sentences`` is how many get an id. ``look`` gets a picture; without it none
    is requested. ``unseen`` is the notice where pictures are wanted that the model does not take.
    """

    search: Callable[[str, int], RetrievalResult]
    pack: Pack
    counter: TokenCounter
    room: int
    sentences: int = DEFAULT_SENTENCES
    look: Callable[[ImageReference], ChatImage] | None = None
    unseen: str | None = None

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
    ``selected_text_only`` it is the selected text, and nothing is searched: ``selected_from`` says where that is,
    if it is of the library, and ``document_id`` of which document; the text is the markdown there, then.

    What does not fit is left out by rank, and counted. Nothing found means that there is nothing to answer from
    (``sufficient_context``). Whole documents are evidence for any question: the model judges whether they are relevant.

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
        packed = packed_passages(pack, result.chunks)
        excerpts = whole_sentences(packed, KnownTexts(packed))
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
    return None if result.corpus_stats.total_parent_chunks else "There is no text to answer from."


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
        (TextRange(start, start + len(about.text), about.text),),
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
        candidates = images_for(self.excerpts, self.query.question)
        pictures = self._loaded_pictures(candidates)
        excerpts, known = self.excerpts, KnownTexts(self.excerpts)
        found = pointable(excerpts, known, self.query.question, self.by.ids)
        read = sorted(found, key=lambda one: min([(one.source, one.start), *one.copies]))
        names = {(one.source, one.start): f"s{number}" for number, one in enumerate(read, start=1)}
        shown = [
            _shown(one, known, marks)
            for one, marks in zip(excerpts, _marks(excerpts, found, names), strict=True)
        ]
        marks = tuple(own for _, own in shown)
        sources = AnswerContext(
            mode=self.mode,
            chunks=[
                one.about.model_copy(update={"text": text})
                for one, (text, _) in zip(excerpts, shown, strict=True)
            ],
            citations=[one.citation for one in excerpts],
            notices=[*self.notices, *pictures.notices],
        )
        grounded = apply_grounding_policy(sources, self.query.question, marks, by_document=by_document)
        return AnswerEvidence(
            basis=basis,
            grounded=grounded,
            sentences=tuple(
                _pointed(one, names[one.source, one.start], excerpts[one.source - 1]) for one in found
            ),
            chunks=tuple(one.found for one in excerpts if one.found is not None),
            images=tuple(image for image, _ in pictures.images),
            image_names=tuple(name for _, name in pictures.images),
            pictures=min(len(candidates), MOST_IMAGES),
            tokens=self.by.counter.count(grounded.context),
            left_out=left_out,
            sources=sources,
            marks=marks,
            result=result,
        )

    def _loaded_pictures(self, candidates: Sequence[ImageReference]) -> "_Pictures":
        """As many pictures of those that may help as are sent; what fails is reported, and stops nothing."""
        pictures, look = _Pictures([], []), self.by.look
        if look is None:
            return _Pictures([], [self.by.unseen] if candidates and self.by.unseen else [])
        for reference in candidates[:MOST_TRIED]:
            if len(pictures.images) < MOST_IMAGES:
                pictures.add(reference, look)
        return pictures


class _Pictures(NamedTuple):
    """Pictures with what they are called, and what became of others."""

    images: list[tuple[ChatImage, str]]
    notices: list[str]

    def add(self, reference: ImageReference, look: Callable[[ImageReference], ChatImage]) -> None:
        """Get one more."""
        try:
            self.images.append((look(reference), reference.name))
        except (FetchError, InputError) as error:
            self.notices.append(f"The picture {reference.name} was not sent: {error.message.rstrip('.')}.")


def _marks(
    excerpts: Sequence[Excerpt], found: Sequence[Pointable], names: dict[tuple[int, int], str]
) -> list[list[SentenceMark]]:
    """The ids of each excerpt by where their sentences begin in its markdown; one comes wherever it is shown."""
    marks: list[list[SentenceMark]] = [[] for _ in excerpts]
    for one in found:
        for source, start in ((one.source, one.start), *one.copies):
            marks[source - 1].append(SentenceMark(start, names[one.source, one.start]))
    return [sorted(own) for own in marks]


def _shown(
    excerpt: Excerpt, known: KnownTexts, marks: Sequence[SentenceMark]
) -> tuple[str, tuple[SentenceMark, ...]]:
    """What is read of an excerpt, and where its ids go: its HTML where all of them have a place there."""
    if excerpt.surface is not None:
        sentences = known.sentences_in(excerpt)
        found = excerpt.surface.places_of([readings for _, readings in sentences])
        by_start = dict(zip((start for start, _ in sentences), found, strict=True))
        there = [(by_start.get(mark.place), mark.id) for mark in marks]
        if all(place is not None for place, _ in there):
            return excerpt.surface.text, tuple(SentenceMark(place or 0, name) for place, name in there)
    inside = [(place, mark.id) for mark in marks if (place := excerpt.place_of(mark.place)) is not None]
    text, places = excerpt.read([place for place, _ in inside])
    return text, tuple(SentenceMark(place, name) for place, (_, name) in zip(places, inside, strict=True))


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
