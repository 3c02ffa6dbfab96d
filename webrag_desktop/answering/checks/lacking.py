"""What of a claim its sentences lack: numbers, names and negations, which a small change makes wrong."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from webrag_desktop.answering.checks.numbers import (
    ALSO_OTHER_WORDS,
    SPELLED,
    UNITS,
    Number,
    is_number,
    numbers_in,
)
from webrag_desktop.answering.checks.words import WORD, content_stems, stem, stems
from webrag_desktop.retrieval.contracts.answer_events import ClaimWarning
from webrag_desktop.retrieval.function_words import is_function_word, language_of

# -- Names -------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"[^\W_]+(?:[-_'’./][^\W_]+|_+[^\W_]*)*")
_IDENTIFIER = re.compile(r".*(?:[^\W\d_]\d|\d[^\W\d_]|_|[a-z][A-Z]|\w\.\w)")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{3,}")  # foreign names, in Japanese
_COMMON_ENDING = re.compile(r".*(?:[^su]s|ing|ly|ed|ion|ity|ment|ness|ance|ence|ung|keit|heit)\Z")
_ENDS_SENTENCE = re.compile(r"[.!?:…。！？]['\"”’)\]]*\s*\Z|\A\s*\Z")
_NOUNS_ARE_CAPITALISED = frozenset({"german"})


@dataclass(frozen=True, slots=True)
class _Named:
    text: str
    sure: bool  # False of what begins a sentence, which any word does in capitals


def _names_in(text: str) -> Iterator[_Named]:
    """Runs of capitalised words, and what looks like an identifier.

    Where nouns are capitalised a single one is no name; neither is the word that begins a sentence, surely.
    """
    nouns = language_of(text) in _NOUNS_ARE_CAPITALISED
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        follows = run and not text[run[-1].end() : token.start()].strip(" -")
        if _is_capitalised(token[0]) and follows:
            run.append(token)
            continue
        yield from _named(text, run, nouns)
        run = [token] if _is_capitalised(token[0]) else []
        if not run and not is_number(token[0]) and _IDENTIFIER.match(token[0]):
            yield _Named(token[0], sure=True)
    yield from _named(text, run, nouns)
    yield from (_Named(one[0], sure=True) for one in _KATAKANA.finditer(text))


def _is_capitalised(token: str) -> bool:
    return token[0].isupper() or token[0].istitle()


def _named(text: str, run: Sequence[re.Match[str]], nouns: bool) -> Iterator[_Named]:
    if not run:
        return
    begins = _ENDS_SENTENCE.search(text[: run[0].start()]) is not None
    if begins and is_function_word(run[0][0].casefold()):
        run, begins = run[1:], False
    elif run[0][0].casefold() in UNITS and text[: run[0].start()].rstrip()[-1:].isdigit():
        run = run[1:]
    if not run:
        return
    word = run[0][0]
    told = len(run) > 1 or (len(word) > 1 and word.isupper()) or _IDENTIFIER.match(word) is not None
    if told or not nouns:
        yield _Named(text[run[0].start() : run[-1].end()], sure=told or not begins)


# -- Negations ---------------------------------------------------------------------------------------------------

# Of English, German, French, Spanish, Italian, Portuguese, Dutch, the Scandinavian languages, Polish and Russian.
_NEGATIONS = frozenset(
    """
    no not never none nobody nothing neither nor nowhere without cannot
    nicht nie niemals nichts niemand niemanden niemandem nirgends nirgendwo ohne weder
    kein keine keinen keinem keiner keines
    ne pas jamais aucun aucune sans rien ni nul nulle
    nunca jamás ningún ninguna ninguno sin nada nadie tampoco
    non mai senza nessuno nessuna niente nulla
    não sem nenhum nenhuma ninguém
    niet geen nooit niets niemand zonder
    inte ej aldrig ingen inget inga ikke ikkje aldri uten uden
    nie nigdy bez
    не нет никогда ни без никто ничего нельзя
    """.split()
)
# Negate in one language and mean something else in another one that is often read.
_ONLY_IN = {
    "no": ("english", "spanish", "italian", None),
    "ne": ("french",),
    "pas": ("french",),
    "ni": ("french", "spanish"),
    "sin": ("spanish",),
    "non": ("italian", "french"),
    "mai": ("italian",),
    "nie": ("german",),
    "sem": ("portuguese",),
    "ej": ("swedish", "danish"),
    "nul": ("french",),
    "nada": ("spanish", "portuguese"),
    "bez": (None,),
}
_IN_TWO_WORDS = re.compile(r"\bn(?:e\b|['’]).{1,40}?\b(pas|jamais|rien|aucune?|personne)\b", re.IGNORECASE)
_CONTRACTED = re.compile(r"n['’]t\Z")
_NEGATING_CHARACTERS = re.compile(r"[不没沒無无未非]|ない|ません|なかった|ず(?=[、。に])|않|없|아니|못")
# Say no in other words; whatever denies by these lacks no negation.
_DENYING = re.compile(
    r"\b(?:lack\w*|fail\w*|unable|impossible|absen\w+|refus\w+|den(?:y|ied|ies)|prevent\w*|avoid\w*|hardly|scarcely"
    r"|rarely|seldom|un\w{4,}|fehl\w+|unmöglich|kaum|verhinder\w+|selten|un\w{5,})\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"[,;:()–—]|\b(?:but|whereas|while|although|though|aber|sondern|während|obwohl|mais|pero)\b"
)


def negations_in(text: str) -> list[str]:
    """The words of a text that negate, as they stand."""
    language = language_of(text)
    found = []
    for word in WORD.finditer(text):
        lowered = word[0].casefold()
        if _CONTRACTED.search(lowered) or (
            lowered in _NEGATIONS and (lowered not in _ONLY_IN or language in _ONLY_IN[lowered])
        ):
            found.append(word[0])
    found += [one[1] for one in _IN_TWO_WORDS.finditer(text)]
    return found + [one[0] for one in _NEGATING_CHARACTERS.finditer(text)]


# -- All of it ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Borne:
    """What a claim rests on: its ``sentences``, and ``around`` them title and headings, which tell what they are of.

    ``elsewhere`` is the rest of what was read for the answer.
    """

    sentences: tuple[str, ...]
    around: str = ""
    elsewhere: str = ""

    @cached_property
    def text(self) -> str:
        """The sentences and what stands above them."""
        return "\n".join((*self.sentences, self.around))

    @cached_property
    def stems(self) -> set[str]:
        """The words of that."""
        return stems(self.text)

    @cached_property
    def _numbers(self) -> list[Number]:
        return numbers_in(self.text)

    def lacks(self, claim: str) -> list[ClaimWarning]:
        """What the claim says and these sentences do not."""
        return [*self._numbers_lacking(claim), *self._names_lacking(claim), *self._negations_lacking(claim)]

    def _numbers_lacking(self, claim: str) -> Iterator[ClaimWarning]:
        for number in numbers_in(claim):
            if number.written.casefold() in ALSO_OTHER_WORDS:
                continue
            alike = [one for one in self._numbers if one.meanings & number.meanings]
            units = {one.unit for one in alike}
            if not alike or (number.unit and None not in units and number.unit not in units):
                yield ClaimWarning(kind="number", text=number.written)

    def _names_lacking(self, claim: str) -> Iterator[ClaimWarning]:
        for name in dict.fromkeys(_names_in(claim)):
            foreign = _KATAKANA.fullmatch(name.text)
            words = [name.text] if foreign else [word[0] for word in WORD.finditer(name.text)]
            missing = [word for word in words if not self._names(word)]
            if not missing or self._is_short_for(name.text):
                continue
            if name.sure or all(self._is_named_elsewhere(word) for word in missing):
                yield ClaimWarning(kind="name", text=name.text)

    def _names(self, word: str) -> bool:
        if _KATAKANA.fullmatch(word):
            return word in self.text
        lowered = word.casefold()
        return stem(word) in self.stems or word.isdigit() or is_function_word(lowered) or lowered in SPELLED

    def _is_short_for(self, name: str) -> bool:
        """Whether the name is made of the first letters of words in a row."""
        if not (1 < len(name) <= 8 and name.isupper()):
            return False
        initials = "".join(word[0][0] for word in WORD.finditer(self.text)).casefold()
        capitals = "".join(word[0][0] for word in WORD.finditer(self.text) if word[0][0].isupper()).casefold()
        return name.casefold() in initials or name.casefold() in capitals

    def _is_named_elsewhere(self, word: str) -> bool:
        """Whether a word that begins a sentence is a name in the rest of what was read.

        One that stands nowhere in it is, unless it ends as other words do.
        """
        if stem(word) not in self._stems_elsewhere:
            return not _COMMON_ENDING.match(word)
        return re.search(rf"\w,? {re.escape(word)}\b", self.elsewhere) is not None

    @cached_property
    def _stems_elsewhere(self) -> set[str]:
        return stems(self.elsewhere)

    def _negations_lacking(self, claim: str) -> Iterator[ClaimWarning]:
        negated = negations_in(claim)
        if negated and not (negations_in(self.text) or _DENYING.search(self.text)):
            yield ClaimWarning(kind="negation", text=negated[0])
        if not negated and not _DENYING.search(claim):
            yield from self._negations_left_out(claim)

    def _negations_left_out(self, claim: str) -> Iterator[ClaimWarning]:
        """Where all that the claim says stands in clauses that negate it."""
        wanted = content_stems(claim)
        nearest = [clause for sentence in self.sentences if (clause := _nearest_clause(sentence, wanted))]
        denied = [negations_in(clause) for clause in nearest]
        if denied and all(denied):
            yield ClaimWarning(kind="negation", text=denied[0][0])


def _nearest_clause(sentence: str, wanted: Iterable[str]) -> str | None:
    """The clause that says most of what is wanted; None where none says half of it."""
    wanted = set(wanted)
    clauses = [clause for clause in _CLAUSES.split(sentence) if clause.strip()]
    best = max(clauses, key=lambda clause: len(wanted & content_stems(clause)), default=None)
    return best if best is not None and 2 * len(wanted & content_stems(best)) >= len(wanted) > 0 else None
