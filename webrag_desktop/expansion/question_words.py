"""The words of a question as they were written, and which of them a text holds."""

import re
from collections.abc import Iterable, Mapping, Sequence

from webrag_desktop.retrieval.contracts.question_terms import QuestionTerms, inverse_frequencies
from webrag_desktop.retrieval.contracts.results import Correction, SoughtTerms
from webrag_desktop.retrieval.function_words import is_function_word

_WORD = re.compile(r"[^\W_]+")
# What a word is looked for without, where no search tells its stem: English endings, of words that stay long enough.
_ENDING = re.compile(r"(?<=\w{3})(?:ies|es|s|ing|ed|y|e)$")


class QuestionWords:
    """What a question asks for, word by word, and how each is looked for.

    ``sought`` is how a search looked for them: stems of one language or several, and what stands as it is. Words that
    it left out (function words) are none of the question's. ``corrections`` are words that it read as others, which
    count as held where these are.
    """

    def __init__(
        self, question: str, sought: Iterable[SoughtTerms] = (), corrections: Iterable[Correction] = ()
    ) -> None:
        stems = dict.fromkeys(stem for one in sought for stem in one.stems)
        literals = dict.fromkeys(literal for one in sought for literal in one.literals)
        self._written: dict[str, dict[str, None]] = {}  # words by the terms that they are looked for by
        self._learn(question, QuestionTerms(stems, literals))
        for correction in corrections:
            for term in dict.fromkeys(
                term for _, _, term in QuestionTerms(stems, ()).words(correction.read_as)
            ):
                self._written.setdefault(term, {})[correction.word] = None
        if not self._written:
            self._guess(question)
        asked = dict.fromkeys(word for words in self._written.values() for word in words)
        self.words = tuple(sorted(asked, key=question.lower().find))
        literal = [term for term in self._written if term in literals]
        self._terms = QuestionTerms((term for term in self._written if term not in literals), literal)

    def _learn(self, question: str, terms: QuestionTerms) -> None:
        for start, end, term in terms.words(question):
            self._written.setdefault(term, {})[question[start:end].lower()] = None

    def _guess(self, question: str) -> None:
        """Take every word that is a function word in no language, by its English stem."""
        for found in _WORD.finditer(question.lower()):
            if not is_function_word(found[0]):
                self._written.setdefault(_ENDING.sub("", found[0]), {})[found[0]] = None

    def held_by(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """The question's words that each of the texts holds, whatever their endings."""
        return [
            frozenset(word for _, term in occurrences for word in self._written[term])
            for occurrences in self._terms.occurrences_in(texts)
        ]

    def worth(self, held: Sequence[frozenset[str]]) -> Mapping[str, float]:
        """What each word is worth by how few of these texts hold it (:func:`.inverse_frequencies`)."""
        return inverse_frequencies(held, self.words)
