"""A quotation as it was given, and its words that are searched in a library."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from webrag_desktop.citations.quote_parts import MOST_LEFT_OUT
from webrag_desktop.citations.quote_readings import PreparedQuote, prepared_quote
from webrag_desktop.errors import InputError
from webrag_desktop.storage.searching.quotes import SoughtWords
from webrag_desktop.storage.searching.words import UNSPACED, bigrams, identifiers, without_unspaced
from webrag_desktop.text.canonical.lookalikes import read_alike
from webrag_desktop.text.printable import UNSTORABLE

LONGEST_QUOTE = 100_000
# A longer one is searched by some of its runs.
_LOOKED_UP = 2_400
_RUNS, _RUN = 8, 300
_FEW_WORDS = 6
_MOST_LITERALS = 400

_SOFT_HYPHEN = "\N{SOFT HYPHEN}"  # read over; in their place, so that offsets stay
_BLANK = re.compile(r"\s")
_LINE_END = re.compile(r"(?<=[^\W\d_])-\s+(?=[^\W\d_])")  # within a word, at the end of a line
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
# As printed; words are stored as a text has them.
_LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}
_LIGATED = re.compile("|".join(_LIGATURES))


@dataclass(frozen=True)
class Quotation:
    """A quotation that can be searched."""

    text: str

    @cached_property
    def prepared(self) -> PreparedQuote:
        """It in all ways to read it."""
        return prepared_quote(self.text)

    @property
    def reach(self) -> int:
        """How many characters of a text it may take, at the most, where some came in between its words."""
        gaps = max(len(self.prepared.parts) - 1, 0)
        return 2 * len(self.text) + 400 + gaps * MOST_LEFT_OUT

    @property
    def is_short(self) -> bool:
        """Whether it has too few words for similar text to be a finding."""
        return len(_WORD.findall(self.text)) < _FEW_WORDS

    @cached_property
    def alike(self) -> str:
        """It in the usual one of the ways to write each character; offsets are others."""
        return read_alike(self.text).text

    @cached_property
    def sought(self) -> SoughtWords:
        """The words by which it is found; stored texts may write them in other ways."""
        runs = tuple(_LINE_END.sub("", run) for run in _runs(self.alike))
        forms = [*_runs(self.text), *_runs(self.alike)]
        for run in runs:
            forms += [
                unicodedata.normalize("NFD", run),
                _LIGATED.sub(lambda found: _LIGATURES[found[0]], run),
            ]
        literals = dict.fromkeys(term for run in runs for term in (*identifiers(run), *bigrams(run)))
        return SoughtWords(
            tuple(map(without_unspaced, runs)),
            tuple(without_unspaced(form) for form in dict.fromkeys(forms) if form not in runs),
            tuple(literals)[:_MOST_LITERALS],
        )


def read_quotation(text: str) -> Quotation:
    """The quotation, with soft hyphens for what no stored text can hold.

    Raises:
        InputError: there is nothing but blanks, or it is longer than 100,000 characters.
    """
    if len(text) > LONGEST_QUOTE:
        raise InputError(
            f"The quotation has {len(text):,} characters; {LONGEST_QUOTE:,} are the most that are searched.",
            "Give a part of it; its first sentences are enough to find where it comes from.",
        )
    usable = UNSTORABLE.sub(_SOFT_HYPHEN, text)
    if not usable.replace(_SOFT_HYPHEN, "").strip():
        raise InputError("An empty quotation cannot be searched.", "Give the words that are quoted.")
    return Quotation(usable)


def _runs(text: str) -> Iterator[str]:
    """The text, or runs of a long one that are spread over it evenly, from blank to blank where there are any."""
    if len(text) <= _LOOKED_UP:
        yield text
        return
    last = len(text) - _RUN
    for start in (last * number // (_RUNS - 1) for number in range(_RUNS)):
        run = text[start : start + _RUN]
        blanks = [found.start() for found in _BLANK.finditer(run)]
        inner = run[blanks[0] : blanks[-1]] if len(blanks) > 1 else run
        yield inner if inner.strip() else run
