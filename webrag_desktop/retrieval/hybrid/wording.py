"""How much of a question's words stand in text that no arm has scored, since nobody indexed it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from webrag_desktop.retrieval.contracts.question_terms import QuestionTerms, inverse_frequencies, share
from webrag_desktop.retrieval.corrections import lexemes_as_read
from webrag_desktop.retrieval.hybrid.finding import Candidates
from webrag_desktop.storage.searching.candidates import WordQuery


class AskedTerms(NamedTuple):
    """The question's ``stems`` by text search language, and what stands as it is, whatever the language."""

    stems: Mapping[str, Sequence[str]]
    literals: tuple[str, ...]

    @classmethod
    def of(cls, candidates: Candidates, words: WordQuery) -> "AskedTerms":
        """Those that the library was asked for, with misspelt ones as they were read."""
        stems = lexemes_as_read(candidates.scope.lexemes, candidates.lexicon.similar)
        return cls(stems, words.identifiers + words.bigrams)

    def shares(self, passages: Sequence[tuple[str, str]]) -> list[float]:
        """What each passage (its language, its text) holds of what all words are worth, in [0, 1].

        A word is worth the more the fewer of these passages hold it, as everywhere, and the most where none does.
        """
        by_language: dict[str, list[int]] = defaultdict(list)
        for place, (language, _) in enumerate(passages):
            by_language[language].append(place)
        shares = [0.0] * len(passages)
        for language, places in by_language.items():
            asked = QuestionTerms(self.stems.get(language, ()), self.literals)
            occurrences = asked.occurrences_in([passages[place][1] for place in places])
            found = [[term for _, term in one] for one in occurrences]
            worth = inverse_frequencies(found, dict.fromkeys((*asked.stems, *asked.literals)))
            for place, terms in zip(places, found, strict=True):
                shares[place] = share(terms, worth)
        return shares
