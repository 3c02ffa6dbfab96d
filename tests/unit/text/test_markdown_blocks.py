"""The block scanner against markdown-it-py, and its own invariants."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.support.pages import PAGES_DIRECTORY
from webrag_desktop.text.markdown_blocks import LONG_LIST, MarkdownBlock, scan_blocks

_KINDS = {
    "heading_open": "heading",
    "fence": "fence",
    "code_block": "indented code",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
    "html_block": "html",
    "hr": "rule",
    "paragraph_open": "paragraph",
}
_ORACLE = MarkdownIt("commonmark").enable("table")


def by_oracle(markdown: str) -> list[tuple[str, int]]:
    """Kind and first line of each top-level block."""
    tokens = [token for token in _ORACLE.parse(markdown) if token.level == 0 and token.type in _KINDS]
    return [(_KINDS[token.type], token.map[0]) for token in tokens if token.map]


def scanned(markdown: str) -> list[tuple[str, int]]:
    return [(block.kind, markdown.count("\n", 0, block.start)) for block in scan_blocks(markdown)]


CASES = [
    "# A\ntext\nmore\n\n## B ##\n#not\n#\n####### seven",
    "Title\n=====\n\nSub\ntitle\n---\n\n---\n***\n_ _ _",
    "```py\n# no\n\n```\nafter\n\n~~~\nopen",
    "````\n```\n````\nx",
    "- a\n- b\n\n- c\n\n  more\n\nend",
    "- a\n  - b\n    - c\n- d\n* other\n1. one\n2) two",
    "1. a\n\n   ```\n   code\n\n   more\n   ```\n2. b\ntext lazy\n\nend",
    "- a\n```\nfence\n```",
    "> q\nlazy\n\n> r\n- list\n> s\n# h",
    "| a | b |\n|---|---|\n| 1 | 2 |\nlazy row\n\nafter",
    "a | b\n--|--\n1 | 2\n> quote",
    "no | table\n--- | --- | ---\nx",
    "<div>\ntext\n\n</div>\n\n<!-- a\n\nb -->\ntext\n<p>inside</p>",
    "<span>x</span>\ntext\n\n<custom-tag>\nx\n\ny",
    "    code\n\n    more\ntext\n    no code",
    "para\n    still para\n- list\n14. no interrupt\n1. interrupt",
    "\n\n\n",
    "text  \nmore\\\nend\n\n\ttab code",
    "- \n  a\n\n-\n\n  b",
    "* * *\n- - -\n+ + +",
    "Setext with\n`code`\n===\n===\n",
    "1986\\. year\n\n10) ten\n\n-no item\n+no item",
    "- a\n\n\n\n- b\n\n\n    code?",
]


@pytest.mark.parametrize("markdown", CASES)
def test_blocks_begin_where_commonmark_says(markdown: str) -> None:
    assert scanned(markdown) == by_oracle(markdown)


@pytest.mark.parametrize("name", ["field_notes.md", "scripts_and_emoji.md"])
def test_files_agree_with_commonmark(name: str) -> None:
    markdown = (PAGES_DIRECTORY / name).read_text("utf-8")
    body = markdown.split("---\n", 2)[-1]
    assert scanned(body) == by_oracle(body)


def check_invariants(markdown: str, blocks: list[MarkdownBlock]) -> None:
    position = 0
    for block in blocks:
        assert not markdown[position : block.start].strip()
        assert markdown[block.start : block.end].strip()
        assert block.start == 0 or markdown[block.start - 1] == "\n"
        assert block.end == len(markdown) or markdown[block.end] == "\n"
        assert (block.level > 0) == (block.kind == "heading")
        position = block.end
    assert not markdown[position:].strip()


LINES = st.sampled_from(
    ["", "", "text", "# h", "## h2 ##", "===", "---", "- a", "* b", "1. c", "2) d", "  in", "    code", "> q", "```",
     "~~~", "| a | b |", "|---|---|", "<div>", "</div>", "<!-- c", "-->", "\tx", "***", "a  ", "日本語 🧭", "[x](http://y.z)"]
)  # fmt: skip


@given(st.lists(LINES, max_size=25).map("\n".join))
@example("---\ntitle: x\n---\n# h")
def test_everything_but_white_space_lies_in_exactly_one_block(markdown: str) -> None:
    check_invariants(markdown, list(scan_blocks(markdown)))


@given(st.text(alphabet=st.sampled_from("ab -*_#>`~|:<>/!1.)\n\t="), max_size=120))
def test_any_text_is_partitioned(markdown: str) -> None:
    check_invariants(markdown, list(scan_blocks(markdown)))


def test_headings_know_level_and_words() -> None:
    blocks = list(scan_blocks("## One `two` ##\n\nThree\nfour\n===="))
    assert [(block.level, block.heading) for block in blocks] == [(2, "One `two`"), (1, "Three four")]


def test_front_matter_is_a_block_of_its_own() -> None:
    blocks = list(scan_blocks("---\ntitle: x\ntags: [a]\n---\n# h"))
    assert [block.kind for block in blocks] == ["front matter", "heading"]


def test_long_lists_come_in_parts_that_begin_with_items() -> None:
    markdown = "\n".join(f"- item number {number} with a few words" for number in range(500))
    blocks = list(scan_blocks(markdown))
    assert len(blocks) > 10
    assert all(markdown.startswith("- item", block.start) for block in blocks)
    assert max(block.end - block.start for block in blocks) < LONG_LIST
    check_invariants(markdown, blocks)


@pytest.mark.parametrize("unit", ["> ", "- ", "* a\n", "#", "`", "<", "[", "|", "1. ", "\n", "~~~\n", "-\n"])
def test_long_runs_are_scanned_in_one_pass(unit: str) -> None:
    markdown = unit * 50_000
    check_invariants(markdown, list(scan_blocks(markdown)))
