"""What of a claim its sentences lack: numbers, names and negations, which a small change makes wrong."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from webrag_desktop.answering.checks.numbers import (
    ALSO_OTHER_WORDS,
    SPELLED,
    UNITS,
    WORD,
    Number,
    content_stems,
    is_number,
    numbers_in,
    stem,
    stems,
)
from webrag_desktop.retrieval.contracts.answer_events import ClaimWarning
from webrag_desktop.retrieval.function_words import is_function_word, language_of

# -- Names -------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"[^\W_]+(?:[-_'’./][^\W_]+|_+[^\W_]*)*")
_IDENTIFIER = re.compile(r".*(?:[^\W\d_]\d|\d[^\W\d_]|_|[a-z][A-Z]|\w\.\w)")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{3,}")  # foreign names, in Japanese
_COMMON_ENDING = re.compile(
    r".*(?:[^su]s|ing|ly|ed|ion|ity|ment|ness|ance|ence|ency|ship|ful|less|able|ible|ive|ous|[^aeiou]al|[^aeiou]ic"
    r"|ical|ary|ar|ant|ent|ate|ung|keit|heit)\Z"
)
# Begin sentences as function words do, and are in no list of these.
_OPENINGS = frozenset(
    """
    according across along although amid among around because besides beyond both despite due either even every finally
    given hence however inside instead lack less many maybe meanwhile moreover most much neither none often once others
    otherwise outside overall per perhaps rather recent several since so some someone something sometimes soon still
    such therefore though throughout thus today together toward towards under unless unlike until upon via whereas
    whether within without yes yet laut trotz wegen während außer neben
    """.split()
)
_LONGEST_MARK = 3  # letters behind a hyphen that are a part of the name: "IFN-γ", "av-Beta3"
_LEAST_ALIKE = 5  # letters that two words begin with where one is made of the other: "genetic", "genetically"
_PIECE = re.compile(r"[^\W_]+")
_MOST_PIECES = 4  # that are written as one word elsewhere: "A-769662", "Ly-6C(high)"
_BETWEEN_PIECES = re.compile(r"[-–‑/ ()]{0,2}\Z")
_ENDS_SENTENCE = re.compile(r"[.!?:…。！？]['\"”’)\]]*\s*\Z|\A\s*\Z")
_NOUNS_ARE_CAPITALISED = frozenset({"german"})


@dataclass(frozen=True, slots=True)
class _Named:
    text: str
    sure: bool  # False of what begins a sentence, which any word does in capitals
    first_unsure: bool = (
        False  # of several words: the first one may be in capitals only since it begins a sentence
    )


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
    if begins and (is_function_word(run[0][0].casefold()) or run[0][0].casefold() in _OPENINGS):
        run, begins = run[1:], False
    elif run[0][0].casefold() in UNITS and text[: run[0].start()].rstrip()[-1:].isdigit():
        run = run[1:]
    if not run:
        return
    word = run[0][0]
    certain = len(run) > 1 or (len(word) > 1 and word.isupper()) or _IDENTIFIER.match(word) is not None
    if certain or not nouns:
        yield _Named(text[run[0].start() : run[-1].end()], certain or not begins, begins and len(run) > 1)


# -- Negations ---------------------------------------------------------------------------------------------------

# Of English, German, French, Spanish, Italian, Portuguese, Dutch, the Scandinavian languages, Polish and Russian, then
# of Finnish, Hungarian, Romanian, Turkish, Vietnamese, Indonesian, Greek, Ukrainian, Hebrew, Arabic and Persian.
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
    ei eivät emme ette nem sem nincs soha nu niciun nicio değil yok hiçbir không chưa tidak bukan δεν δε μην ποτέ
    ні немає לא אין בלי لم لن لا ليس ليست بدون نیست
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
    "nie": ("german", None),
    "sem": ("portuguese", "hungarian"),
    "nu": ("romanian", None),
    "ei": ("finnish", None),
    "yok": ("turkish", None),
    "ej": ("swedish", "danish"),
    "nul": ("french",),
    "nada": ("spanish", "portuguese"),
    "bez": (None,),
}
_IN_TWO_WORDS = re.compile(r"\bn(?:e\b|['’]).{1,40}?\b(pas|jamais|rien|aucune?|personne)\b", re.IGNORECASE)
_CONTRACTED = re.compile(r"n['’]t\Z")
_NEGATING_CHARACTERS = re.compile(
    r"नहीं|ไม่|[不没沒無无未非]|ない|ません|なかった|ず(?=[、。に])|않|없|아니|못"
)
# Begins words that deny ("unable", "ungern"), and many others that do not ("university", "unterwegs").
_UN = r"un(?!der|it|iv|i[oqfl]|til|less|cle|ter|gefähr|gar|ser|s\b|d)"
# Say no in other words; whatever denies by these lacks no negation.
_DENYING = re.compile(
    rf"\b(?:lack\w*|fail\w*|unable|impossible|absen\w+|refus\w+|den(?:y|ied|ies)|prevent\w*|avoid\w*|hardly|scarcely"
    rf"|rarely|seldom|little|few|{_UN}\w{{4,}}|fehl\w+|unmöglich|kaum|verhinder\w+|selten)\b",
    re.IGNORECASE,
)
_NEARLY_ALL = 0.7
_CLAUSES = re.compile(
    r"[,;:()–—]|\b(?:but|whereas|while|although|though|aber|sondern|während|obwohl|mais|pero)\b"
)


def negations_in(text: str) -> list[str]:
    """The words of a text that negate, as they are written."""
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


_GREEK = str.maketrans(
    {
        chr(code): unicodedata.name(chr(code)).rpartition(" ")[2].lower()
        for code in (*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3C2), *range(0x3C3, 0x3CA))
    }
)


def _with_greek_spelled(text: str) -> str:
    """The text with single Greek letters by their names, as half of all writers put them: "IFN-γ", "IFN-gamma"."""
    return _LONE_GREEK.sub(lambda letter: letter[0].translate(_GREEK), text)


_LONE_GREEK = re.compile(r"(?<![α-ωΑ-Ω])[α-ωΑ-Ω](?![α-ωΑ-Ω])")


def _telling_words(name: str) -> list[str]:
    """The words of a name, without those in small letters that a hyphen ties to it: "EU-wide", "TNF-induced"."""
    words = list(WORD.finditer(name))
    return [
        word[0]
        for place, word in enumerate(words)
        if not (
            place and len(word[0]) > _LONGEST_MARK and word[0].islower() and name[word.start() - 1] in "-‑–"
        )
    ]


@dataclass(frozen=True)
class Borne:
    """What a claim cites: its ``sentences``, and ``around`` them title and headings, which say what they are about.

    ``elsewhere`` is the rest of what was read for the answer.
    """

    sentences: tuple[str, ...]
    around: str = ""
    elsewhere: str = ""

    @cached_property
    def text(self) -> str:
        """The sentences and the headings above them."""
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
        lacking = (
            *self._numbers_lacking(claim),
            *self._names_lacking(claim),
            *self._negations_lacking(claim),
        )
        return list(dict.fromkeys(lacking))

    def _numbers_lacking(self, claim: str) -> Iterator[ClaimWarning]:
        for number in numbers_in(claim):
            if number.written.casefold() in ALSO_OTHER_WORDS:
                continue
            alike = [one for one in self._numbers if one.says(number)]
            if not alike and self._is_part_of_name(claim, number.written):
                continue
            units = {one.unit for one in alike}
            if not alike or (number.unit and None not in units and number.unit not in units):
                yield ClaimWarning(kind="number", text=number.written)

    def _names_lacking(self, claim: str) -> Iterator[ClaimWarning]:
        for name in dict.fromkeys(_names_in(claim)):
            foreign = _KATAKANA.fullmatch(name.text)
            words = [name.text] if foreign else _telling_words(name.text)
            missing = [word for word in words if not self._names(word)]
            if name.first_unsure and missing == words[:1] and not self._is_named_elsewhere(words[0]):
                continue
            if not missing or self._is_short_for(name.text) or self._is_written_otherwise(name.text):
                continue
            if name.sure or all(self._is_named_elsewhere(word) for word in missing):
                yield ClaimWarning(kind="name", text=name.text)

    def _names(self, word: str) -> bool:
        if _KATAKANA.fullmatch(word):
            return word in self.text
        lowered = word.casefold()
        return stem(word) in self.stems or word.isdigit() or is_function_word(lowered) or lowered in SPELLED

    @cached_property
    def _written_together(self) -> set[str]:
        """Its words, and neighbours as one word each: names are written with hyphens and without."""
        text = _with_greek_spelled(self.text)
        pieces = list(_PIECE.finditer(text))
        found = set()
        for first, piece in enumerate(pieces):
            whole, end = "", piece.start()
            for one in pieces[first : first + _MOST_PIECES]:
                if not _BETWEEN_PIECES.match(text[end : one.start()]):
                    break
                whole, end = whole + one[0].casefold(), one.end()
                found.add(whole)
        return found

    def _is_written_otherwise(self, name: str) -> bool:
        """Whether the name occurs here with other hyphens, blanks or capitals."""
        together = "".join(_PIECE.findall(_with_greek_spelled(name))).casefold()
        return together in self._written_together or together.removesuffix("s") in self._written_together

    def _is_part_of_name(self, claim: str, number: str) -> bool:
        """Whether the digits are part of a name such as "A-769662" or "PD-1", which is written otherwise here."""
        names = [one[0] for one in _TOKEN.finditer(claim) if number in re.split(r"[^\w]|_", one[0])]
        return bool(names) and all(
            any(map(str.isalpha, one)) and self._is_written_otherwise(one) for one in names
        )

    def _is_short_for(self, name: str) -> bool:
        """Whether the name is made of the first letters of words in a row."""
        name = name.removesuffix("s") if name[:-1].isupper() else name
        if not (1 < len(name) <= 8 and name.isupper()):
            return False
        initials = "".join(word[0][0] for word in WORD.finditer(self.text)).casefold()
        capitals = "".join(word[0][0] for word in WORD.finditer(self.text) if word[0][0].isupper()).casefold()
        return name.casefold() in initials or name.casefold() in capitals

    def _is_named_elsewhere(self, word: str) -> bool:
        """Whether a word that begins a sentence is a name in the rest of what was read.

        One that occurs nowhere in it is, unless it ends as other words do.
        """
        if stem(word) not in self._stems_elsewhere:
            return not (_COMMON_ENDING.match(word) or self._is_made_of_another(word.casefold()))
        return re.search(rf"\w,? {re.escape(word)}\b", self.elsewhere) is not None

    def _is_made_of_another(self, word: str) -> bool:
        """Whether a word that is written small here begins as this one does, or the other way round."""
        small = {one for one in WORD.findall(f"{self.text}\n{self.elsewhere}") if one.islower()}
        return any(
            len(one) >= _LEAST_ALIKE
            and len(word) >= _LEAST_ALIKE
            and (one.startswith(word) or word.startswith(one))
            for one in small
        )

    @cached_property
    def _stems_elsewhere(self) -> set[str]:
        return stems(self.elsewhere)

    def _negations_lacking(self, claim: str) -> Iterator[ClaimWarning]:
        negated = negations_in(claim)
        if negated and not self._denies(claim):
            yield ClaimWarning(kind="negation", text=negated[0])
        if not negated and not _DENYING.search(claim):
            yield from self._negations_left_out(claim)

    def _denies(self, claim: str) -> bool:
        """Whether the sentences negate anything; where one clause says nearly all of the claim, whether that does."""
        wanted = content_stems(claim)
        clauses = [_nearest_clause(sentence, wanted, _NEARLY_ALL) for sentence in self.sentences]
        texts = [clause or sentence for clause, sentence in zip(clauses, self.sentences, strict=True)]
        return any(negations_in(text) or _DENYING.search(text) for text in texts)

    def _negations_left_out(self, claim: str) -> Iterator[ClaimWarning]:
        """Where all that the claim says is in clauses that negate it."""
        wanted = content_stems(claim)
        nearest = [clause for sentence in self.sentences if (clause := _nearest_clause(sentence, wanted))]
        denied = [negations_in(clause) for clause in nearest]
        if denied and all(denied):
            yield ClaimWarning(kind="negation", text=denied[0][0])


def _nearest_clause(sentence: str, wanted: Iterable[str], least: float = 0.5) -> str | None:
    """The clause that says most of what is wanted; None where none says that share of it at least."""
    wanted = set(wanted)
    clauses = [clause for clause in _CLAUSES.split(sentence) if clause.strip()]
    best = max(clauses, key=lambda clause: len(wanted & content_stems(clause)), default=None)
    return best if best and wanted and len(wanted & content_stems(best)) >= least * len(wanted) else None
