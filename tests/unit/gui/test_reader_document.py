"""The reader's document: every character that is read, once, in order, traced to the markdown."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.corpus import captured
from tests.support.markdown_documents import ANY_TEXT, DOCUMENTS, GeneratedDocument
from webrag_desktop.gui.data.reader import ReaderBlock
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.reader.operations.reader_document import reader_document
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Block, DocumentVersion
from webrag_desktop.text.plain_text import project

PAGES = Path(__file__).parents[2] / "data" / "pages"
PAGE_NAMES = ["sklearn_ensemble.html", "python_glossary.html", "encyclopaedia.html"]


def version(
    markdown: str, *, blocks: tuple[Block, ...] = (), html: str | None = None, url: str = "file:///notes.md"
) -> DocumentVersion:
    return DocumentVersion(
        id=UUID(int=2),
        document_id=UUID(int=1),
        source_url=url,
        title=None,
        markdown=markdown,
        html=html,
        content_hash="",
        fetched_at=datetime(2026, 10, 3, tzinfo=UTC),
        blocks=blocks,
    )


def shown(given_version: DocumentVersion) -> ReaderDocument:
    return reader_document(given_version, title="T", place="p", address="a")


def blocks_of(markdown: str) -> tuple[ReaderBlock, ...]:
    return shown(version(markdown)).blocks


def page(name: str) -> DocumentVersion:
    document = extract(captured("https://pages.example/a", (PAGES / name).read_bytes()))
    return version(
        document.markdown, blocks=document.blocks, html=document.html, url="https://pages.example/a"
    )


def check_trace(markdown: str, blocks: tuple[ReaderBlock, ...]) -> None:
    """The blocks read as the projection does, and their runs are the projection's, cut at the blocks' borders."""
    plain = project(markdown)
    assert "".join(block.text for block in blocks) == plain.text
    offset = 0
    traced: list[tuple[int, int]] = []
    for block in blocks:
        position = 0
        for start, source, length in block.runs:
            assert start == position
            position += length
            traced.extend((offset + start + at, source + at) for at in range(length))
            if length == 0:
                traced.append((offset + start, -source))
        assert position == len(block.text)
        for styled in block.styles:
            assert 0 <= styled.start < styled.end <= len(block.text)
        for cell in [cell for row in block.cells for cell in row]:
            assert 0 <= cell[0] <= cell[1] <= len(block.text)
        offset += len(block.text)
    expected: list[tuple[int, int]] = []
    for start, source, length in plain.runs:
        expected.extend((start + at, source + at) for at in range(length))
        if length == 0:
            expected.append((start, -source))
    assert traced == expected


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_any_text_is_covered_once_and_in_order(text: str) -> None:
    check_trace(text, blocks_of(text))


@given(DOCUMENTS)
@settings(deadline=None)
def test_documents_are_covered_once_and_in_order(document: GeneratedDocument) -> None:
    check_trace(document.markdown, blocks_of(document.markdown))
    check_trace(document.markdown, shown(version(document.markdown, blocks=document.blocks, html="")).blocks)


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_pages_are_covered_once_and_in_order(name: str) -> None:
    document = shown(page(name))
    check_trace(document.markdown, document.blocks)
    kinds = {block.kind for block in document.blocks}
    assert {"heading", "paragraph", "list_item"} <= kinds
    assert len(document.outline) == sum(block.kind == "heading" for block in document.blocks)


def test_every_kind_of_block_is_distinguished() -> None:
    markdown = (
        "# One\n\nText *and* [more](b#c).\n\nUnder\n-----\n\n> said\n> again\n>\n> - thing\n\n"
        "- a\n  - b\n\n    more of b\n\n3. c\n\n---\n\n```py x\nif 1:\n\n    f()\n```\n\nend\n\n    in\n\n    den\n"
    )
    blocks = blocks_of(markdown)
    assert [(b.kind, b.level, b.marker, b.quoted, b.text.rstrip("\n")) for b in blocks] == [
        ("heading", 1, "", 0, "One"),
        ("paragraph", 0, "", 0, "Text and more."),
        ("heading", 2, "", 0, "Under"),
        ("quote", 1, "", 1, "said\nagain"),
        ("list_item", 1, "•", 1, "thing"),
        ("list_item", 1, "•", 0, "a"),
        ("list_item", 2, "◦", 0, "b"),
        ("list_item", 2, "", 0, "more of b"),
        ("list_item", 1, "3.", 0, "c"),
        ("rule", 0, "", 0, ""),
        ("code", 0, "", 0, "if 1:\n\n    f()"),
        ("paragraph", 0, "", 0, "end"),
        ("code", 0, "", 0, "in\n\nden"),
    ]
    assert blocks[10].language == "py"


@pytest.mark.parametrize(
    ("matter", "read"),
    [
        ("---\ntitle: T\ndate: 2024\n---", ["title: T\ndate: 2024"]),
        ("---\ntitle: T\ntags:\n  - a\n...", ["title: T\ntags:", "a\n..."]),
        ("+++\ntitle = 'T'\n+++", ["+++\ntitle = 'T'\n+++"]),
    ],
)
def test_front_matter_is_distinguished_and_is_no_heading(matter: str, read: list[str]) -> None:
    markdown = f"{matter}\n\nText\n====\n\n---\n\nkey: x\n---\n"
    made = shown(version(markdown))
    check_trace(markdown, made.blocks)
    reported = [block for block in made.blocks if block.kind == "front_matter" and block.text.strip()]
    assert [block.text.strip() for block in reported] == read
    for block in reported:  # its lines stay lines
        inner = block.text.rstrip("\n")
        assert len([one for one in block.styles if one.style == "break"]) == inner.count("\n")
    assert [entry.text for entry in made.outline] == ["Text", "key: x"]
    assert [block.kind for block in made.blocks if block.kind == "rule"] == ["rule"]
    assert "front_matter" not in {block.kind for block in shown(version(markdown, html="<p>")).blocks}


def test_styles_cover_the_words_they_style() -> None:
    markdown = 'A **b*c*** `d` ~~e~~ [f **g**](h "t") <https://i.j> [k][l] ![m](n)\n\n[L]: <o p>\n'
    (block,) = blocks_of(markdown)
    found = {(block.text[s.start : s.end], s.style, s.target) for s in block.styles}
    assert found == {
        ("bc", "bold", None),
        ("c", "italic", None),
        ("d", "code", None),
        ("e", "strike", None),
        ("f g", "link", "h"),
        ("g", "bold", None),
        ("https://i.j", "link", "https://i.j"),
        ("k", "link", "o p"),
    }


def test_link_targets_of_a_page_are_whole_addresses() -> None:
    made = shown(version("[a](b#c) [d](http://[bad)", url="https://x.example/y/z", html="<p></p>"))
    links = [style.target for style in made.blocks[0].styles if style.style == "link"]
    assert links == ["https://x.example/y/b#c", "http://[bad"]


def test_table_cells_keep_their_columns() -> None:
    markdown = "x\n\n| a | **b** | c |\n|---|---|---|\n| | 1 &lt; 2 | |\n| d | | e |\n"
    table = blocks_of(markdown)[1]
    assert [[table.text[start:end] for start, end in row] for row in table.cells] == [
        ["a", "b", "c"],
        ["", "1 < 2"],
        ["d", "", "e"],
    ]


@pytest.mark.parametrize(
    ("url", "html", "standing"),
    [
        ("file:///a.md", None, [2]),
        ("file:///a.txt", None, [0, 1, 2]),
        ("https://x.example/a.md", "<p></p>", [0, 1, 2]),
    ],
)
def test_only_markdown_flows_over_its_line_breaks(url: str, html: str | None, standing: list[int]) -> None:
    made = shown(version("a\nb\nc\\\nd\n", url=url, html=html)).blocks[0]
    breaks = [style.start for style in made.styles if style.style == "break"]
    assert breaks == [[at for at, char in enumerate(made.text) if char == "\n"][index] for index in standing]


def test_plain_text_has_no_headings() -> None:
    document = extract(
        captured("file:///letter.txt", (PAGES / "crlf_letter.txt").read_bytes()).model_copy(
            update={"headers": (("content-type", "text/plain"),)}
        )
    )
    made = shown(version(document.markdown, blocks=document.blocks, url="file:///letter.txt"))
    assert made.outline == ()
    assert {block.kind for block in made.blocks} == {"paragraph"}
    assert any(block.text.startswith("3 barrels") and block.kind == "paragraph" for block in made.blocks)


def test_outline_leads_to_the_words_of_headings() -> None:
    markdown = "# **A** &amp; b #\n\ntext\n\n## ![c](d)\n\n## \n"
    outline = shown(version(markdown)).outline
    assert [(entry.text, entry.level, markdown[entry.char_start]) for entry in outline] == [
        ("A & b", 1, "A"),
        ("c", 2, "c"),
    ]


@given(DOCUMENTS, st.data())
@settings(deadline=None)
def test_a_reading_holds_the_characters_whose_sources_lie_in_the_span(
    document: GeneratedDocument, data: st.DataObject
) -> None:
    plain = project(document.markdown)
    start = data.draw(st.integers(0, len(document.markdown)))
    end = data.draw(st.integers(start, len(document.markdown)))
    expected = []
    for position in range(len(plain.text)):
        first, last = plain.to_markdown_span(position, position + 1)
        if first < end and last > start:
            expected.append(plain.text[position])
    assert plain.reading(start, end) == "".join(expected)


@pytest.mark.parametrize(
    ("markdown", "span", "reading"),
    [
        ("Fish &amp; chips", "amp", "&"),
        ("a &NotEqualTilde; b", "Tilde", "\u2242\u0338"),
        ("a &NotEqualTilde; b", "&", "\u2242\u0338"),
        ("see **bold** words", "**", ""),
        ("```\n# not a heading\n```", "# not", "# not"),
        ("| a | b |\n|---|---|\n| c | d |", "| c | d |", "c d"),
        ("> one\n> two", "one\n> two", "one\ntwo"),
    ],
)
def test_a_span_is_read_in_its_surroundings(markdown: str, span: str, reading: str) -> None:
    at = markdown.index(span)
    assert project(markdown).reading(at, at + len(span)) == reading


@pytest.mark.parametrize("piece", ["[a](", "- ", "> ", "| a ", "*a ", "- a\n  ", "`", "&amp;", "a\n\n"])
def test_adversarial_repetition_takes_linear_steps(piece: str) -> None:
    made = blocks_of(piece * 20_000)
    assert sum(len(block.text) for block in made) <= len(piece) * 20_000
