"""How documents are cut, by example."""

from pathlib import Path

import pytest

from tests.support.chunk_checks import check_chunks
from tests.support.tokenizer_file import unigram_file
from tests.support.tokenizers import ByteTokenizer, LongWordTokenizer, WordTokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.errors import Cancelled, ConfigurationError
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document, chunking_id
from webrag_desktop.models.documents import Block, Chunk, ContentFlags
from webrag_desktop.progress import CancelToken

SMALL = ChunkingOptions(window_tokens=60, child_tokens=20, parent_tokens=50)


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def cut(markdown: str, options: ChunkingOptions = SMALL) -> tuple[list[Chunk], list[Chunk]]:
    chunks = check_chunks(markdown, (), WordTokenizer(), options)
    return [c for c in chunks if c.level == "parent"], [c for c in chunks if c.level == "child"]


def starts_of(chunks: list[Chunk]) -> list[str]:
    return [chunk.chunk_text.split("\n")[0] for chunk in chunks]


def test_parents_are_the_sections_of_second_level() -> None:
    parents, _ = cut(
        "# Title\n\nIntro.\n\n## One\n\nText.\n\n### Deeper\n\nMore.\n\n## Two\n\nText.\n\n# Next\n\nText."
    )
    assert starts_of(parents) == ["# Title", "## One", "## Two", "# Next"]
    assert [parent.section_heading for parent in parents] == ["Title", "One", "Two", "Next"]
    assert parents[1].heading_path == ("Title", "One")


def test_a_line_above_the_title_belongs_to_the_text_before_the_first_section() -> None:
    parents, children = cut("Home > Docs\n\n# Title\n\nIntro.\n\n## One\n\nText.")
    assert starts_of(parents) == ["Home > Docs", "## One"]
    assert parents[0].section_heading == "Title"
    assert [(child.section_heading, child.heading_path) for child in children] == [
        (None, ()),
        ("Title", ("Title",)),
        ("One", ("Title", "One")),
    ]


def test_without_second_level_the_first_level_divides() -> None:
    parents, _ = cut("Before.\n\n# One\n\nText.\n\n### Deep\n\nText.\n\n# Two\n\nText.")
    assert starts_of(parents) == ["Before.", "# One", "# Two"]
    assert [parent.section_heading for parent in parents] == [None, "One", "Two"]


def test_deeper_headings_alone_make_one_section_without_section_heading() -> None:
    parents, children = cut("### Deep\n\nText.\n\n#### Deeper\n\nText.")
    assert [parent.section_heading for parent in parents] == [None]
    assert children[0].heading_path == ("Deep",)


def test_without_headings_parents_are_groups_of_up_to_four_children() -> None:
    options = ChunkingOptions(window_tokens=60, child_tokens=20, parent_tokens=100)
    parents, children = cut("\n\n".join(f"{words(14)}." for _ in range(10)), options)
    assert [child.parent_index for child in children] == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    assert all(chunk.section_heading is None and chunk.heading_path == () for chunk in [*parents, *children])


def test_groups_stay_under_the_parent_ceiling() -> None:
    _, children = cut("\n\n".join(f"{words(14)}." for _ in range(6)))
    assert [child.parent_index for child in children] == [0, 0, 0, 1, 1, 1]


def test_an_oversized_section_is_split_between_paragraphs_under_its_heading() -> None:
    parents, _ = cut("## Long\n\n" + "\n\n".join(f"P{n} {words(18)}." for n in range(5)))
    assert len(parents) == 3
    assert {parent.section_heading for parent in parents} == {"Long"}
    assert starts_of(parents)[0] == "## Long"
    assert all(start.startswith("P") for start in starts_of(parents)[1:])


def test_a_paragraph_that_fits_a_parent_is_not_cut_by_its_border() -> None:
    parents, _ = cut(f"## Long\n\n{words(30, 'first')}.\n\n{words(40, 'second')}.")
    assert [parent.chunk_text.split()[-1] for parent in parents] == ["first.", "second."]


def test_an_overlong_paragraph_is_cut_at_sentences_into_pieces_of_like_size() -> None:
    _, children = cut("## Long\n\n" + " ".join(f"S{n} {words(6)}." for n in range(10)))
    assert all(child.chunk_text.endswith((". ", ".")) for child in children)
    sizes = [child.token_end - child.token_start for child in children]
    assert max(sizes) - min(sizes) <= 8


def test_small_neighbours_are_packed_and_a_new_subsection_begins_a_child_once_half_full() -> None:
    text = f"## S\n\n{words(4)}.\n\n{words(4)}.\n\n### Sub\n\n{words(4)}."
    _, children = cut(text)
    assert starts_of(children) == ["## S", "### Sub"]
    _, packed = cut("## S\n\nA.\n\n### Sub\n\nB.")
    assert len(packed) == 1


def test_headings_inside_fences_are_text_and_fences_stay_whole_up_to_the_window() -> None:
    fence = "```sh\n# not a heading\n\n## nor this\n" + words(30) + "\n```"
    parents, children = cut(f"## Real\n\n{words(8)}.\n\n{fence}\n\nAfter.")
    assert {parent.section_heading for parent in parents} == {"Real"}
    assert any(child.chunk_text.strip() == fence for child in children)


def test_a_fence_longer_than_the_window_is_cut_at_lines() -> None:
    lines = [f"line {n} {words(5)}" for n in range(30)]
    _, children = cut("## Code\n\n```\n" + "\n".join(lines) + "\n```\n")
    assert len(children) > 3
    assert all(child.chunk_text.endswith("\n") for child in children)
    assert all(child.flags.has_code for child in children)


def test_tables_are_cut_between_rows_and_rows_stay_whole_up_to_the_window() -> None:
    rows = [f"| r{n} | {words(20 if n == 3 else 3)} |" for n in range(8)]
    _, children = cut("## T\n\n| a | b |\n|---|---|\n" + "\n".join(rows) + "\n\nAfter.")
    assert starts_of(children)[0] == "## T"
    assert "| r0 |" in children[0].chunk_text  # the header is not alone
    for child in children:
        assert all(line.endswith("|") for line in child.chunk_text.splitlines() if line.startswith("|"))
    assert any(words(20) in child.chunk_text for child in children)


@pytest.mark.parametrize("lead", ["### Heading", "**A term**", "Note", "Warning:"])
def test_what_leads_in_stays_with_what_it_introduces(lead: str) -> None:
    _, children = cut(f"## S\n\n{words(14)}.\n\n{lead}\n\n{words(12)}.")
    assert starts_of(children) == ["## S", lead]


def test_a_section_that_is_only_a_heading_is_kept() -> None:
    parents, children = cut("# Title\n\n## Empty\n\n## Full\n\nText.")
    assert starts_of(parents) == starts_of(children) == ["# Title", "## Empty", "## Full"]


def test_sentences_without_spaces_are_cut_after_their_full_stops() -> None:
    sentence = "検索は文書を探す。"
    tokenizer = LongWordTokenizer()
    chunks = check_chunks(f"# 章\n\n{sentence * 11}\n", (), tokenizer, SMALL)
    assert all(chunk.chunk_text.rstrip().endswith("。") for chunk in chunks)


@pytest.mark.parametrize("window", [60, 20, 7])
@pytest.mark.parametrize("longest", [100, 600])
def test_a_word_that_makes_more_tokens_when_cut_still_fits_the_window(longest: int, window: int) -> None:
    options = ChunkingOptions(window_tokens=window, child_tokens=20, parent_tokens=50)
    text = f"# Blob\n\n{'x' * 5000} and {'y' * (longest + 30)}\n"
    check_chunks(text, (), LongWordTokenizer(longest), options)


def test_joined_emoji_and_accents_are_not_torn() -> None:
    family, accent = "👩\u200d👩\u200d👧", "e\u0301"
    options = ChunkingOptions(window_tokens=11, child_tokens=11, parent_tokens=22)
    for unit in (family, accent):
        chunks = check_chunks(unit * 40, (), LongWordTokenizer(), options)
        assert all(chunk.chunk_text.startswith(unit[0]) for chunk in chunks)


BLOCKS_TEXT = "# T\n\nFormula.\n\nPlain.\n\n```\ncode\n```"


def blocks_of(text: str, **changes: Block) -> tuple[Block, ...]:
    blocks, position = [], 0
    for number, part in enumerate(text.split("\n\n")):
        end = position + len(part)
        html = f"<h1>{number}</h1>" if part.startswith("#") else f"<p>{number}</p>"
        block = Block(char_start=position, char_end=end, html=html, heading_path=("T",), page=number // 2 + 1)
        blocks.append(
            changes.get(f"b{number}", block).model_copy(update={"char_start": position, "char_end": end})
        )
        position = end + 2
    return tuple(blocks)


def test_blocks_lend_html_flags_anchor_and_page_to_the_chunks_they_are_in() -> None:
    math = Block(
        char_start=0, char_end=0, html="<math/>", heading_path=("T",), flags=ContentFlags(has_math=True)
    )
    head = Block(char_start=0, char_end=0, html="<h1>T</h1>", heading_path=("T",), anchor="t", page=7)
    options = ChunkingOptions(window_tokens=9, child_tokens=5, parent_tokens=50)
    chunks = chunk_document(BLOCKS_TEXT, blocks_of(BLOCKS_TEXT, b0=head, b1=math), WordTokenizer(), options)
    parent, first, second, code = chunks
    assert parent.html_text == "<h1>T</h1>\n<math/>\n<p>2</p>\n<p>3</p>"
    assert first.chunk_text == "# T\n\nFormula.\n\n"
    assert (first.flags, first.html_text) == (ContentFlags(has_math=True), "<h1>T</h1>\n<math/>")
    assert (second.flags, second.html_text) == (ContentFlags(), None)
    assert (code.flags, code.html_text) == (ContentFlags(has_code=True), "<p>3</p>")
    assert (first.anchor, first.page, code.anchor, code.page) == ("t", 7, "t", 2)


def test_a_child_knows_where_another_page_begins_in_it() -> None:
    parents, children = chunks_of_levels(BLOCKS_TEXT)
    (child,) = children
    assert [(place.char_start, place.page) for place in child.places] == [
        (0, 1),
        (BLOCKS_TEXT.index("Plain"), 2),
    ]
    assert [parent.places for parent in parents] == [()]


def chunks_of_levels(markdown: str) -> tuple[list[Chunk], list[Chunk]]:
    chunks = chunk_document(markdown, blocks_of(markdown), WordTokenizer(), SMALL)
    return [c for c in chunks if c.level == "parent"], [c for c in chunks if c.level == "child"]


def test_a_part_of_a_block_inherits_the_flags_that_hold_for_all_of_it() -> None:
    flags = ContentFlags(has_math=True, has_code=True, has_table=True, has_steps=True)
    text = " ".join(f"S{n} {words(6)}." for n in range(12))
    block = Block(char_start=0, char_end=len(text), html="<div>all</div>", flags=flags)
    children = [c for c in chunk_document(text, [block], WordTokenizer(), SMALL) if c.level == "child"]
    assert len(children) > 1
    assert {child.flags for child in children} == {ContentFlags(has_math=True)}
    assert {child.html_text for child in children} == {"<div>all</div>"}


def test_html_much_longer_than_a_part_of_its_block_is_not_repeated() -> None:
    text = " ".join(f"S{n} {words(6)}." for n in range(12))
    block = Block(char_start=0, char_end=len(text), html="x" * 60_000, flags=ContentFlags(has_math=True))
    chunks = chunk_document(text, [block], WordTokenizer(), ChunkingOptions(60, 20, 500))
    assert {len(chunk.html_text or "") for chunk in chunks if chunk.level == "parent"} == {0}
    whole = chunk_document(text, [block], WordTokenizer(), ChunkingOptions(600, 500, 500))
    assert {len(chunk.html_text or "") for chunk in whole} == {60_000}


def test_an_unbalanced_fence_does_not_reach_into_the_next_block() -> None:
    text = "# T\n\n``` never closed\n\n## Next\n\nText."
    paths = [("T",), ("T",), ("T", "Next"), ("T", "Next")]
    blocks = [
        block.model_copy(update={"heading_path": path, "html": None})
        for block, path in zip(blocks_of(text), paths, strict=True)
    ]
    chunks = chunk_document(text, blocks, WordTokenizer(), SMALL)
    assert [chunk.section_heading for chunk in chunks if chunk.level == "parent"] == ["T", "Next"]


def test_text_that_only_looks_like_a_heading_is_text_where_blocks_say_so() -> None:
    text = "# a shell comment\n\nmore"
    plain = [Block(char_start=0, char_end=17), Block(char_start=19, char_end=23)]
    assert {chunk.section_heading for chunk in chunk_document(text, plain, WordTokenizer(), SMALL)} == {None}
    html = [block.model_copy(update={"html": "<p>x</p>", "heading_path": ("Up",)}) for block in plain]
    chunks = chunk_document(text, html, WordTokenizer(), SMALL)
    assert {(chunk.section_heading, chunk.heading_path) for chunk in chunks} == {(None, ("Up",))}


def test_heading_words_come_from_the_blocks_else_without_markup() -> None:
    text = "## The *best* [way](u) ¶\n\nText."
    block = Block(char_start=0, char_end=24, html="<h2>", heading_path=("The best way",))
    rest = Block(char_start=26, char_end=31, heading_path=("The best way",))
    with_blocks = chunk_document(text, [block, rest], WordTokenizer(), SMALL)
    without = chunk_document(text, (), WordTokenizer(), SMALL)
    assert {chunk.section_heading for chunk in with_blocks} == {"The best way"}
    assert {chunk.section_heading for chunk in without} == {"The best way ¶"}


def test_cancelling_stops() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        chunk_document("# A\n\ntext", (), WordTokenizer(), SMALL, cancel=cancel)


@pytest.mark.parametrize(("window", "child", "parent"), [(0, 10, 10), (10, 0, 10), (10, 20, 10)])
def test_impossible_sizes_are_refused(window: int, child: int, parent: int) -> None:
    with pytest.raises(ConfigurationError):
        ChunkingOptions(window, child, parent)


def test_the_chunking_id_tells_every_setting_apart() -> None:
    options = [
        ChunkingOptions(60),
        ChunkingOptions(61),
        ChunkingOptions(60, 20),
        ChunkingOptions(60, 256, 999),
    ]
    ids = {chunking_id(option, name) for option in options for name in ("a", "b")}
    assert len(ids) == 8
    assert chunking_id(options[0], "a") == chunking_id(ChunkingOptions(60), "a")


def test_a_fence_that_quotes_a_fence_stays_whole() -> None:
    markdown = "`````\n\n\nforest\n\n> `````\n> \n> `````\n\n`````\n\n`````\n\n# Forests"
    options = ChunkingOptions(window_tokens=16, child_tokens=8, parent_tokens=8)
    _, children = cut(markdown, options)
    assert children[-1].chunk_text == "`````\n\n# Forests"


def test_a_chunk_carries_nothing_of_a_block_that_ends_where_it_begins() -> None:
    block = Block(char_start=0, char_end=16, anchor="a", flags=ContentFlags(has_math=True))
    options = ChunkingOptions(window_tokens=115, child_tokens=16, parent_tokens=16)
    chunks = chunk_document("x" * 16 + "\n" * 16, [block], ByteTokenizer(), options)
    children = [chunk for chunk in chunks if chunk.level == "child"]
    assert [(child.char_start, child.flags.has_math, len(child.places)) for child in children] == [
        (0, True, 1),
        (16, False, 0),
    ]


def test_a_fence_is_whole_where_what_stands_before_it_counts_more_than_planned(tmp_path: Path) -> None:
    tokenizer = open_tokenizer(f"file:{unigram_file(tmp_path / 'tokenizer.json')}")
    markdown = "# Forests\n\n# Forests\n\n~~~ text\n```\n\n```\n~~~\n \nmax_depth max_depth end. forest forest forest"
    check_chunks(
        markdown, (), tokenizer, ChunkingOptions(window_tokens=16, child_tokens=15, parent_tokens=15)
    )
