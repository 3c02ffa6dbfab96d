import re

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.embedding.tokenizers.shipped import LONGEST_PIECE, PIECE, pieces

SPACE = re.compile(" ")


@given(st.integers(0, 5), st.integers(0, 40_000), st.integers(0, 100_000))
def test_pieces_put_together_are_the_text(spaces: int, word: int, tail: int) -> None:
    text = ("x" * word + " ") * spaces + "y" * tail
    cut = list(pieces(text, SPACE))
    assert "".join(piece for _, piece in cut) == text
    assert all(text.startswith(piece, offset) for offset, piece in cut)
    assert all(0 < len(piece) <= LONGEST_PIECE + 1 for _, piece in cut)


def test_short_text_is_one_piece_and_empty_text_none() -> None:
    assert list(pieces("a b", SPACE)) == [(0, "a b")]
    assert list(pieces("", SPACE)) == []


def test_cut_follows_the_first_boundary_after_the_piece_size() -> None:
    text = "x" * (PIECE + 10) + " " + "y" * PIECE * 2
    assert next(iter(pieces(text, SPACE)))[1] == "x" * (PIECE + 10) + " "


def test_span_without_boundary_is_cut_at_the_limit() -> None:
    lengths = [len(piece) for _, piece in pieces("x" * (LONGEST_PIECE * 2 + 5), SPACE)]
    assert lengths == [LONGEST_PIECE, LONGEST_PIECE, 5]
