"""Whether the sentences that a model points at bear its claims, as far as that can be told without a model."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import NamedTuple

from webrag_desktop.answering.checks.lacking import Borne
from webrag_desktop.answering.checks.words import content_stems, stems
from webrag_desktop.answering.evidence import AnswerEvidence, PointedSentence
from webrag_desktop.retrieval.contracts.answer_events import ClaimWarning, Support
from webrag_desktop.retrieval.contracts.question_terms import inverse_frequencies, share
from webrag_desktop.retrieval.function_words import language_of

# How near in meaning each of some texts is to the first, from -1 to 1.
Similarity = Callable[[str, Sequence[str]], Sequence[float]]

# A sentence of retrieval's own takes the place of those pointed at where it holds at least this share of what the
# claim's words are worth, and these hold less than so much of its share.
STANDS_IN_FROM = 0.5
FAR_BELOW = 0.5
# Sentences bear a claim whose words they hold by at least this share, or that they are near to in meaning: beyond what
# the other sentences are, by this share of what is left to full likeness, since some models call any two texts near.
# By one half of SciFact's claims: what bears a claim is taken for it at 78 of 100, what is of another text at none.
BEARS_FROM = 0.4
NEARER_FROM = 0.45
_NEAR_ALONE = 0.75  # where there is no other sentence
# How much of a sentence's score is its words where the meaning is known, too.
_WORDS_WEIGHT = 0.6


class Judgement(NamedTuple):
    """What is left of a claim's pointing: the ids that stand, whether they bear it, and what they lack."""

    ids: tuple[str, ...]
    support: Support
    warnings: tuple[ClaimWarning, ...] = ()


@dataclass(frozen=True)
class Pointing:
    """Judges pointing at the sentences of one answer; ``similarity`` tells nearness in meaning, where it can."""

    evidence: AnswerEvidence
    similarity: Similarity | None = None

    @cached_property
    def sentences(self) -> Mapping[str, PointedSentence]:
        """The sentences by their ids."""
        return {one.id: one for one in self.evidence.sentences}

    @cached_property
    def _held(self) -> Mapping[str, set[str]]:
        return {one.id: stems(one.reads) for one in self.evidence.sentences}

    def judge(
        self, claim: str, ids: Sequence[str], quotes: Sequence[str] = (), *, agreed: bool = False
    ) -> Judgement:
        """How a claim stands that points at ``ids``; ``agreed`` tells that it did so twice.

        Where it points far beside retrieval's own best sentence for it, that one takes their place. ``quotes`` are what
        it quotes rightly, from wherever.
        """
        scores = self._scores(claim)
        best = max(scores, key=lambda id_: scores[id_], default=None)
        chosen = max((scores[id_] for id_ in ids), default=0.0)
        if best is not None and scores[best] >= STANDS_IN_FROM and chosen < FAR_BELOW * scores[best]:
            ids, agreed = (best,), False
        if not ids and not quotes:
            return Judgement((), "unsupported")
        borne = self._borne(ids, quotes)
        warnings = tuple(borne.lacks(claim))
        bears = self._bears(claim, ids, borne, agreed=agreed)
        return Judgement(tuple(ids), "supported" if bears and not warnings else "doubtful", warnings)

    def _scores(self, claim: str) -> dict[str, float]:
        """For each sentence, how much of the claim it says, in [0, 1]."""
        wanted = content_stems(claim)
        if not wanted:
            return {}
        worth = self._worth(wanted)
        words = {id_: share(wanted & held, worth) for id_, held in self._held.items()}
        near = self._nearness(claim)
        return {
            id_: _WORDS_WEIGHT * words[id_] + (1 - _WORDS_WEIGHT) * near[id_] if near else words[id_]
            for id_ in words
        }

    def _worth(self, wanted: set[str]) -> dict[str, float]:
        return inverse_frequencies([held & wanted for held in self._held.values()], wanted)

    def _nearness(self, claim: str) -> dict[str, float]:
        """By how much each sentence is nearer in meaning than the farthest, of 1 for the nearest."""
        if self.similarity is None or len(self.sentences) < 2:
            return {}
        near = self.similarity(claim, [one.reads for one in self.sentences.values()])
        low, high = min(near), max(near)
        if math.isclose(low, high):
            return {}
        return {id_: (value - low) / (high - low) for id_, value in zip(self.sentences, near, strict=True)}

    def _borne(self, ids: Sequence[str], quotes: Sequence[str]) -> Borne:
        chosen = [self.sentences[id_] for id_ in ids]
        return Borne(
            sentences=(*(one.reads for one in chosen), *quotes),
            around="\n".join(
                dict.fromkeys(line for one in chosen for line in surroundings(self.evidence, one))
            ),
            elsewhere=self._elsewhere,
        )

    @cached_property
    def _elsewhere(self) -> str:
        texts = [chunk.chunk_text for chunk in self.evidence.chunks] or [self.evidence.grounded.context]
        return "\n".join((*texts, *(one.reads for one in self.evidence.sentences)))

    def _bears(self, claim: str, ids: Sequence[str], borne: Borne, *, agreed: bool) -> bool:
        wanted = content_stems(claim)
        if not wanted:
            return False
        if share(wanted & borne.stems, self._worth(wanted)) >= BEARS_FROM:
            return True
        if self._is_near(claim, ids):
            return True
        return agreed and _in_different_languages(claim, " ".join(borne.sentences))

    def _is_near(self, claim: str, ids: Sequence[str]) -> bool:
        """Whether these are near to the claim in meaning."""
        if self.similarity is None or not ids:
            return False
        near = self.similarity(claim, [one.reads for one in self.sentences.values()])
        by_id = dict(zip(self.sentences, near, strict=True))
        nearest = max(by_id[id_] for id_ in ids)
        others = [value for id_, value in by_id.items() if id_ not in ids]
        if not others:
            return nearest >= _NEAR_ALONE
        usual = median(others)
        return nearest - usual >= NEARER_FROM * (1 - usual) > 0


def _in_different_languages(claim: str, text: str) -> bool:
    """Whether words cannot be compared: an answer may be in another language than what it rests on."""
    ours, theirs = language_of(claim), language_of(text)
    return ours is not None and theirs is not None and ours != theirs


def surroundings(evidence: AnswerEvidence, sentence: PointedSentence) -> list[str]:
    """The title and the headings that a sentence stands under, as far as they are known."""
    place = sentence.source - 1
    about = evidence.grounded.citations[place] if place < len(evidence.grounded.citations) else None
    named = [about.title, about.section] if about else []
    return [*filter(None, named), *heading_path_of(evidence, sentence)]


def heading_path_of(evidence: AnswerEvidence, sentence: PointedSentence) -> tuple[str, ...]:
    """The headings above a sentence: as retrieval found it, else those of its passage or of what stands around that."""
    place = sentence.source - 1
    chunk = evidence.chunks[place] if place < len(evidence.chunks) else None
    if chunk is not None and chunk.char_start <= sentence.char_start < chunk.char_end:
        spans = [one for one in chunk.matched_spans if one.char_start <= sentence.char_start < one.char_end]
        return next((one.heading_path for one in spans if one.heading_path), tuple(chunk.heading_path))
    about = evidence.grounded.citations[place] if place < len(evidence.grounded.citations) else None
    return (about.section,) if about and about.section else ()
