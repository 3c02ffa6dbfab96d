"""Documents of a size or shape that no author thinks of."""

import pytest

from tests.support.chunk_checks import check_chunks
from tests.support.tokenizers import ByteTokenizer, WordTokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.models.documents import Block, Chunk

USUAL = ChunkingOptions(window_tokens=478)
SMALL = ChunkingOptions(window_tokens=60, child_tokens=20, parent_tokens=50)


def children_of(chunks: tuple[Chunk, ...]) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk.level == "child"]


def block_per_line(markdown: str, path: tuple[str, ...] = ()) -> tuple[Block, ...]:
    blocks, position = [], 0
    for part in markdown.split("\n\n"):
        blocks.append(Block(char_start=position, char_end=position + len(part), heading_path=path))
        position += len(part) + 2
    return tuple(blocks)


@pytest.mark.parametrize("tokenizer", ["bert-base-uncased", "cl100k_base", "granite-embedding-30m-english"])
def test_five_megabytes_of_one_word(tokenizer: str) -> None:
    markdown = "x" * 5_000_000
    chunks = chunk_document(markdown, (), open_tokenizer(tokenizer), USUAL)
    children = children_of(chunks)
    assert "".join(child.chunk_text for child in children) == markdown
    assert max(child.char_end - child.char_start for child in children) < 20_000
    assert all(open_tokenizer(tokenizer).count(child.chunk_text) <= 478 for child in children[::50])


@pytest.mark.parametrize("unit", ["漢字仮名交じり", "👩\u200d👩\u200d👧", "e\u0301", "\u0301", "שלום", "क्षि"])
@pytest.mark.parametrize("tokenizer", ["bert-base-uncased", "cl100k_base", "granite-embedding-30m-english"])
def test_long_lines_without_a_space(unit: str, tokenizer: str) -> None:
    check_chunks(f"# T\n\n{unit * 2_000}\n", (), open_tokenizer(tokenizer), SMALL)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_two_hundred_headings_in_a_row(level: int) -> None:
    markdown = "\n\n".join(f"{'#' * level} Heading {number}" for number in range(200))
    chunks = check_chunks(markdown, (), WordTokenizer(), SMALL)
    children = children_of(chunks)
    assert all(child.heading_path == (child.chunk_text.split("\n")[0].lstrip("# "),) for child in children)
    assert len({child.section_heading for child in children}) == (200 if level < 3 else 1)


def test_a_document_of_one_heading() -> None:
    (parent, child) = check_chunks("# Only this", (), WordTokenizer(), SMALL)
    assert parent.section_heading == child.section_heading == "Only this"


def test_a_heading_longer_than_the_window() -> None:
    chunks = check_chunks(f"## {'word ' * 500}\n\nText.\n", (), WordTokenizer(), SMALL)
    assert {len(chunk.section_heading or "") for chunk in chunks} == {499}


def test_a_single_row_longer_than_the_window_leaves_the_other_rows_whole() -> None:
    rows = ["| a | b |", "| - | - |", "| c | d |", f"| {'word ' * 300} | e |", "| f | g |"]
    chunks = check_chunks("\n".join(rows), (), WordTokenizer(), SMALL)
    texts = [child.chunk_text for child in children_of(chunks)]
    assert all(any(row in text for text in texts) for row in (rows[0], rows[2], rows[4]))


def test_windows_line_ends_are_kept() -> None:
    markdown = "# T\r\n\r\nText of one line.\r\n\r\n```\r\ncode\r\n```\r\n" + "more words \r\n" * 40
    assert (
        "".join(c.chunk_text for c in children_of(check_chunks(markdown, (), WordTokenizer(), SMALL)))
        == markdown
    )


def test_an_empty_list_of_blocks_is_read_from_the_markdown() -> None:
    markdown = "# T\n\nText."
    assert chunk_document(markdown, [], WordTokenizer(), SMALL) == chunk_document(
        markdown, (), WordTokenizer(), SMALL
    )


def test_a_fence_that_fits_alone_is_not_cut_for_its_heading() -> None:
    code = "\n".join(f"line {number}" for number in range(25))
    heading = f"### {'word ' * 9}"
    markdown = f"# T\n\n{heading}\n\n```\n{code}\n```"
    children = children_of(check_chunks(markdown, (), WordTokenizer(), ChunkingOptions(60, 20, 60)))
    assert children[-1].chunk_text == f"```\n{code}\n```"
    too_long = children_of(
        check_chunks(f"{markdown}\n{code}", (), WordTokenizer(), ChunkingOptions(50, 20, 60))
    )
    assert not any(child.chunk_text.rstrip().endswith(heading.rstrip()) for child in too_long)


def test_rows_that_fit_alone_are_not_cut_for_the_table_header() -> None:
    header, row = f"| {'head ' * 35}|", f"| {'cell ' * 40}|"
    markdown = f"Lead.\n\n{header}\n|---|\n{row}\n{row}"
    children = children_of(check_chunks(markdown, block_per_line(markdown), WordTokenizer(), SMALL))
    assert [child.chunk_text.strip() for child in children] == ["Lead.", f"{header}\n|---|", row, row]


@pytest.mark.parametrize("text", ["\u00a0\u2003", "\u200b", "\ufeff"])
def test_text_that_shows_nothing(text: str) -> None:
    for tokenizer in (WordTokenizer(), ByteTokenizer()):
        check_chunks(text * 200, (), tokenizer, SMALL)


def test_blank_lines_do_not_lift_a_parent_over_its_ceiling() -> None:
    options = ChunkingOptions(window_tokens=115, child_tokens=16, parent_tokens=16)
    for blanks in range(1, 20):
        check_chunks("x" * 16 + "\n" * blanks, (), ByteTokenizer(), options)
