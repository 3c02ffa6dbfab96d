"""Which links are worth following: those that speak of what is missing, from passages that came near it.

What the page says of itself (its description) tells most, where it is known; else what the link is called and the
sentence around it; else its address alone. Where meaning is compared, how near what it is called is to the question
counts besides: most links on the way to an answer share no word with its question (docs/decisions/0035).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from webrag_desktop.expansion.contracts import LinkCandidate, ScoredLink, words_of_address
from webrag_desktop.expansion.question_words import QuestionWords
from webrag_desktop.expansion.url_shapes import MOST_NUMBERED, MOST_OF_A_SHAPE, most_of, url_shape
from webrag_desktop.retrieval.contracts.question_terms import share
from webrag_desktop.text.printable import title_line

# What a link is worth by the question's words alone, by the place of these words.
Signal = Literal["description", "anchor", "sentence", "heading", "address"]
WEIGHTS: Final[Mapping[Signal, float]] = {
    "description": 1.0,
    "anchor": 0.9,
    "sentence": 0.6,
    "heading": 0.5,
    "address": 0.45,
}
WORDS_WEIGHT, PASSAGE_WEIGHT, CITED_WEIGHT = 0.7, 0.2, 0.1  # of the whole
NEAR_WEIGHT = 0.33  # of how near a link is in meaning, beside that whole
MOST_CITED = 5  # times; more say no more
EACH_STEP = 0.9  # further away
ELSEWHERE = 0.8  # on another site
NAVIGATION = 0.8  # what every page of the site links to
MISSING_WEIGHT = 3.0  # of a word that the evidence lacks, beside one that it holds
FEW = 0.35  # of what the words are worth: such a link is a guess

NEAR = 0.3  # in meaning; below, it is not given as a reason

_LONGEST_QUOTED = 80
_UNWANTED_RELATIONS = frozenset({"nofollow", "sponsored", "ugc"})
UNWANTED = 0.7


def score_links(
    question: QuestionWords,
    links: Sequence[LinkCandidate],
    *,
    missing: Collection[str] = (),
    visited: Iterable[str] = (),
    most_of_a_shape: int = MOST_OF_A_SHAPE,
    most_numbered: int = MOST_NUMBERED,
) -> list[ScoredLink]:
    """The links that may be followed, best first; none that is known, and few that a trap would count up.

    ``missing`` are the question's words that the evidence lacks (:attr:`.Coverage.missing_words`): they count most.
    Words that every link holds count little. Of links that lead to the same address the best stays; what scores alike
    stays in the order given: pages list first what they hold to be first. Of one shape
    (:func:`.url_shape`) only so many stay as :func:`.most_of` says, those ``visited`` before counted with them;
    whoever follows many pages may allow ``most_of_a_shape`` and ``most_numbered`` to be more.
    """
    unknown = [link for link in links if not link.known]
    texts = [_texts(link) for link in unknown]
    held = question.held_by([text for one in texts for text in one.values()])
    found = iter(held)
    words = [{signal: next(found) for signal in one} for one in texts]
    worth = _worth(question, words, missing)
    scored = [_scored(link, by, worth) for link, by in zip(unknown, words, strict=True)]
    scored.sort(key=lambda one: (-one.score, one.link.depth))  # else as they were given: as pages list them
    return _bounded(scored, visited, most_of_a_shape, most_numbered)


def _texts(link: LinkCandidate) -> dict[Signal, str]:
    """What can be read of a link, by signal."""
    described = " ".join(filter(None, (link.title, link.description))) if link.description else ""
    texts: dict[Signal, str] = {
        "description": described,
        "anchor": " ".join(filter(None, (link.text, link.title))),
        "sentence": link.sentence,
        "heading": link.heading or "",
        "address": words_of_address(link.url),
    }
    return {signal: text for signal, text in texts.items() if text}


def _worth(
    question: QuestionWords, words: Sequence[Mapping[Signal, frozenset[str]]], missing: Collection[str]
) -> dict[str, float]:
    """What each word is worth: those that few links hold most, and more where the evidence lacks it."""
    worth = question.worth([frozenset[str]().union(*one.values()) for one in words])
    return {word: value * (MISSING_WEIGHT if word in missing else 1.0) for word, value in worth.items()}


class _Read(NamedTuple):
    """What the question's words say of a link: in [0, 1], by which signal, and which words."""

    value: float
    signal: Signal
    words: frozenset[str]


def _scored(
    link: LinkCandidate, words: Mapping[Signal, frozenset[str]], worth: Mapping[str, float]
) -> ScoredLink:
    read = _read(words, worth)
    cited = min(max(link.times_cited - 1, 0), MOST_CITED) / MOST_CITED
    score = WORDS_WEIGHT * read.value + PASSAGE_WEIGHT * link.passage_score + CITED_WEIGHT * cited
    if link.nearness is not None:
        score = (1 - NEAR_WEIGHT) * score + NEAR_WEIGHT * link.nearness
    score *= EACH_STEP ** max(link.depth - 1, 0)
    score *= 1.0 if link.is_same_site else ELSEWHERE
    score *= NAVIGATION if link.place == "navigation" else 1.0
    score *= UNWANTED if _UNWANTED_RELATIONS & set(link.rel) else 1.0
    return ScoredLink(link, min(1.0, score), _why(link, read))


def _read(words: Mapping[Signal, frozenset[str]], worth: Mapping[str, float]) -> _Read:
    """The description where it is known and says anything; else the best of anchor, sentence, heading and address.

    All that is held anywhere counts a little, so that of two equal ones the one with more facts goes first.
    """
    reads = {
        signal: _Read(WEIGHTS[signal] * share(held, worth), signal, held) for signal, held in words.items()
    }
    described = reads.get("description")
    best = max(reads.values(), key=lambda one: one.value, default=_Read(0.0, "address", frozenset()))
    chosen = described if described is not None and described.words else best
    everything = share(frozenset[str]().union(*words.values()), worth)
    return chosen._replace(value=0.9 * chosen.value + 0.1 * everything)


def _why(link: LinkCandidate, read: _Read) -> str:
    named = ", ".join(sorted(read.words))
    if read.words and read.value < FEW:
        return f"Few shared terms: {named}"
    if link.times_cited > 1 and not (read.words and read.signal == "description"):
        return f"Cited {link.times_cited} times in passages you were shown"
    if not read.words and (link.nearness or 0.0) >= NEAR:
        return f"Near in meaning: {_quoted(link.name)}"
    if not read.words:
        return "No shared terms, but linked where the search came near"
    return _described_by(link, named)[read.signal]


def _described_by(link: LinkCandidate, named: str) -> Mapping[Signal, str]:
    """What to say where a signal decided."""
    return {
        "description": f"Described as {_quoted(link.description or '')}",
        "anchor": f"Linked as {_quoted(link.text or link.title or '')}",
        "sentence": f"Linked in {_quoted(link.sentence)}",
        "heading": f"Linked under {_quoted(link.heading or '')}",
        "address": f"Its address says: {named}",
    }


def _quoted(text: str) -> str:
    line = title_line(text)
    return f"“{line if len(line) <= _LONGEST_QUOTED else line[: _LONGEST_QUOTED - 1].rstrip() + '…'}”"


def _bounded(
    scored: Iterable[ScoredLink], visited: Iterable[str], most: int, numbered: int
) -> list[ScoredLink]:
    """The best of each address, and of each shape no more than may be visited."""
    taken = Counter(map(url_shape, dict.fromkeys(visited)))
    addresses: set[str] = set()
    kept = []
    for one in scored:
        shape = url_shape(one.link.url)
        if one.link.url not in addresses and taken[shape] < most_of(shape, most, numbered):
            addresses.add(one.link.url)
            taken[shape] += 1
            kept.append(one)
    return kept
