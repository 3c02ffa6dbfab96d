"""Where code and lists may be cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.units.joints import code_joints, code_units, entry_joints, parts_between

CODE = """import os

# Of a file.
@cached
def size(path):
    found = os.stat(path)

    return found.st_size


class Kept:
    def one(self):
        if self:
            return 1
        else:
            return 2
    def two(self):
        return (
            3
        )
"""
LINES = st.sampled_from(
    ["", "a = 1", "  b()", "    c()", "\td()", "}", "# note", "@mark", "- item", "   - in", ": so"]
)
TEXTS = st.lists(LINES, max_size=30).map("\n".join)


def lines_at(text: str, found: list[tuple[int, int]]) -> list[tuple[str, int]]:
    return [(text[at : text.index("\n", at)].strip(), rank) for at, rank in found]


def test_code_is_cut_before_comments_and_never_before_what_only_goes_on() -> None:
    assert lines_at(CODE, [*code_joints(CODE, 0, len(CODE))]) == [
        ("# Of a file.", 0),
        ("found = os.stat(path)", 3),
        ("return found.st_size", 2),
        ("class Kept:", 0),
        ("def one(self):", 3),
        ("if self:", 5),
        ("return 1", 7),
        ("return 2", 7),
        ("def two(self):", 3),
        ("return (", 5),
        ("3", 7),
    ]


def test_a_session_is_cut_before_any_of_its_prompts() -> None:
    text = ">>> one()\n1\n>>> two(\n...     3\n... )\n5\n"
    assert ">>> two(" in [words for words, _ in lines_at(text, [*code_joints(text, 0, len(text))])]


def test_lists_are_cut_before_items_and_terms() -> None:
    text = "- one\n  goes on\n  - inner\n- two\n\nTerm\n: is this\n: or that\nOther term\n: is that\n"
    assert [words for words, _ in lines_at(text, [*entry_joints(text, 0, len(text))])] == [
        "- inner",
        "- two",
        "Term",
        "Other term",
    ]


def test_units_are_as_large_as_they_may_be() -> None:
    found = [CODE[start:end] for start, end in code_units(CODE, 0, len(CODE), 120)]
    assert [one.split("\n")[0] for one in found] == [
        "import os",
        "# Of a file.",
        "class Kept:",
        "    def one(self):",
        "    def two(self):",
    ]


@given(TEXTS, st.integers(0, 60))
def test_parts_partition_the_text_and_fit_or_have_no_joint(text: str, longest: int) -> None:
    for joints in (code_joints(text, 0, len(text)), entry_joints(text, 0, len(text))):
        assert all(one.at < other.at for one, other in pairwise(joints))
        parts = [*parts_between(joints, 0, len(text), lambda start, end: end - start <= longest)]
        assert [parts[0].start, *(one.end for one in parts)] == [
            *(one.start for one in parts),
            len(text),
        ]
        for one in parts:
            inside = [joint for joint in joints if one.start < joint.at < one.end]
            assert not inside or one.end - one.start <= longest


@given(TEXTS)
def test_joints_are_where_lines_begin(text: str) -> None:
    for joint in (*code_joints(text, 0, len(text)), *entry_joints(text, 0, len(text))):
        assert text[joint.at - 1] == "\n"
