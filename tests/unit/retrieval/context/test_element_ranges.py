import pytest

from webrag_desktop.retrieval.context.rendering import element_range

TABLE = "Heights:\n\n| day | height |\n| --- | ---: |\n| 1 | 3.1 |\n| 2 | 3.4 |\n| 3 | 3.9 |\n\nMore."
LIST = "Steps:\n\n- one\n- two\n  goes on\n- three\n\nMore."
NESTED = "Steps:\n\n- one\n  - first of one\n  - second of one\n- two\n"
NUMBERED_WITHIN = "Steps:\n\n1. one\n   1. a\n   2. b\n   3. c\n2. two\n"
NUMBERED = "Steps:\n\n7. seven\n8. eight\n9. nine"


@pytest.mark.parametrize(
    ("text", "part", "rows", "items"),
    [
        (TABLE, "| 2 | 3.4 |\n| 3 | 3.9 |", (2, 3), None),
        (TABLE, TABLE[TABLE.index("|") : TABLE.rindex("|") + 1], (1, 3), None),
        (TABLE, "| day | height |", None, None),
        (TABLE, "| 3 | 3.9 |\n\nMore.", None, None),
        ("| 2 | 3.4 |", "| 2 | 3.4 |", None, None),
        (LIST, "- two\n  goes on\n- three", None, (2, 3)),
        (LIST, "- one", None, (1, 1)),
        ("- two\n- three", "- three", None, None),
        (NUMBERED, "8. eight\n9. nine", None, (8, 9)),
        (LIST, "Steps:\n\n- one", None, None),
        (NESTED, "- two", None, (2, 2)),
        (NESTED, NESTED[8:].rstrip(), None, (1, 2)),
        (NESTED, "- one\n  - first of one", None, (1, 1)),
        (NESTED, "  - second of one", None, (2, 2)),
        (NESTED, "  - second of one\n- two", None, None),
        (NUMBERED_WITHIN, "1. one\n   1. a\n   2. b\n   3. c", None, (1, 1)),
        (NUMBERED_WITHIN, "   3. c\n2. two", None, None),
        (LIST, "\n", None, None),
        ("Steps:\n\n- one\n-\n- three", "- one\n-\n- three", None, (1, 3)),
    ],
)
def test_rows_and_items_are_counted_where_they_can_be(
    text: str, part: str, rows: tuple[int, int] | None, items: tuple[int, int] | None
) -> None:
    start = text.index(part)
    assert element_range(text, start, start + len(part)) == (rows, items)
