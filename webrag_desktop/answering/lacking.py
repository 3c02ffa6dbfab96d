"""What of a claim its sentences lack: numbers, names and negations, which a small change makes wrong."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Final

from webrag_desktop.retrieval.contracts.answer_events import ClaimWarning
from webrag_desktop.retrieval.function_words import is_function_word, language_of

# -- Words -------------------------------------------------------------------------------------------------------

# One character of scripts that put no blanks between words; words of the others.
WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]|[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_ENDINGS = re.compile(r"(?:ing|ed|es|en|er|em|e|s|n)$")
_SHORTEST_STEM = 4


def stem(word: str) -> str:
    """A word without the commonest endings of European languages, whatever its case."""
    lowered = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", word).casefold())
    bare = _ENDINGS.sub("", lowered)
    return bare if len(bare) >= _SHORTEST_STEM else lowered


def stems(text: str) -> set[str]:
    """The stems of all words of a text."""
    return {stem(word[0]) for word in WORD.finditer(text)}


# -- Numbers -----------------------------------------------------------------------------------------------------

_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−](?=\d))?(?P<digits>\d{{1,3}}(?:[.,'’{_SPACES} ]\d{{3}}(?!\d))+(?:[.,]\d+)*|\d+(?:[.,]\d+)*|[.,]\d+)"
    r"(?P<unit>\s?(?:[%‰°$€£¥µμ]?[A-Za-z]{0,9}[²³]?)(?:/[A-Za-z]{1,3}[²³]?)?(?![\w]))?"
)
_SCALES = {
    **dict.fromkeys(("thousand", "tausend", "tsd", "mil", "mille", "k"), 10**3),
    **dict.fromkeys(("million", "millions", "millionen", "mio", "mn", "millones"), 10**6),
    **dict.fromkeys(("billion", "billions", "milliarde", "milliarden", "mrd", "bn", "milliards"), 10**9),
    **dict.fromkeys(("trillion", "trillions", "billionen", "bio"), 10**12),
}
_UNITS = {
    name: canonical
    for canonical, names in {
        "%": "% percent pct prozent pourcent procent",
        "km": "km kilometer kilometers kilometre kilometres kilometern",
        "m": "m meter meters metre metres metern",
        "cm": "cm centimeter centimeters centimetre centimetres zentimeter",
        "mm": "mm millimeter millimeters millimetre millimetres",
        "µm": "µm μm um micrometer micrometers micron microns mikrometer",
        "nm": "nm nanometer nanometers",
        "mi": "mi mile miles meilen",
        "ft": "ft foot feet fuß",
        "in": "inch inches zoll",
        "kg": "kg kilogram kilograms kilogramm kilo kilos",
        "g": "g gram grams gramm",
        "mg": "mg milligram milligrams milligramm",
        "t": "t ton tons tonne tonnes tonnen",
        "l": "l liter liters litre litres litern",
        "ml": "ml milliliter milliliters millilitre",
        "s": "s sec secs second seconds sekunde sekunden",
        "ms": "ms millisecond milliseconds millisekunden",
        "min": "min mins minute minutes minuten",
        "h": "h hr hrs hour hours stunde stunden",
        "d": "d day days tag tage tagen",
        "wk": "week weeks woche wochen",
        "mo": "month months monat monate monaten",
        "yr": "year years jahr jahre jahren",
        "°c": "°c celsius",
        "°f": "°f fahrenheit",
        "k": "kelvin",
        "$": "$ usd dollar dollars",
        "€": "€ eur euro euros",
        "£": "£ gbp pound pounds pfund",
        "¥": "¥ jpy yen yuan",
        "hz": "hz hertz",
        "khz": "khz",
        "mhz": "mhz",
        "ghz": "ghz",
        "kb": "kb kib kilobyte kilobytes",
        "mb": "mb mib megabyte megabytes",
        "gb": "gb gib gigabyte gigabytes",
        "tb": "tb tib terabyte terabytes",
        "w": "w watt watts",
        "kw": "kw kilowatt kilowatts",
        "mw": "mw megawatt megawatts",
        "v": "v volt volts",
        "a": "amp amps ampere amperes",
        "pa": "pa pascal pascals",
        "bar": "bar",
        "j": "j joule joules",
        "kcal": "kcal",
        "km/h": "km/h kmh kph",
        "m/s": "m/s",
        "mph": "mph",
    }.items()
    for name in names.split()
}
_CURRENCY_BEFORE = re.compile(r"[$€£¥]\s?\Z")
_SPELLED: Final = {
    word: number
    for number, words in {
        0: "zero null zéro cero",
        1: "one eins once einmal uno",
        2: "two zwei twice zweimal deux dos due twee",
        3: "three drei thrice dreimal trois tres tre drie",
        4: "four vier quatre cuatro quattro",
        5: "five fünf cinq cinco cinque vijf",
        6: "six sechs seis zes",
        7: "seven sieben sept siete sette zeven",
        8: "eight acht huit ocho otto",
        9: "nine neun neuf nueve nove negen",
        10: "ten zehn dix diez dieci tien",
        11: "eleven elf onze undici",
        12: "twelve zwölf douze doce dodici twaalf dozen dutzend",
        13: "thirteen dreizehn treize trece",
        14: "fourteen vierzehn quatorze catorce",
        15: "fifteen fünfzehn quinze quince",
        16: "sixteen sechzehn seize",
        17: "seventeen siebzehn",
        18: "eighteen achtzehn",
        19: "nineteen neunzehn",
        20: "twenty zwanzig vingt veinte venti twintig",
        30: "thirty dreißig dreissig trente treinta trenta dertig",
        40: "forty vierzig quarante cuarenta veertig",
        50: "fifty fünfzig cinquante cincuenta vijftig",
        60: "sixty sechzig soixante sesenta zestig",
        70: "seventy siebzig setenta",
        80: "eighty achtzig ochenta",
        90: "ninety neunzig noventa",
        100: "hundred hundert cent cien cento honderd",
        1000: "thousand tausend",
    }.items()
    for word in words.split()
}
# Articles, pronouns and other words beside; they count in a sentence, and nothing is asked for because of them.
_ALSO_OTHER_WORDS = frozenset(
    "null one once einmal uno due tre dos dix six sept elf once cent thousand hundred tausend hundert dozen dutzend acht "
    "onze seize quince cento sette otto nove".split()
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, everything that it may mean, and its unit where that is known."""

    written: str
    meanings: frozenset[Decimal]
    unit: str | None


def numbers_in(text: str, *, spelled: bool = True) -> list[Number]:
    """The numbers of a text, in order; with those that are ``spelled`` out where these are surely numbers."""
    read = _with_plain_digits(text)
    found = [(match.start(), _number(read, match)) for match in _NUMBER.finditer(read)]
    if spelled:
        found += [
            (word.start(), Number(word[0], frozenset([Decimal(number)]), None))
            for word in WORD.finditer(text)
            if (number := _SPELLED.get(word[0].casefold())) is not None
        ]
    return [number for _, number in sorted(found, key=lambda one: one[0]) if number.meanings]


def _with_plain_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.digit(char)) if char.isdigit() and unicodedata.digit(char, None) is not None else char
        for char in text
    )


def _number(text: str, match: re.Match[str]) -> Number:
    unit, scale = _unit_of((match["unit"] or "").strip())
    if unit is None and (before := _CURRENCY_BEFORE.search(text[: match.start()])):
        unit = before[0].strip()
    written = match["digits"] + (match["unit"] or "" if unit or scale > 1 else "")
    meanings = {value * scale for value in _values(match["digits"])}
    if match["sign"]:
        meanings |= {-value for value in meanings}  # a range as likely
    return Number(written.strip(), frozenset(meanings), unit)


def _unit_of(word: str) -> tuple[str | None, int]:
    lowered = word.lower()
    if lowered in _SCALES and word != "K":
        return None, _SCALES[lowered]
    return _UNITS.get(lowered), 1


def _values(digits: str) -> Iterator[Decimal]:
    """What digits mean with a point or comma for decimals, or either between thousands."""
    bare = re.sub(rf"['’{_SPACES} ]", "", digits)
    readings = {bare.replace(",", ""), bare.replace(".", "").replace(",", ".")}
    if not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", bare):  # "2.5" is no 25
        readings = {one for one in readings if _keeps_decimals(bare, one)} or readings
    for one in readings:
        try:
            yield Decimal(one).normalize()
        except InvalidOperation:  # 1.2.3 is a version or a date, whose parts are looked at
            for part in re.findall(r"\d+", bare):
                yield Decimal(part)


def _keeps_decimals(bare: str, reading: str) -> bool:
    last = max(bare.rfind("."), bare.rfind(","))
    return last < 0 or reading.count(".") > 1 or len(reading) - 1 - reading.rfind(".") == len(bare) - 1 - last


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
        if not run and not _NUMBER.fullmatch(token[0]) and _IDENTIFIER.match(token[0]):
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
    elif run[0][0].casefold() in _UNITS and text[: run[0].start()].rstrip()[-1:].isdigit():
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
            if number.written.casefold() in _ALSO_OTHER_WORDS:
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
        return stem(word) in self.stems or word.isdigit() or is_function_word(lowered) or lowered in _SPELLED

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


def content_stems(text: str) -> set[str]:
    """The stems of all words but function words; of all where there are no others."""
    words = [word[0] for word in WORD.finditer(text)]
    return {stem(word) for word in words if not is_function_word(word.casefold())}


def _nearest_clause(sentence: str, wanted: Iterable[str]) -> str | None:
    """The clause that says most of what is wanted; None where none says half of it."""
    wanted = set(wanted)
    clauses = [clause for clause in _CLAUSES.split(sentence) if clause.strip()]
    best = max(clauses, key=lambda clause: len(wanted & content_stems(clause)), default=None)
    return best if best is not None and 2 * len(wanted & content_stems(best)) >= len(wanted) > 0 else None
