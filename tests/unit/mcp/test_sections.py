"""Which section of a text a place stands in."""

import pytest

from webrag_desktop.mcp.tools.read import section_at

TEXT = """Before all.

# One

First.

## Deeper

Second.

```
# no heading
```

## Beside

Third.

# Two

Fourth."""


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("Before", "Before", "all."),
        ("First", "# One", "Third."),
        ("# One", "# One", "Third."),
        ("Second", "## Deeper", "```"),
        ("no heading", "## Deeper", "```"),
        ("Third", "## Beside", "Third."),
        ("Fourth", "# Two", "Fourth."),
    ],
)
def test_a_section_goes_from_its_heading_to_the_next_that_is_not_below_it(
    words: str, first: str, last: str
) -> None:
    start, end = section_at(TEXT, TEXT.index(words))
    section = TEXT[start:end].strip()
    assert section.startswith(first)
    assert section.endswith(last)


def test_a_text_without_headings_is_one_section() -> None:
    assert section_at("No heading here.", 5) == (0, 16)
    assert section_at("", 0) == (0, 0)
