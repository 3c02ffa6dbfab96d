"""Positions against Python's own UTF-16: there and back, for every code point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.gui.text_positions import TextPositions

# Code points of every width, and strings in which two-unit characters are common.
texts = st.text(
    st.one_of(st.characters(), st.sampled_from("a\u05d0\u0301\u200d\u6f22\U00010000\U0001f600\U0010ffff"))
)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(texts)
def test_a_position_is_the_length_of_what_is_before_it(text: str) -> None:
    positions = TextPositions(text)
    assert [positions.to_qt(at) for at in range(len(text) + 1)] == [
        units(text[:at]) for at in range(len(text) + 1)
    ]


@given(texts)
def test_there_and_back(text: str) -> None:
    positions = TextPositions(text)
    for at in range(len(text) + 1):
        assert positions.from_qt(positions.to_qt(at)) == at


@given(texts)
def test_inside_a_pair_is_the_start_of_its_character(text: str) -> None:
    positions = TextPositions(text)
    for at, char in enumerate(text):
        first = positions.to_qt(at)
        for unit in range(first, first + units(char)):
            assert positions.from_qt(unit) == at


@given(texts, st.data())
def test_a_span_cuts_the_same_characters(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    positions = TextPositions(text)
    encoded = text.encode("utf-16-le", "surrogatepass")
    cut = encoded[2 * positions.to_qt(start) : 2 * positions.to_qt(end)]
    assert cut.decode("utf-16-le", "surrogatepass") == text[start:end]


@given(texts)
def test_length_in_units(text: str) -> None:
    assert units(text) == TextPositions(text).to_qt(len(text))


@pytest.mark.parametrize("code_point", [0, 0x7F, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF])
def test_every_plane(code_point: int) -> None:
    text = f"a{chr(code_point)}b"
    width = 1 if code_point < 0x10000 else 2
    positions = TextPositions(text)
    assert [positions.to_qt(at) for at in range(4)] == [0, 1, 1 + width, 2 + width]
    assert positions.from_qt(1 + width) == 2


def test_positions_outside_are_refused() -> None:
    positions = TextPositions("a\U0001f600")
    for outside in (-1, 3):
        with pytest.raises(IndexError):
            positions.to_qt(outside)
    for outside in (-1, 4):
        with pytest.raises(IndexError):
            positions.from_qt(outside)
