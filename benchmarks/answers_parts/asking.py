"""One question answered, with what the model pointed at and whether what was printed stands."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from uuid import UUID

from benchmarks.answers_parts.kept_replies import KeptReplies
from benchmarks.retrieval_quality_parts.evaluation_sets import Piece
from benchmarks.retrieval_quality_parts.reading_order import Place
from webrag_desktop import Library
from webrag_desktop.answering.claims.reading import ClaimRead, ClaimReader
from webrag_desktop.answering.evidence import AnswerEvidence
from webrag_desktop.library import chat_model
from webrag_desktop.library.answer_evidence import evidence_for
from webrag_desktop.retrieval.contracts.answer_events import Answer, AnswerCitation, Ended
from webrag_desktop.retrieval.contracts.answers import Query

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a question.

    Each way names the sentences it chose: ``retrieval`` those of an answer without a model, ``model`` what it pointed
    at, ``both`` what the answer cites. ``ranked`` are all that could be pointed at,
    retrieval's best first. ``quotations`` were printed, ``outside`` of these do not stand in the stored text.
    """

    outcome: str
    retrieval: Sequence[Piece]
    model: Sequence[Piece]
    both: Sequence[Piece]
    ranked: Sequence[Piece]
    support: Sequence[str]
    quotations: int
    outside: int

    def chosen(self, way: str) -> Sequence[Piece]:
        """The sentences of a way."""
        pieces: Sequence[Piece] = getattr(self, way)
        return pieces

    def leading(self, count: int) -> Sequence[Piece]:
        """So many of retrieval's best."""
        return self.ranked[:count]


@dataclass(frozen=True, slots=True)
class Asking:
    """The library with its model, its texts and where they came from by version.

    ``window`` is how many tokens the model reads and writes.
    """

    library: Library
    model: KeptReplies
    texts: Mapping[UUID, str]
    places: Mapping[UUID, Place]
    window: int

    def piece(self, version_id: UUID | None, start: int, end: int) -> Piece:
        """A span of a version as one of its file."""
        assert version_id is not None
        return self.places[version_id].piece(start, end)

    def stands(self, citation: AnswerCitation) -> bool:
        """Whether a citation is the stored text at its offsets, looked up again."""
        span = citation.span
        assert span.version_id is not None
        return self.texts[span.version_id][span.char_start : span.char_end] == span.verbatim_text

    def holds(self, words: str) -> bool:
        """Whether the letters and digits of a quotation stand in a text, one behind the other: found by other means.

        Tags, which nobody reads, are left out of the texts where they are not quoted.
        """
        wanted = _letters(words)
        return any(
            wanted in _letters(form) for text in self.texts.values() for form in (text, _TAG.sub(" ", text))
        )


def answered(asking: Asking, question: str) -> Answered:
    """Ask the library as a user does, and count."""
    library, model = asking.library, asking.model
    evidence = evidence_for(
        library, Query(question=question), options=library.settings.answer_options(), window=asking.window
    )
    model.replies.clear()
    with patch.object(chat_model, "open_chat_model", lambda _settings: model):
        answer = _answer(library, question)
    extract = _answer(library, question, with_model=False)
    pointed = _pointed(evidence, model.replies[0]) if model.replies else []
    by_id = {one.id: one for one in evidence.sentences}
    return Answered(
        outcome=answer.outcome,
        retrieval=_cited(asking, extract),
        model=[_of(asking, by_id[id_]) for id_ in pointed],
        both=_cited(asking, answer),
        ranked=[_of(asking, one) for one in evidence.sentences],
        support=[claim.support for claim in answer.claims],
        quotations=len(answer.citations) + len(_quoted(answer)),
        outside=sum(not asking.stands(one) for one in answer.citations)
        + sum(not asking.holds(words) for words in _quoted(answer)),
    )


def _answer(library: Library, question: str, *, with_model: bool = True) -> Answer:
    events = list(library.answer(question, keep=False, with_model=with_model))
    assert isinstance(events[-1], Ended)
    return events[-1].answer


def _pointed(evidence: AnswerEvidence, reply: str) -> list[str]:
    """The ids that a reply points at, each once."""
    reader = ClaimReader([one.id for one in evidence.sentences])
    read = [*reader.feed(reply), *reader.end()]
    return list(dict.fromkeys(id_ for one in read if isinstance(one, ClaimRead) for id_ in one.ids))


def _of(asking: Asking, sentence: Any) -> Piece:
    return asking.piece(sentence.version_id, sentence.char_start, sentence.char_end)


def _cited(asking: Asking, answer: Answer) -> list[Piece]:
    spans = [one.span for one in answer.citations]
    return [asking.piece(one.version_id, one.char_start, one.char_end) for one in spans]


def _quoted(answer: Answer) -> list[str]:
    return [part.text for claim in answer.claims for part in claim.parts if part.kind == "verified_quote"]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
