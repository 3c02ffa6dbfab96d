"""The header before a chunk's text in its embedding."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.tokenizers import ByteTokenizer, LongWordTokenizer, WordTokenizer
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.indexing.headers import context_header, embed_text

WORDS = WordTokenizer()


def test_title_and_headings_are_joined_and_repetitions_left_out() -> None:
    assert context_header("Trees", ("Trees", "Random  forests\n"), WORDS, 32) == "Trees › Random forests"
    assert context_header(None, ("A",), WORDS, 32) == "A"
    assert context_header("T", (), WORDS, 32) == "T"
    assert context_header(None, (), WORDS, 32) == ""


def test_too_long_a_header_keeps_the_title_and_the_deepest_heading() -> None:
    assert context_header("Title", ("one", "two", "three"), WORDS, 5) == "Title › two › three"
    assert context_header("Title", ("one", "two", "three"), WORDS, 3) == "Title › three"
    assert context_header("Title", ("one", "two", "three"), WORDS, 2) == "Title"
    assert context_header("a b c d e", (), WORDS, 3) == "a b c"
    assert context_header("Title", ("one",), WORDS, 0) == ""


@given(
    st.one_of(st.none(), st.text(max_size=60)),
    st.lists(st.text(max_size=60), max_size=4),
    st.integers(0, 20),
    st.sampled_from([WordTokenizer(), ByteTokenizer(), LongWordTokenizer()]),
)
def test_a_header_never_exceeds_its_tokens(
    title: str | None, path: list[str], limit: int, tokenizer: Tokenizer
) -> None:
    header = context_header(title, path, tokenizer, limit)
    assert header == "" or tokenizer.count(header + "\n") <= limit
    assert header == header.strip()


def test_the_text_follows_on_a_line_of_its_own() -> None:
    assert embed_text("T › A", "text ") == "T › A\ntext "
    assert embed_text("", "text") == "text"
