"""Questions of a public set whose answers are in a library and questions whose answers are not."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval_quality_parts.evaluation_sets import READERS, Piece, Question

_PARAGRAPH = "\n\n"


@dataclass(frozen=True, slots=True)
class HalvedSet:
    """Half of a set's texts, to be indexed, with questions that they answer and questions that the other half does."""

    name: str
    documents: Mapping[str, str]
    answered: tuple[str, ...]
    unanswered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A set, of at most so many ``documents``, and how it is halved: whole, or by pieces of that many characters.

    Of a document in pieces, half stays in the library beside each question, so that what is indexed is near its topic.
    """

    data: str
    piece: int | None = None
    documents: int | None = None

    @property
    def key(self) -> str:
        """What the command line calls it."""
        return f"{self.data}{'' if self.piece is None else '-pieces'}"

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.data}, {'whole documents' if self.piece is None else 'pieces of each document'}"

    def halved(self, folder: Path, questions: int) -> HalvedSet:
        """The set with at most so many questions of either kind, drawn evenly; the same at every call."""
        data = READERS[self.data](folder).sampled(None, self.documents)
        pieces = _pieces(data.documents, self.piece)
        names = list(pieces)
        kept = set(names[::2])  # so that both halves speak of the same matters
        chance = random.Random(20)
        answered, unanswered = [], []
        for question in data.questions:
            needed = _needed(question, pieces)
            if needed and needed <= kept:
                answered.append(question.text)
            elif needed and not needed & kept:
                unanswered.append(question.text)
        texts = {
            name: data.documents[place.document][place.start : place.end] for name, place in pieces.items()
        }
        return HalvedSet(
            self.name,
            {name: texts[name] for name in names if name in kept},
            _drawn(answered, questions, chance),
            _drawn(unanswered, questions, chance),
        )


WAYS = (Way("xquad-en", 1), Way("xquad-en"), Way("chroma", 3_000), Way("scifact", documents=2_000))


def _drawn(questions: Sequence[str], count: int, chance: random.Random) -> tuple[str, ...]:
    different = list(dict.fromkeys(questions))
    return tuple(chance.sample(different, min(count, len(different))))


def _pieces(documents: Mapping[str, str], length: int | None) -> dict[str, Piece]:
    """Where each piece stands, by the name of a file for it."""
    if length is None:
        return {name: Piece(name, 0, len(text)) for name, text in documents.items()}
    return {
        f"{name.removesuffix('.md')}-{number}.md": place
        for name, text in documents.items()
        for number, place in enumerate(_cut(name, text, length))
    }


def _cut(name: str, text: str, length: int) -> list[Piece]:
    """A text in pieces that end between paragraphs, each of at least that length but for the last one."""
    places, start = [], 0
    while start < len(text):
        gap = text.find(_PARAGRAPH, start + length)
        end = len(text) if gap < 0 else gap + len(_PARAGRAPH)
        places.append(Piece(name, start, end))
        start = end
    return places


def _needed(question: Question, pieces: Mapping[str, Piece]) -> set[str]:
    """The pieces that hold what answers a question; none where the set does not say where that stands."""
    return {
        name
        for name, place in pieces.items()
        for at in question.answers
        if at.document == place.document and at.start < place.end and place.start < at.end
    }
