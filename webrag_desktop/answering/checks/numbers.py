"""The numbers of a text: what each may mean, however it is written, and in which unit."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from webrag_desktop.retrieval.function_words import is_function_word

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


def content_stems(text: str) -> set[str]:
    """The stems of all words but function words; of all where there are no others."""
    words = [word[0] for word in WORD.finditer(text)]
    return {stem(word) for word in words if not is_function_word(word.casefold())}


_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−](?=\d))?(?P<digits>\d{{1,3}}(?:[.,'’{_SPACES} ]\d{{3}}(?!\d))+(?:[.,]\d+)*"
    r"|\d+(?:[.,]\d+)*|[.,]\d+)"
    r"(?P<unit>\s?(?:[%‰°$€£¥µμ]?[A-Za-z]{0,9}[²³]?)(?:/[A-Za-z]{1,3}[²³]?)?(?![\w]))?"
)
_SCALES = {
    **dict.fromkeys(("thousand", "tausend", "tsd", "mil", "mille", "k"), 10**3),
    **dict.fromkeys(("million", "millions", "millionen", "mio", "mn", "millones"), 10**6),
    **dict.fromkeys(("billion", "billions", "milliarde", "milliarden", "mrd", "bn", "milliards"), 10**9),
    **dict.fromkeys(("trillion", "trillions", "billionen", "bio"), 10**12),
}
UNITS: Final = {
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
_PARTED = re.compile(r"\d+(?:\.\d+){2,}(?<!\.\d{3})|\d+(?:\.\d{1,2}){2,}(?:\.\d+)*|\d{1,2}\.\d{1,2}\.\d{4}")
_LEAST_ROUNDED = 10  # a smaller one is counted, as versions and steps are: 3.5 is no 4
_CURRENCY_BEFORE = re.compile(r"[$€£¥]\s?\Z")
SPELLED: Final = {
    word: number
    for number, words in {
        0: "zero null zéro cero",
        1: "first erste ersten erster one eins once einmal uno",
        2: "second zweite zweiten zweiter two zwei twice zweimal deux dos due twee",
        3: "three drei thrice dreimal trois tres tre drie dritte dritten dritter third",
        4: "four vier quatre cuatro quattro vierte vierten vierter fourth",
        5: "five fünf cinq cinco cinque vijf fünfte fünften fünfter fifth",
        6: "six sechs seis zes sechste sechsten sixth",
        7: "seven sieben sept siete sette zeven siebte siebten seventh",
        8: "eight acht huit ocho otto achte achten eighth",
        9: "nine neun neuf nueve nove negen neunte neunten ninth",
        10: "ten zehn dix diez dieci tien zehnte zehnten tenth",
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
_TENS = "|".join(word for word, number in SPELLED.items() if 20 <= number <= 90)
_ONES = "|".join(word for word, number in SPELLED.items() if 1 <= number <= 9)
_COMPOUND = re.compile(
    rf"\b(?:(?P<tens>{_TENS})[- ](?P<one>{_ONES})|(?P<ein>ein|{_ONES})und(?P<zig>{_TENS}))\b", re.IGNORECASE
)
# Articles, pronouns and other words beside; they count as words of a sentence, and nothing is required because of them.
ALSO_OTHER_WORDS: Final = frozenset(
    """
    null one first erste ersten erster second zweite zweiten zweiter once einmal uno due tre dos dix six sept elf
    cent thousand hundred tausend hundert dozen dutzend acht onze seize quince cento sette otto nove
    """.split()
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, everything that it may mean, and its unit where that is known."""

    written: str
    meanings: frozenset[Decimal]
    unit: str | None

    def says(self, other: "Number") -> bool:
        """Whether the other number is this one, or this one rounded to fewer decimals."""
        return bool(self.meanings & other.meanings) or any(
            _is_rounded(rough, fine) for rough in other.meanings for fine in self.meanings
        )


def _is_rounded(rough: Decimal, fine: Decimal) -> bool:
    """Whether one is the other to fewer decimals, in either of the usual ways; of what is below 10 to none."""
    less = _decimals(fine) > _decimals(rough) and (abs(rough) >= _LEAST_ROUNDED or _decimals(rough) > 0)
    return less and abs(fine - rough) <= Decimal(1).scaleb(-_decimals(rough)) / 2


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def numbers_in(text: str, *, spelled: bool = True) -> list[Number]:
    """The numbers of a text, in order; with those that are ``spelled`` out where these are surely numbers."""
    read = _with_plain_digits(text)
    found = [(match.start(), one) for match in _NUMBER.finditer(read) for one in _numbers(read, match)]
    if spelled:
        found += _spelled_out(text)
    return [number for _, number in sorted(found, key=lambda one: one[0]) if number.meanings]


def _spelled_out(text: str) -> Iterator[tuple[int, Number]]:
    for compound in _COMPOUND.finditer(text):
        tens, one = (
            (compound["tens"] or compound["zig"]).casefold(),
            (compound["one"] or compound["ein"]).casefold(),
        )
        value = Decimal(SPELLED[tens] + SPELLED.get(one, 1))
        yield compound.start(), Number(compound[0], frozenset([value]), None)
    covered = [compound.span() for compound in _COMPOUND.finditer(text)]
    for word in WORD.finditer(text):
        number = SPELLED.get(word[0].casefold())
        if number is not None and not any(start <= word.start() < end for start, end in covered):
            yield word.start(), Number(word[0], frozenset([Decimal(number)]), None)


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else, but for a unit."""
    return _NUMBER.fullmatch(text) is not None


def _with_plain_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(map(_plain_digit, text))


def _plain_digit(char: str) -> str:
    value = unicodedata.digit(char, None) if char.isdigit() else None
    return char if value is None else str(value)


def _numbers(text: str, match: re.Match[str]) -> list[Number]:
    """The number; of versions and dates each of their parts."""
    if _PARTED.fullmatch(match["digits"]):
        parts = re.findall(r"\d+", match["digits"])
        return [Number(match["digits"], frozenset([Decimal(part)]), None) for part in parts]
    return [_number(text, match)]


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
    return UNITS.get(lowered), 1


def _values(digits: str) -> Iterator[Decimal]:
    """What digits mean with a point or comma for decimals, or either between thousands."""
    bare = re.sub(rf"['’{_SPACES} ]", "", digits)
    readings = {bare.replace(",", ""), bare.replace(".", "").replace(",", ".")}
    if not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", bare):  # "2.5" is no 25
        readings = {one for one in readings if _keeps_decimals(bare, one)} or readings
    for one in readings:
        try:
            yield Decimal(one).normalize()
        except InvalidOperation:  # read in the other way
            continue


def _keeps_decimals(bare: str, reading: str) -> bool:
    last = max(bare.rfind("."), bare.rfind(","))
    return last < 0 or reading.count(".") > 1 or len(reading) - 1 - reading.rfind(".") == len(bare) - 1 - last
