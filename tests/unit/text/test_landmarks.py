"""Fences, tables and headings against markdown-it-py, and where that parser leaves CommonMark."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.commonmark import Found, blocks_of
from webrag_desktop.text.landmarks import DEEPEST, Landmark, landmarks

_TABLE = ["| a | b |", "|---|---|", "| c |"]
_LEAVES = st.sampled_from(
    [[""], [""], ["text"], ["# h"], ["## h ##"], ["#no"], ["==="], ["---"], ["--"], ["***"], ["- - -"], ["text", "==="],
     ["    code"], ["```"], ["`````"], ["```py"], ["``` a`b"], ["~~~"], ["~~~~ x"], ["    ```"], ["   ```"],
     ["```", "# no", "```"], _TABLE, ["text", *_TABLE], [*_TABLE, "lone"], ["a | b", "-|-"], ["| a |", "|-|-|"],
     ["\\| x | y", "|-|"], ["| a |", ":-:"], ["<div>"], ["</div>"], ["<!-- c"], ["-->"], ["<b>"],
     ["<b>x"], ["<pre>"], ["</pre>"], ["<?x", "?>"]]
)  # fmt: skip
_CONTAINERS = st.sampled_from(
    [("", ""), ("", ""), ("> ", "> "), (">", ">"), ("> ", ""), ("- ", "  "), ("- ", ""), ("1. ", "   "), ("  ", "  "),
     ("-   ", "    "), (" - ", "   "), ("> > ", "> > "), ("> - ", ">   "), ("- > ", "  > "), ("- - ", "    "),
     ("10) ", "    ")]
)  # fmt: skip


def _held(container: tuple[str, str], leaves: list[list[str]]) -> list[str]:
    first, following = container
    lines = [line for leaf in leaves for line in leaf]
    return [(following if number else first) + line for number, line in enumerate(lines)]


DOCUMENTS = st.lists(
    st.builds(_held, _CONTAINERS, st.lists(_LEAVES, min_size=1, max_size=4)), min_size=1, max_size=5
).map(lambda parts: [line for part in parts for line in part])


def _solid_end(lines: list[str], after: int) -> int:
    while after and not lines[after - 1].strip(" >"):
        after -= 1
    return after


def by_oracle(lines: list[str]) -> set[tuple[str, int, int, int]]:
    """Kind, first line, line after the last that is not blank, and level; tables end with their rows."""
    found: list[Found] = []
    for one in blocks_of("\n".join(lines)):
        if one.kind == "row":
            found[-1] = found[-1]._replace(after=max(one.after, found[-1].first + 2))
        else:
            found.append(one)
    return {(one.kind, one.first, _solid_end(lines, min(one.after, len(lines))), one.level) for one in found}


def read(lines: list[str]) -> set[tuple[str, int, int, int]]:
    found = landmarks("\n".join(lines))
    return {(one.kind, one.first, _solid_end(lines, one.after), one.level) for one in found}


@given(DOCUMENTS)
@settings(max_examples=400)
def test_landmarks_are_those_of_commonmark(lines: list[str]) -> None:
    assert read(lines) == by_oracle(lines)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("`````\n\n> `````\n\n`````\n# h", [("fence", 0, 5), ("heading", 5, 6)]),
        ("> ```\n> x\n```\ny\n```", [("fence", 0, 2), ("fence", 2, 5)]),
        ("- ```\n  x\n\n  y\n# h", [("fence", 0, 4), ("heading", 4, 5)]),
        ("- x\n\n      ```\n      # no\n\n# h", [("heading", 5, 6)]),
        ("-\n\n  ```\n# no", [("fence", 2, 4)]),
        ("- > ```\n  > x\n  > ```\n  y", [("fence", 0, 3)]),
        ("\t```\n# h", [("heading", 1, 2)]),
        ("-\t```\n\tx\n\t```\n# h", [("fence", 0, 3), ("heading", 3, 4)]),
        ("```\r\nx\r\n```\r\n# h", [("fence", 0, 3), ("heading", 3, 4)]),
        ("~~~ a`b\n```\n~~~\n# h", [("fence", 0, 3), ("heading", 3, 4)]),
        ("````\n```\n   `````  \n# h", [("fence", 0, 3), ("heading", 3, 4)]),
        ("```\n    ```\n``` x\n~~~", [("fence", 0, 4)]),
        ("<!--\n```\n\n# no\n-->\n# h", [("heading", 5, 6)]),
        ("<div>\n# no\n\n# h", [("heading", 3, 4)]),
        ("<pre>\n\n# no\n</pre>\n# h", [("heading", 4, 5)]),
        ("text\n<b>\n# h", [("heading", 2, 3)]),
        ("[a]: b 'c'\n===", []),
        ("[a]: b\ntext\n===", [("heading", 1, 3)]),
        ("[a]\n: b\n===", [("heading", 0, 3)]),
        ("one\ntwo\n-", [("heading", 0, 3)]),
        ("> text\nlazy\n===", []),
        ("> text\n---", []),
        ("- a | b\nc | d\n  -|-\n  e", [("table", 1, 4)]),
        ("> a | b\n-|-", []),
        ("a | b\n--|--|--", []),
        ("| a |\n---", [("heading", 0, 2)]),
        ("x\n    a | b\n-|-", []),
        ("a | b\n-|-\nlone\n> quote", [("table", 0, 3)]),
        # markdown-it-py reads a quote mark behind four blanks, and counts tabs behind quote marks otherwise
        ("> ```\n    > x\n# h", [("fence", 0, 1), ("heading", 2, 3)]),
        (">>-\t~~~\n>>   x\n# h", [("fence", 0, 2), ("heading", 2, 3)]),
    ],
)
def test_landmarks(markdown: str, expected: list[tuple[str, int, int]]) -> None:
    assert [one[:3] for one in landmarks(markdown)] == expected


def test_a_fence_knows_its_ticks_and_whether_it_is_closed() -> None:
    found = list(landmarks("> ````py\n> x\n> ````\n\n~~~"))
    assert found == [
        Landmark("fence", 0, 3, ticks="````", closed=True),
        Landmark("fence", 4, 5, ticks="~~~"),
    ]


def test_what_is_nested_deeper_than_anything_meant_is_text() -> None:
    assert list(landmarks("> " * DEEPEST + "```"))
    assert not list(landmarks("> " * (DEEPEST + 1) + "```"))


@pytest.mark.parametrize(
    "text",
    [
        "- " * 5_000 + "x" + "\n\n```" * 5_000,
        "[a]: b\n" * 20_000 + "===",
        "| " * 100_000 + "\n-|-",
        "<a " + "x " * 50_000 + "\n#",
        "#" + " " * 200_000 + "\n" + " " * 200_000 + "x",
    ],
)
def test_long_runs_take_linear_steps(text: str) -> None:
    assert len(list(landmarks(text))) < 6_000
