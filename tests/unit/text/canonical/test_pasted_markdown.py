"""Pasted Markdown reads without its marks, unless these may be words, numbers or signs."""

import pytest

from webrag_desktop.text.canonical.shown_marks import marks_before, pasted_markdown, without_notes


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("**a** and `b`", "a and b"),
        ("[a](https://x.example/y 'title') b", "a b"),
        ("[a](#there) and ![b](pic.png)", "a and b"),
        ("a <em class='x y'>b</em><br/> c", "a b c"),
        ("[a](x.html) [b](/y_(z)) [c](<some where>) [d]()", "a b c d"),
        ("> a\n> b", "a\nb"),
        ("```py\na\n```", "a\n"),
        ("| a | b |\n|---|---|\n| c | d |", "a b\nc d"),
        ("&lt;a&gt;", "<a>"),
        ("中**文**字", "中文字"),
        ("[a][r]\n\n[r]: https://x.example", "a\n\n"),
    ],
)
def test_marks_are_taken_off(text: str, read: str) -> None:
    found = pasted_markdown(text)
    assert found is not None
    assert (found.plain.text, found.line_marks) == (read, ())


@pytest.mark.parametrize(
    "text",
    [
        "no marks, 2 * 3",
        "2*3*4",
        "a*b*c",
        "a <never a> b",
        "a <b and c> d",
        "a <p> b",
        "a [b](2.5) c",
        "a <!-- not --> b",
        "the data [were](not) lost",
        "[note]: the sea is not blue\nb",
        "10<sup>6</sup>8",
    ],
)
def test_what_may_be_words_stays(text: str) -> None:
    assert pasted_markdown(text) is None


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("- 5 m", [(0, "•")]),
        ("> 5 m", [(0, ">")]),
        ("# 5", [(0, "#")]),
        ("* $5", [(0, "•")]),
        ("2. a\n3. b", [(0, "2."), (2, "3.")]),
        ("- a\n- 1 b", [(2, "•")]),
    ],
)
def test_marks_that_could_be_read_are_reported(text: str, marks: list[tuple[int, str]]) -> None:
    found = pasted_markdown(text)
    assert found is not None
    assert list(found.line_marks) == marks


def test_marks_in_front_of_a_place() -> None:
    assert marks_before("a\n> - 12. b", 10) == ">•12."
    assert marks_before("a - b", 4) == ""


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("deep.[1] It", "deep. It"),
        ("deep,[1][23] it", "deep, it"),
        ("“deep.”¹² It", "“deep.” It"),
        ("deep.^3", "deep."),
        ("深い。[1]次", "深い。次"),
    ],
)
def test_marks_of_notes_behind_a_stop_go(text: str, without: str) -> None:
    assert without_notes(text).text == without


@pytest.mark.parametrize(
    "text", ["deep[1] it", "f(x)[1]", "0.[3] it", "deep. [1] it", "x.[1] it", "deep.[1]9", "cm²"]
)
def test_other_brackets_stay(text: str) -> None:
    assert without_notes(text).text == text
