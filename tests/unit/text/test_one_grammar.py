"""Whatever reads markdown takes the same lines for items, definitions, headings, and the same marks for escapes."""

import string

import pytest

from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.indexing.structure import read_structure
from webrag_desktop.ingestion.content_flags import detect_flags
from webrag_desktop.models.documents import Block
from webrag_desktop.retrieval.context.rendering import element_range
from webrag_desktop.storage.searching.words import identifiers
from webrag_desktop.text.canonical.shown_marks import marks_before
from webrag_desktop.text.landmarks import landmarks
from webrag_desktop.text.markdown_grammar import ITEM, is_delimiter_row, without_escapes
from webrag_desktop.text.markdown_links import PlacedLink, linked_sentences, markdown_images
from webrag_desktop.text.mathematics import formulas
from webrag_desktop.text.plain_blocks import link_definitions
from webrag_desktop.text.plain_inline import link_target
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.sentences import Sentence, split_sentences


@pytest.mark.parametrize("char", [*string.punctuation, "a", "1", " ", "é", "€"])
def test_a_backslash_escapes_the_same_characters_for_every_reader(char: str) -> None:
    written = f"x\\{char}y"
    read = without_escapes(written)
    assert read == (f"x{char}y" if char in string.punctuation else written)
    assert project(written).text == read
    assert link_target(written) == read
    assert [image.alt for image in markdown_images(f"![{written}](a.png)")] == [read]


def test_escapes_are_undone_in_identifiers_and_formulas() -> None:
    assert identifiers(r"max\_depth") == identifiers(without_escapes(r"max\_depth")) == ["max_depth"]
    assert [formula.source for formula in formulas(r"\\(a\_1 \\alpha\\)")] == [
        without_escapes(r"a\_1 \\alpha")
    ]


@pytest.mark.parametrize(
    ("line", "defines"),
    [
        ("[tide]: https://a.org/tide", True),
        ("   [tide]:https://a.org/tide 'Tides'", True),
        ("[tide]: <https://a.org/tide>", True),
        ("[tide] https://a.org/tide", False),
        ("[tide]:", False),
    ],
)
def test_a_definition_is_one_for_every_reader(line: str, defines: bool) -> None:
    assert bool(link_definitions(line)) is defines
    assert (project(line).text == "") is defines
    assert (not split_sentences(line) or split_sentences(line)[0].kind == "mark") is defines
    text = f"{line}\n\nSee [the tide][tide] here."
    link = PlacedLink(0, "https://a.org/tide", "the tide")
    assert (linked_sentences(text, [link]) == ["See the tide here."]) is defines


@pytest.mark.parametrize("mark", ["-", "*", "+", "1.", "1)", "123456789."])
def test_an_item_is_one_for_every_reader(mark: str) -> None:
    line = f"{mark} Limpets clamp."
    assert ITEM.match(line) is not None
    assert project(line).text == "Limpets clamp."
    assert split_sentences(line)[0] == Sentence(0, len(mark), "mark")
    assert [found.kind for found in landmarks(f"{mark} ```\n{' ' * len(mark)} a\n{' ' * len(mark)} ```")] == [
        "fence"
    ]
    assert element_range(f"On rocks.\n\n{line}", 11, 11 + len(line)).items is not None
    assert marks_before(line, len(mark) + 1) == mark.replace(")", ".").translate(str.maketrans("-*+", "•••"))


@pytest.mark.parametrize("mark", ["–", "1:", "1234567890.", "-x", "1.x"])
def test_what_is_no_item_is_none_for_any_reader(mark: str) -> None:
    line = f"{mark} Limpets clamp."
    assert ITEM.match(line) is None
    assert project(line).text == line
    assert split_sentences(line)[0].kind == "prose"
    assert element_range(f"On rocks.\n\n{line}", 11, 11 + len(line)).items is None


@pytest.mark.parametrize(
    ("row", "is_one"),
    [("|---|:-:|", True), ("| --- | ---: |", True), ("|-|-|", True), ("|---|x|", False), ("|---||", False)],
)
def test_the_dashes_below_a_table_s_head_are_so_for_every_reader(row: str, is_one: bool) -> None:
    table = f"| Shore | Tide |\n{row}\n| Rocks | low |\n| Sand | high |"
    assert is_delimiter_row(row) is is_one
    assert ([one.kind for one in landmarks(table)] == ["table"]) is is_one
    assert detect_flags(table).has_table is is_one
    last = table.rindex("| Sand")
    assert element_range(table, last, len(table)).rows == ((2, 2) if is_one else None)


def test_dashes_without_outer_borders_head_a_table_for_sentences_and_readers_alike() -> None:
    table = "Shore | Tide\n:-- | --:\nRocks | low"
    assert [one.kind for one in landmarks(table)] == ["table"]
    assert detect_flags(table).has_table
    assert [one.kind for one in split_sentences(table)] == ["table", "mark", "table"]
    assert [one.kind for one in split_sentences("Shore | Tide\n--- x ---\nRocks | low")] == ["prose"]


@pytest.mark.parametrize(
    ("path", "html", "heads"),
    [
        (("Tides",), "<h2>Tides</h2>", True),
        (("Tides",), '<div role="heading">Tides</div>', True),
        (("Tides",), None, True),
        (("Tides",), "<p># Tides</p>", False),
        ((), "<h2>Tides</h2>", False),
    ],
)
def test_a_heading_in_a_block_of_a_page_is_one_in_the_index_and_in_the_reader(
    path: tuple[str, ...], html: str | None, heads: bool
) -> None:
    markdown = "# Tides"
    blocks = (Block(char_start=0, char_end=len(markdown), heading_path=path, html=html),)
    assert [element.kind for element in read_structure(markdown, blocks)] == ["heading" if heads else "text"]
    read = shown(version(markdown, blocks=blocks, html=html, url="https://a.org"))
    assert [block.kind for block in read.blocks] == ["heading" if heads else "paragraph"]
