"""Questions that one page of a site answers, made by one rule from pages drawn at random.

Pages that lie at least two links from the start are drawn with a fixed seed, each again only once all were. Of each one
section is drawn; its heading, or for every other question its first sentence, becomes the question. A heading has three
words or more, a sentence eight to twenty-five and a full stop, and neither stands in a section of another page. Nobody
chose among the questions.
"""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from benchmarks.expansion_parts.sites import Section, Site

SEED = 20
MOST_OF_A_PAGE = 4
LEAST_DEPTH = 2  # links from the start page
LEAST_WORDS = 3  # of a heading
SENTENCE_WORDS = range(8, 26)

Kind = Literal["heading", "sentence"]
KINDS: tuple[Kind, ...] = ("heading", "sentence")


class Question(NamedTuple):
    """What is asked, the path of the page that answers it, and what of that page it was made of."""

    text: str
    target: str
    kind: Kind


def questions(site: Site, count: int) -> list[Question]:
    """The first ``count`` questions of a site, half of either kind as far as its pages have both."""
    depths = site.depths()
    pages = sorted(path for path, depth in depths.items() if depth >= LEAST_DEPTH)
    chance = random.Random(SEED)
    chance.shuffle(pages)
    used = _uses(site)
    found: dict[str, Question] = {}
    for path in pages * MOST_OF_A_PAGE:
        if len(found) == count:
            break
        kind = KINDS[len(found) % 2]
        fitting = [text for text in _texts(site.sections[path], kind) if used[text.lower()] == 1]
        if asked := [one for text in fitting if (one := _asked(text, kind)) not in found]:
            chosen = chance.choice(asked)
            found[chosen] = Question(chosen, path, kind)
    return list(found.values())


def held_out(number: int) -> bool:
    """Whether the question of this number, from 0, tunes nothing: every second pair, so that both kinds are in both."""
    return number // 2 % 2 == 1


def _uses(site: Site) -> Counter[str]:
    """On how many pages each heading and each first sentence stands."""
    used: Counter[str] = Counter()
    for sections in site.sections.values():
        used.update({text.lower() for section in sections for text in section})
    return used


def _texts(sections: list[Section], kind: Kind) -> Iterator[str]:
    """The headings or first sentences that can be asked; nothing of a page that is all code or numbers."""
    for section in sections:
        text = section.heading if kind == "heading" else section.sentence
        words = sum(any(map(str.isalpha, word)) for word in text.split())
        is_whole = words in SENTENCE_WORDS and text.endswith(".")
        if is_whole if kind == "sentence" else words >= LEAST_WORDS:
            yield text


def _asked(text: str, kind: Kind) -> str:
    if kind == "sentence":
        return f"Is it so that {text[:1].lower()}{text[1:].rstrip('.')}?"
    return text if text.endswith("?") else f"What is there about {text}?"
