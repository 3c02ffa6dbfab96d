"""The blocks of the plain text: the very projection, cut where a reader sees one block end."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from tests.support.markdown_documents import ANY_TEXT, DOCUMENTS, GeneratedDocument
from webrag_desktop.text.plain_text import project, project_blocks


def check(markdown: str) -> None:
    plain, blocks = project_blocks(markdown)
    assert plain == project(markdown)
    borders = [0, *(border for block in blocks for border in (block.start, block.end)), len(plain.text)]
    assert all(before == after for before, after in list(pairwise(borders))[::2])


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_blocks_of_any_text_partition_its_projection(text: str) -> None:
    check(text)


@given(DOCUMENTS)
@settings(deadline=None)
def test_blocks_of_documents_partition_their_projection(document: GeneratedDocument) -> None:
    check(document.markdown)


@pytest.mark.parametrize(
    ("markdown", "shapes"),
    [
        ("# a\n\nb\n---\n\n***\n", [("heading", 1, ""), ("heading", 2, ""), ("rule", 0, "")]),
        ("- a\n - b\n  - c\n\t- d\n", [("list_item", level, bullet) for level, bullet in
                                      ((1, "•"), (1, "•"), (1, "•"), (2, "◦"))]),
        ("1. a\n   - b\n\n     b\n\n   a\n\nout", [
            ("list_item", 1, "1."), ("list_item", 2, "◦"), ("list_item", 2, ""), ("list_item", 1, ""),
            ("paragraph", 0, "")]),
        ("> > a\n\n> b", [("quote", 2, ""), ("quote", 1, "")]),
        ("- ```\n  x\n  ```\n", [("code", 1, "•")]),
        ("a\n-\n\n- b\n-\n  c", [("heading", 2, ""), ("list_item", 1, "•"), ("list_item", 1, "•")]),
        ("    x\n\n    y\n\nz\n\n    v\n", [("code", 0, ""), ("paragraph", 0, ""), ("code", 0, "")]),
    ],
)  # fmt: skip
def test_shapes(markdown: str, shapes: list[tuple[str, int, str]]) -> None:
    found = [
        (block.shape.kind, block.shape.level, block.shape.marker) for block in project_blocks(markdown)[1]
    ]
    assert found == shapes
