"""The sentence cache holds what splitting the text gives, and only what these rules encoded is used."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.sentences import RULES, encode_sentences, readable_sentences

TEXT = """# Trees

Gradient boosting adds trees, e.g. small ones. Dr. Hill said: “Stop.” Then [a link](https://a/b.c. d) follows!

| a | b |
|---|---|
| 1.5 | two. Three |

- First item. Second sentence of it.
- 4.

```
code = 1. And. More.
```

東京は首都です。人口は多い。「検索」とは？
"""


@given(st.text(alphabet="ab. \n#|`-A日1[]()。", max_size=200))
def test_what_was_noted_is_what_is_found(text: str) -> None:
    cached = encode_sentences(text)
    assert cached is not None
    assert readable_sentences(text, cached) == readable_sentences(text)


def test_sentences_stand_where_they_are_noted_without_headings() -> None:
    found = [TEXT[start:end] for start, end in readable_sentences(TEXT, encode_sentences(TEXT))]
    assert found[0] == "Gradient boosting adds trees, e.g. small ones."
    assert found[-1] == "「検索」とは？"


def test_headings_stand_for_themselves_where_there_is_nothing_else() -> None:
    assert readable_sentences("# Trees\n", encode_sentences("# Trees\n")) == [(0, 7)]


def test_what_other_rules_noted_is_looked_for_again() -> None:
    other = bytes([RULES + 1]) + b"\x00\x00\x01\x00"
    assert readable_sentences("One. Two.", other) == [(0, 4), (5, 9)]
    assert readable_sentences("One. Two.", b"") == [(0, 4), (5, 9)]


def test_a_text_too_long_to_be_noted_is_looked_through() -> None:
    text = "A sentence here. " * 4_000
    assert encode_sentences(text) is None
    assert len(readable_sentences(text, None)) == 4_000


def test_rules_that_find_other_sentences_have_another_number() -> None:
    """Raise RULES when this fails, and name its new notes here: what libraries hold is no longer what is found."""
    cached = encode_sentences(TEXT)
    assert cached is not None
    assert (RULES, sha256(cached).hexdigest()[:16]) == (1, "d6be1f8ccad2ed8a")
