"""Units of evidence: what they hold, and that the cache holds what parting the text gives."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.units.evidence_units import (
    LONGEST_CODE,
    LONGEST_ITEM,
    RULES,
    encode_units,
    evidence_units,
    readable_units,
)

TEXT = """# Trees

Gradient boosting adds trees, e.g. small ones. Dr. Hill said: “Stop.” Then [a link](https://a/b.c. d) follows!

| a | b |
|---|---|
| 1.5 | two. Three |

- First item. Second sentence of it.
- 4.

**Boosting**

Adds one model after the other. Each corrects the last.

Bagging
: Averages models. Each sees a sample.

```py
def code(depth):
    # Half. Always.
    return depth / 2.

def more():
    return 1.
```

東京は首都です。人口は多い。「検索」とは？
"""
LINES = st.sampled_from(
    [
        "",
        "# A heading",
        "Plain prose. And more!",
        "- an item. Its second sentence.",
        "  which goes on. Here.",
        "| a | b. C |",
        "|---|---|",
        "```",
        "def code(a):",
        "    return a.b(1)",
        "}",
        "**a term**",
        ": its meaning. Or not.",
    ]
)
MARKDOWN = st.lists(LINES, max_size=14).map("\n".join) | st.text(
    alphabet="ab. \n#|`-A日1[]()。", max_size=200
)


def units(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in evidence_units(text)]


@given(MARKDOWN)
def test_what_was_noted_is_what_is_found(text: str) -> None:
    cached = encode_units(text)
    assert cached is not None
    assert readable_units(text, cached) == evidence_units(text) == readable_units(text)


@given(MARKDOWN)
def test_units_are_in_order_and_do_not_overlap(text: str) -> None:
    position = 0
    for one in evidence_units(text):
        assert position <= one.start <= one.end <= len(text)
        assert one.start < one.end or not text
        assert text[one.start : one.end].strip() or not text.strip()
        position = one.end


def test_each_kind_has_its_unit_and_headings_are_none() -> None:
    assert units(TEXT) == [
        ("prose", "Gradient boosting adds trees, e.g. small ones."),
        ("prose", "Dr. Hill said: “Stop.”"),
        ("prose", "Then [a link](https://a/b.c. d) follows!"),
        ("table", "| a | b |"),
        ("table", "| 1.5 | two. Three |"),
        ("item", "First item. Second sentence of it."),
        ("definition", "**Boosting**\n\nAdds one model after the other. Each corrects the last."),
        ("definition", "Bagging\n: Averages models. Each sees a sample."),
        (
            "code",
            "def code(depth):\n    # Half. Always.\n    return depth / 2.\n\ndef more():\n    return 1.",
        ),
        ("prose", "東京は首都です。"),
        ("prose", "人口は多い。"),
        ("prose", "「検索」とは？"),
    ]


def test_of_a_long_item_each_sentence_is_a_unit() -> None:
    one, two = f"It {'goes ' * (LONGEST_ITEM // 8)}on.", f"It {'ends ' * (LONGEST_ITEM // 8)}here."
    assert units(f"- {one} {two}\n- Short. Very.") == [("item", one), ("item", two), ("item", "Short. Very.")]


def test_long_code_is_parted_between_its_own_units_with_their_indentation() -> None:
    methods = [
        f"    def step_{n}(self, a):\n" + "\n".join(f"        a = a.b({m})" for m in range(12))
        for n in range(6)
    ]
    code = "class Steps:\n    '''Of all kinds. Many.'''\n\n" + "\n\n".join(methods)
    found = units(f"```python\n{code}\n```")
    assert [text for _, text in found[1:]] == methods
    assert {kind for kind, _ in found} == {"code"}
    assert all(len(text) <= LONGEST_CODE for _, text in found)


def test_source_code_without_a_fence_is_code() -> None:
    code = "import os\n\n# A comment. With stops.\ndef name(path):\n    return os.path.basename(path)\n"
    assert units(code) == [("code", code.rstrip())]


def test_headings_stand_for_themselves_where_there_is_nothing_else() -> None:
    assert units("# Trees\n") == [("prose", "# Trees")]


@pytest.mark.parametrize("other", [bytes([RULES - 1]) + b"\x00\x00\x01\x00", bytes([RULES + 1]), b""])
def test_what_other_rules_noted_is_looked_for_again(other: bytes) -> None:
    assert [one[:2] for one in readable_units("One. Two.", other)] == [(0, 4), (5, 9)]


def test_a_text_too_long_to_be_noted_is_looked_through() -> None:
    text = "A sentence here. " * 4_000
    assert encode_units(text) is None
    assert len(readable_units(text, None)) == 4_000


def test_rules_that_find_other_units_have_another_number() -> None:
    """Raise RULES when this fails, and name its new notes here: what libraries hold is no longer what is found."""
    cached = encode_units(TEXT)
    assert cached is not None
    assert (RULES, sha256(cached).hexdigest()[:16]) == (2, "60c2e183eea9084d")
