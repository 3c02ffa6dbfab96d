"""Text of hostile pages: nothing turns the reading direction, and words that need joiners keep them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.printable import printable, title_line, without_turning


@pytest.mark.parametrize(
    "char", [*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\ufeff\x1b\x00"]
)
def test_titles_lose_what_steers_or_hides(char: str) -> None:
    assert title_line(f"{char}invoice{char}gnp.exe {char} x\n{char}") == "invoicegnp.exe x"


def test_titles_keep_joiners_and_every_script() -> None:
    title = "می\u200cخواهم 👩\u200d🔧 שלום क्\u200dष"
    assert title_line(f" {title}\n") == title


def test_a_mark_shows_what_was_there() -> None:
    assert printable("a\u202eb\n\tc") == "a\ufffdb\n\tc"


def test_what_turns_the_reading_direction_is_marked_in_its_place() -> None:
    turning = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    reversed_ends = turning[:5] + turning[:4:-1]
    assert without_turning(f"a{reversed_ends}b\u200fשלום") == "a" + "\ufffd" * 9 + "b\u200fשלום"


LRI, RLI, FSI, PDI, RLM = "\u2066", "\u2067", "\u2068", "\u2069", "\u200f"


@pytest.mark.parametrize(
    "text",
    [
        f"הכתובת היא {LRI}https://example.org/a-b{PDI} והטלפון {LRI}03-555 12{PDI}.",
        f"The town {RLI}חיפה (עיר){PDI} and {FSI}القاهرة{PDI}.",
        f"Open {FSI}notes.txt{PDI} or {FSI}3{PDI} more {FSI}{PDI}.",
        f"{RLI}שלום {LRI}(C++){PDI} 1–2{PDI}",
        f"{FSI}{LRI}a{PDI} ב{PDI}",
        f"{RLI}({LRI}a{PDI}) ב{PDI}",
    ],
)
def test_isolates_that_run_as_their_letters_do_stay(text: str) -> None:
    assert without_turning(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"{RLI}not guilty{PDI}",
        f"{RLI}100 – 20{PDI}",
        f"{RLI}{RLM}not {RLM}guilty{PDI}",
        f"{FSI}\u061cnot {RLM}guilty{PDI}",
        f"{RLI}{LRI}not {PDI}{LRI}guilty{PDI}{PDI}",
        f"{RLI}ש",
        f"{RLI}ש\n{PDI}",
        f"{RLI}ש\t{PDI}",
        f"{RLI}ש\u2028{PDI}",
        f"{LRI}a\x85{PDI}",
        f"{PDI}{LRI}",
        f"{RLI}{'(' * 50}ש{PDI}",
        f"{FSI}\u202e{RLM}a\u202c{PDI}",
        f"{RLI}{RLI}1{PDI}ש{PDI}",
        f"{FSI}{FSI}{RLM}a{PDI}{RLM}b{PDI}",
        f"{FSI}\u05ffguilty {RLM}not{PDI}",
    ],
)
def test_isolates_that_nothing_visible_turns_or_that_do_not_end_are_marked(text: str) -> None:
    shown = without_turning(text)
    assert len(shown) == len(text)
    assert not set(f"{LRI}{RLI}{FSI}{PDI}") & set(shown.replace(f"{LRI}not {PDI}{LRI}guilty{PDI}", ""))


def test_right_to_left_marks_stay_beside_letters_that_run_so_only() -> None:
    assert without_turning(f"{RLM}not {RLM}guilty, \u061c10 – 2") == "\ufffdnot \ufffdguilty, \ufffd10 – 2"
    assert without_turning(f"{RLM}HTML {RLM}10 – 2, שלום") == f"{RLM}HTML {RLM}10 – 2, שלום"


@given(st.text(st.sampled_from(f"{LRI}{RLI}{FSI}{PDI}\u202e\u202c{RLM}\nשa1 ")))
def test_what_stays_of_turning_is_balanced_on_its_line_and_nothing_else_changes(text: str) -> None:
    shown = without_turning(text)
    changed = {(read, seen) for read, seen in zip(text, shown, strict=True) if read != seen}
    assert changed <= {(char, "\ufffd") for char in f"{LRI}{RLI}{FSI}{PDI}\u202e\u202c{RLM}"}
    assert without_turning(shown) == shown
    for line in shown.split("\n"):
        depth = 0
        for char in line:
            depth += (char in f"{LRI}{RLI}{FSI}") - (char == PDI)
            assert depth >= 0
        assert depth == 0
        assert not set("\u202e\u202c") & set(line)
