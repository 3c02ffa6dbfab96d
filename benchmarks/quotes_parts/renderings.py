"""Other ways to write the same: markup and print in stored texts, typing and copying in quotations."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\S+|\s+")
_LETTERS = re.compile(r"[^\W\d_]+")
_NUMBER_OF_ITEM = re.compile(r"\d+[.)]")
_LONG = 8  # letters of a word that is hyphenated
_LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "fi": "\ufb01", "fl": "\ufb02"}
_SHY = "\N{SOFT HYPHEN}"


@dataclass(frozen=True, slots=True)
class Printed:
    """A text with markup and as it is printed; ``places`` leads from each character of the plain one, and its end."""

    markdown: str
    places: Sequence[int]
    is_marked: bool


def as_it_is(text: str) -> Printed:
    """The text itself."""
    return Printed(text, range(len(text) + 1), is_marked=False)


def marked_up(text: str, seed: str) -> Printed:
    """A text of paragraphs and headings as Markdown that reads the same."""
    chance = random.Random(seed)
    parts: list[str] = []
    places: list[int] = []
    length = 0
    for block in re.split(r"(\n\n+)", text):
        heading = block.startswith("#")
        for token in _TOKEN.findall(block):
            before, written, after = ("", token, "") if heading else _marked_token(token, chance)
            origin = _alignment(token, written)
            places += [length + len(before) + at for at in origin]
            parts += (before, written, after)
            length += len(before) + len(written) + len(after)
    return Printed("".join(parts), [*places, length], is_marked=True)


def _marked_token(token: str, chance: random.Random) -> tuple[str, str, str]:
    """What stands before a token, how it is written, and what stands behind."""
    if token == " ":
        return "", " ", ""
    if _NUMBER_OF_ITEM.fullmatch(token):  # at the beginning of a line, it would be none of the words
        return "", f"{token[:-1]}\\{token[-1]}", ""
    if not _LETTERS.fullmatch(token):
        return "", token.replace("&", "&amp;"), ""
    drawn = chance.random()
    if drawn < 0.04:
        return "**", token, "**"
    if drawn < 0.07:
        return "*", token, "*"
    if drawn < 0.10:
        return "[", token, f"](https://example.org/{len(token)}?of=it)"
    if drawn < 0.20:
        return "", _with_ligatures(token), ""
    if drawn < 0.25 and len(token) >= _LONG:
        return "", token[:4] + _SHY + token[4:], ""
    if drawn < 0.28 and len(token) >= _LONG:
        return "", f"{token[:3]}**{token[3:6]}**{token[6:]}", ""
    return "", token, ""


def _with_ligatures(word: str) -> str:
    for letters, sign in _LIGATURES.items():
        word = word.replace(letters, sign)
    return word


def _alignment(token: str, written: str) -> list[int]:
    """For each character of the token, where it stands in what was written for it."""
    places, at = [], 0
    letters = token
    index = 0
    while index < len(letters):
        if at < len(written) and written[at] == letters[index]:
            places.append(at)
            at, index = at + 1, index + 1
            if letters[index - 1] == "&" and written.startswith("amp;", at):
                at += 4
            continue
        ligature = next((one for one, sign in _LIGATURES.items() if written.startswith(sign, at)), None)
        if ligature is not None:
            places += [at] * len(ligature)
            at, index = at + 1, index + len(ligature)
        else:
            at += 1
    return places


def _typed(quote: str, chance: random.Random) -> str:
    """With the signs of a keyboard, or with curled ones."""
    if any(sign in quote for sign in "“”„‘’"):
        return quote.translate(str.maketrans("“”„‘’", '"""\'\''))
    return re.sub(r'"([^"]*)"', r"“\1”", quote).replace("'", "’")


def _spaced(quote: str, chance: random.Random) -> str:
    return re.sub(" ", lambda _one: chance.choice((" ", "  ", "\N{NO-BREAK SPACE}", "\t ")), quote)


def _broken(quote: str, chance: random.Random) -> str:
    """As copied from a column of print: line breaks, within long words behind a hyphen."""
    words = quote.split(" ")
    for number in range(3, len(words), 6):
        word = words[number]
        if len(word) >= _LONG and word.isalpha():
            words[number] = f"{word[:4]}-\n{word[4:]}"
        else:
            words[number] = f"{word}\n"
    return " ".join(words).replace("\n ", "\n")


def _soft(quote: str, chance: random.Random) -> str:
    return _LETTERS.sub(lambda one: one[0][:3] + _SHY + one[0][3:] if len(one[0]) > 5 else one[0], quote)


def _joined(quote: str, chance: random.Random) -> str:
    return _LETTERS.sub(lambda one: _with_ligatures(one[0]), quote)


RENDERINGS: dict[str, Callable[[str, random.Random], str]] = {
    "quotation marks": _typed,
    "white space": _spaced,
    "line breaks": _broken,
    "soft hyphens": _soft,
    "ligatures": _joined,
}
