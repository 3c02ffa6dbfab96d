"""A cut of a text reads as it does in the whole of it, wherever it is cut."""

from itertools import pairwise
from unittest.mock import Mock
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.citations.matching import QuoteMatch, find_quote
from webrag_desktop.retrieval.quotes.passages import (
    Passage,
    Places,
    location_among,
    passages_of,
    read_quotation,
    whole_text,
)
from webrag_desktop.retrieval.quotes.search import found_in
from webrag_desktop.storage.searching.quotes import ReadVersion, TextAround
from webrag_desktop.text.plain_text import project

DOCUMENT, VERSION = UUID(int=1), UUID(int=2)
PLACES = Places(Mock(side_effect=AssertionError))  # what stands above a place in a passage is in the passage
MARKDOWN = """# Signs

A **bold** word, a [link](https://example.org/a_b) &amp; an &eacute;clair; nonlinear \\*stars\\*.

```c
int *p = *q; /* *not* emphasis */ [no](link) &amp; so
```

| a | b |
| --- | --- |
| one | `two` |

See [it][ref] again, and _this_ too.

[ref]: https://example.org/far
"""
QUOTES = (
    "A bold word, a link & an éclair",
    "int *p = *q; /* *not* emphasis */ [no](link) &amp; so",
    "nonlinear *stars*",
    "b one two",
    "See it again, and this too.",
)


def version(markdown: str | None = None) -> ReadVersion:
    plain = project(MARKDOWN)
    return ReadVersion(
        DOCUMENT, VERSION, 1, True, "Signs", "https://example.org/signs", plain.text, plain.runs, markdown
    )


def child(index: int, start: int, end: int) -> TextAround:
    return TextAround(DOCUMENT, index, start, end, MARKDOWN[start:end], "Signs", ["Signs"], None, None, [])


def cut_at(*places: int) -> list[Passage]:
    """The children between these places, in one passage."""
    children = [child(n, *ends) for n, ends in enumerate(pairwise(places))]
    return list(passages_of(children, {DOCUMENT: version()}))


def shifted(match: QuoteMatch, by: int) -> tuple[str, int, int]:
    return match.grade, match.start + by, match.end + by


@given(st.sets(st.integers(0, len(MARKDOWN)), min_size=2, max_size=6))
def test_what_stands_in_a_cut_stands_there_in_the_whole_text(places: set[int]) -> None:
    (passage,) = cut_at(*sorted(places))
    whole = whole_text(version(MARKDOWN)).text
    end = passage.start + len(passage.text.markdown)
    for quote in QUOTES:
        in_whole = [shifted(one, 0) for one in find_quote(quote, whole, nearly=False)]
        in_cut = [
            shifted(one, passage.start)
            for one in find_quote(quote, passage.text, nearly=False)
            if not passage.is_cut(one.start, one.end)
        ]
        assert set(in_cut) <= set(in_whole)
        inside = [one for one in in_whole if passage.start < one[1] and one[2] < end]
        assert set(inside) <= set(in_cut)


@pytest.mark.parametrize(("before", "behind"), [(0, 3), (3, 0), (0, 0)])
def test_a_word_that_a_cut_goes_through_is_none_of_its_own(before: int, behind: int) -> None:
    start, end = MARKDOWN.index("nonlinear") + 3, MARKDOWN.index("nonlinear") + 9
    (passage,) = cut_at(start - before, end + behind)
    found = find_quote("linear", passage.text, nearly=False)
    assert all(passage.is_cut(one.start, one.end) for one in found)
    assert bool(found) == (before == 0)
    assert found_in(passage, read_quotation("linear"), PLACES, nearly=False) == []


def test_a_whole_word_in_a_cut_is_found_at_its_place_in_the_text() -> None:
    (passage,) = cut_at(4, 60, 110)
    (place,) = found_in(passage, read_quotation("éclair; nonlinear"), PLACES, nearly=False)
    assert MARKDOWN[place.char_start : place.char_end] == place.verbatim == "&eacute;clair; nonlinear"


def test_the_ends_of_the_text_itself_cut_nothing() -> None:
    (passage,) = cut_at(0, 20, len(MARKDOWN))
    assert not passage.is_cut(0, len(MARKDOWN))
    (passage,) = cut_at(0, len(MARKDOWN) - 40)
    assert passage.is_cut(0, len(MARKDOWN) - 40)


def test_children_that_do_not_adjoin_are_passages_of_their_own() -> None:
    children = [child(0, 0, 9), child(1, 9, 30), child(3, 50, 60)]
    passages = list(passages_of(children, {DOCUMENT: version()}))
    assert [(one.start, one.text.markdown) for one in passages] == [(0, MARKDOWN[:30]), (50, MARKDOWN[50:60])]
    assert list(passages_of(children, {})) == []


def test_what_a_place_stands_under_is_reported_the_child_that_holds_it() -> None:
    places = [[10, "top", "Signs", 3], [40, "deep", "Deeper", 4]]
    one = child(0, 10, 90)._replace(places=places, heading_path=["Signs"], anchor="top")
    location = location_among([child(0, 0, 10), one], 55)
    assert location == ("Signs", ("Signs", "Deeper"), "deep", 4)
    assert location_among([child(0, 0, 10), one], 12) == ("Signs", ("Signs",), "top", 3)
    assert location_among([one._replace(places=[], page=9)], 12) == ("Signs", ("Signs",), "top", 9)
