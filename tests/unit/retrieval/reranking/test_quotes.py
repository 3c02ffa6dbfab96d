"""Which quotations of a model are believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.reranking.reply import find_quote

TEXT = """\
## Low **tide**

Limpets [clamp](https://example.org/c "how") their *shells* to
the rock, don’t they? Use `max_depth` there.

- They wait.
- They **breathe** slowly.
"""


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Use `max_depth` there.", "Use `max_depth` there."),
        ("  They wait. ", "They wait."),
        ("Use max_depth there.", "Use `max_depth` there."),
        ("Low tide", "Low **tide"),
        (
            "Limpets clamp their shells to the rock",
            'Limpets [clamp](https://example.org/c "how") their *shells* to\nthe rock',
        ),
        ("the rock, don't they?", "the rock, don’t they?"),
        ("They wait. They breathe slowly.", "They wait.\n- They **breathe** slowly."),
    ],
)
def test_a_quotation_is_found_as_it_stands_or_as_it_reads(quote: str, found: str) -> None:
    place = find_quote(TEXT, quote)
    assert place is not None
    assert TEXT[place[0] : place[1]] == found


@pytest.mark.parametrize(
    "quote", ["Limpets sleep.", "limpets clamp", "They wait … slowly.", "", "…", " \n", "**", "They slowly"]
)
def test_what_does_not_stand_there_is_not_found(quote: str) -> None:
    assert find_quote(TEXT, quote) is None


@given(st.text(max_size=80), st.text(max_size=20))
def test_what_is_found_is_a_span_of_the_text(text: str, quote: str) -> None:
    place = find_quote(text, quote)
    if place is not None:
        assert 0 <= place[0] < place[1] <= len(text)
    if quote.strip() in text and any(map(str.isalnum, quote)):
        assert place is not None
        assert text[place[0] : place[1]] == quote.strip()
