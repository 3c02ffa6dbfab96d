"""What markdown lines are read as."""

import pytest

from webrag_desktop.indexing.structure import Element, read_structure


def kinds(markdown: str) -> list[tuple[str, int, str]]:
    elements = read_structure(markdown, ())
    return [(e.kind, e.level, markdown[e.start : e.end].strip()) for e in elements]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("text\n# Head #\nmore", [("text", 0, "text"), ("heading", 1, "# Head #"), ("text", 0, "more")]),
        (
            "#no\n\n####### no\n\n    # no",
            [("text", 0, "#no"), ("text", 0, "####### no"), ("text", 0, "# no")],
        ),
        ("Head\n====\n\nSub\n---", [("heading", 1, "Head\n===="), ("heading", 2, "Sub\n---")]),
        ("one\ntwo\n---", [("heading", 2, "one\ntwo\n---")]),
        ("- item\n---", [("text", 0, "- item\n---")]),
        ("~~~\n# a\n```\n~~~\n\nb", [("fence", 0, "~~~\n# a\n```\n~~~"), ("text", 0, "b")]),
        ("````\n```\n# a\n````\nb", [("fence", 0, "````\n```\n# a\n````"), ("text", 0, "b")]),
        (
            "- x\n  ```\n  # a\n  ```\n# H",
            [("text", 0, "- x"), ("fence", 0, "```\n  # a\n  ```"), ("heading", 1, "# H")],
        ),
        ("> ```\n> # a\n\n# H", [("fence", 0, "> ```\n> # a"), ("heading", 1, "# H")]),
        ("```\n\n> ```\n\n# a\n```", [("fence", 0, "```\n\n> ```\n\n# a\n```")]),
        ("<div>\n# a\n</div>", [("text", 0, "<div>\n# a\n</div>")]),
        ("```\n# open to the end\n\n# b", [("fence", 0, "```\n# open to the end\n\n# b")]),
        ("``` inline ``` code\n\n# H", [("text", 0, "``` inline ``` code"), ("heading", 1, "# H")]),
        (
            "t\na | b\n-|-\n1 | 2\nlone\n\nend",
            [("text", 0, "t"), ("table", 0, "a | b\n-|-\n1 | 2\nlone"), ("text", 0, "end")],
        ),
        ("a | b\n\n-|-", [("text", 0, "a | b"), ("text", 0, "-|-")]),
        ("  \n", [("text", 0, "")]),
    ],
)
def test_elements(markdown: str, expected: list[tuple[str, int, str]]) -> None:
    assert kinds(markdown) == expected


def test_paths_follow_the_levels() -> None:
    markdown = "# A\n\n### C\n\nx\n\n## B\n\ny\n\n# D"
    elements = read_structure(markdown, ())
    assert [element.path for element in elements] == [
        ("A",),
        ("A", "C"),
        ("A", "C"),
        ("A", "B"),
        ("A", "B"),
        ("D",),
    ]
    assert [element.section for element in elements] == ["A", "A", "A", "B", "B", "D"]


def test_a_heading_of_several_lines_reads_as_one() -> None:
    assert read_structure("One  \n two\n===\n\nText.", ())[1].path == ("One two",)


def leading(markdown: str) -> list[bool]:
    return [element.leads for element in read_structure(markdown, ())]


def test_what_leads_in() -> None:
    markdown = "# H\n\n**term**\n\n__term__:\n\n**bold** start\n\nNote\n\nNote that\n\n**two**\nlines"
    assert leading(markdown) == [True, True, True, False, True, False, False]


def test_elements_partition_the_text() -> None:
    markdown = "\n\n# A\n\n\ntext\n\n```\nx\n```\n\n\n"
    elements: list[Element] = read_structure(markdown, ())
    assert "".join(markdown[element.start : element.end] for element in elements) == markdown
