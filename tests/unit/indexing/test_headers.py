"""The header before a chunk's text in its embedding."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.tokenizers import ByteTokenizer, CountingTokenizer, LongWordTokenizer, WordTokenizer
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.indexing.chunkers import context_header, embed_text
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.indexing.structure import LONGEST_HEADING

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


def test_only_as_much_of_a_long_part_is_read_as_a_header_can_hold() -> None:
    tokenizer = CountingTokenizer()
    long = "word " * 40_000
    header = context_header(long, [long, *(f"{n}" for n in range(5_000)), long], tokenizer, 32)
    assert header == " ".join(["word"] * 31 + ["word"])
    assert tokenizer.characters < 40 * 32 * 100


def test_a_document_with_a_heading_like_a_book_is_measured_a_bounded_number_of_times() -> None:
    paragraphs = "\n\n".join(f"Paragraph {n} " + "says a little more. " * 20 for n in range(300))
    markdown = f"# Title\n\n## {'word ' * 40_000}\n\n{paragraphs}"
    tokenizer = CountingTokenizer()
    options = ChunkingOptions(window_tokens=200, child_tokens=100, parent_tokens=400)
    chunks = chunk_document(markdown, (), tokenizer, options)
    children = [chunk for chunk in chunks if chunk.level == "child"]
    assert len(children) > 300
    for chunk in children:
        context_header("Title", chunk.heading_path, tokenizer, 32)
    assert tokenizer.characters < 10 * len(markdown)
    assert {len(heading) for chunk in chunks for heading in chunk.heading_path} <= {5, LONGEST_HEADING - 1}
    assert {len(chunk.section_heading or "") for chunk in chunks} <= {5, LONGEST_HEADING - 1}
