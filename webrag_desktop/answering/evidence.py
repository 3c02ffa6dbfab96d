"""What a model is given to answer from, and which sentences of it can be pointed at."""

from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.answering.chat.streaming import ChatImage
from webrag_desktop.answering.source_markers import SentenceMark
from webrag_desktop.retrieval.contracts.answer_events import AnswerBasis
from webrag_desktop.retrieval.contracts.answers import AnswerContext, GroundedResponse
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk


@dataclass(frozen=True, slots=True)
class PointedSentence:
    """A sentence of the evidence that has an id; ``[char_start, char_end)`` are code points of the version's markdown.

    ``id`` is short (``s7``) and stands before the sentence in the context. ``source`` is the n of its
    ``[Source n: …]``. ``markdown`` is the stored text of it, verbatim, ``reads`` how it is read. ``score``, in [0, 1],
    is retrieval's own for the question. ``version_id`` and ``document_id`` are None for a text that is in no library,
    whose offsets count in that text.
    """

    id: str
    source: int
    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int
    markdown: str
    reads: str
    score: float


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """The evidence of one question, as the model reads it: ``grounded`` holds instruction and context, ids inside.

    ``sentences`` are those with an id, about thirty, best first; ids are numbered as they are read in the context.
    ``chunks`` are the passages of the library that were sent, by their ``source`` number less one; empty for a selected
    text. What stands around a passage under other headings is a source of its own, and has the passage that it stands
    around there: its sentences, and those that go over a border, lie outside of it. ``left_out`` counts passages that
    the budget did not hold. ``pictures`` counts those of the texts that may help, whether they are sent or not, of
    which ``images`` are sent. ``image_names`` says what each of the ``images`` is called in the texts. ``tokens`` are
    those of the context as the library's tokenizer counts them.

    ``sources`` and ``marks`` are what the context is made of: the texts, and the ids of each with their places, so that
    it can be put in another order. ``result`` is what the search found, None for a selected text.
    """

    basis: AnswerBasis
    grounded: GroundedResponse
    sentences: tuple[PointedSentence, ...]
    chunks: tuple[RetrievedChunk, ...] = ()
    images: tuple[ChatImage, ...] = ()
    image_names: tuple[str, ...] = ()
    pictures: int = 0
    tokens: int = 0
    left_out: int = 0
    sources: AnswerContext | None = None
    marks: tuple[tuple[SentenceMark, ...], ...] = ()
    result: RetrievalResult | None = None
