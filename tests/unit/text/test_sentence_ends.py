"""Looking for signs first finds every stop that reading the whole text for stops finds."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text import sentence_ends


@given(st.text(alphabet="aA1 .!?…。！？｡．؟۔।॥日「」]”’)^[¹\n", max_size=40))
def test_no_stop_is_missed_and_none_is_found_inside_another(text: str) -> None:
    found = [stop.span() for stop in sentence_ends._stops(text)]
    assert found == [stop.span() for stop in sentence_ends._STOP.finditer(text)]


@pytest.mark.parametrize("sign", ["¹", "”", ")", "*", "[1]", "<sup>1</sup>", "¹)"])
def test_no_row_of_marks_behind_a_stop_takes_for_ever(sign: str) -> None:
    """In a process of its own, since nothing else ends a search for a pattern."""
    text = f"He said so.{sign * 60}x and went on. Then he left."
    program = (
        "import sys; from webrag_desktop.text import sentence_ends as s; print(s.sentence_ends(sys.argv[1]))"
    )
    reported = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, text],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert reported.stdout.strip() == str([text.index("Then"), len(text)])


@pytest.mark.parametrize(
    ("text", "sentences"), [("'(7). ' * 60_000", 1), ("'1 ' * 60_000 + 'Ab. ' * 30_000", 30_000)]
)
def test_nothing_is_read_again_at_each_stop(text: str, sentences: int) -> None:
    """In a process of its own; that took minutes."""
    program = (
        f"from webrag_desktop.text.sentences import split_sentences; print(len(split_sentences({text})))"
    )
    reported = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert reported.stdout.strip() == str(sentences)
