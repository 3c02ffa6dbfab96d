"""What the benchmark of quotations asks: the same in other ways, and what is none."""

import random
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quotes_parts.alterations import Runs, altered
from benchmarks.quotes_parts.renderings import RENDERINGS, as_it_is, marked_up
from benchmarks.quotes_parts.sentences import Sentence
from webrag_desktop.citations.matching import find_quote
from webrag_desktop.citations.reading import ReadText
from webrag_desktop.text.plain_text import project

TEXT = """# Otters & others

The official "flow" of afflicted rivers isn't understood, because fifteen otters sleep on their backs in Holland.
In 1987 the affluent limpets of Tarbet were counted: 41 limpets & 3 flawless fishes, officially confirmed by O
2. They
swam.

Nothing else was found in the difficult shallows near Rotterdam, and the investigation ended in confusion.
"""
SENTENCES = [
    Sentence("otters", TEXT.index(text), TEXT.index(text) + len(text), text)
    for text in (line for line in TEXT.splitlines() if len(line) > 40)
]
NUMBERED = "officially confirmed by O\n2. They"  # Markdown would take the number for an item's


def read(markdown: str) -> ReadText:
    plain = project(markdown)
    return ReadText.of(markdown, plain)


@given(st.text(alphabet="abcdeft"))
def test_a_text_with_markup_reads_as_it_did_and_its_places_are_known(seed: str) -> None:
    printed = marked_up(TEXT, seed)
    assert len(printed.places) == len(TEXT) + 1
    assert printed.is_marked
    assert list(printed.places) == sorted(printed.places)
    for at, char in enumerate(TEXT):
        assert printed.markdown[printed.places[at]] in {
            char,
            "\ufb00",
            "\ufb01",
            "\ufb02",
            "\ufb03",
            "\ufb04",
        }
    text = read(printed.markdown)
    assert find_quote(NUMBERED, text, nearly=False)
    for sentence in SENTENCES:
        (match,) = find_quote(sentence.text, text, nearly=False)
        assert match.start <= printed.places[sentence.start]
        assert printed.places[sentence.end - 1] < match.end


def test_other_texts_are_marked_up_otherwise_and_one_may_stay_as_it_is() -> None:
    texts = {marked_up(TEXT, str(seed)).markdown for seed in range(9)}
    assert len(texts) == 9
    assert TEXT not in texts
    plain = as_it_is(TEXT)
    assert (plain.markdown, list(plain.places)) == (TEXT, list(range(len(TEXT) + 1)))


@pytest.mark.parametrize("name", RENDERINGS)
def test_each_way_to_write_the_same_differs_and_reads_the_same(name: str) -> None:
    written = [RENDERINGS[name](one.text, random.Random(3)) for one in SENTENCES]
    assert any(text != one.text for text, one in zip(written, SENTENCES, strict=True))
    for text in written:
        assert find_quote(text, read(TEXT), nearly=False)


def test_altered_quotations_are_of_every_kind_and_stand_nowhere() -> None:
    made = list(islice(altered(SENTENCES, Runs([TEXT]), 60), 60))
    assert {one.how for one in made} == {"word", "digit", "name", "negation", "order", "splice"}
    for one in made:
        assert one.text != one.sentence.text
        assert not find_quote(one.text, read(TEXT), nearly=False), one


def test_what_stands_in_some_text_is_known() -> None:
    known = Runs([TEXT, "and also quite another text"])
    assert known.all_known(SENTENCES[0].text)
    assert known.all_known("FIFTEEN otters, sleep on their")
    assert not known.all_known(SENTENCES[0].text.replace("fifteen", "sixteen"))
