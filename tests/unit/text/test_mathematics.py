"""Formulas are found where they stand, and nothing else is taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.markdown_documents import ANY_TEXT
from webrag_desktop.text.mathematics import LONGEST_FORMULA, Formula, formulas, mathml_by_reading, structured


def sources(text: str) -> list[str]:
    return [formula.source for formula in formulas(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("where $x$ is", [("$x$", "x", False)]),
        ("the $n$th and the $k$s", [("$n$", "n", False), ("$k$", "k", False)]),
        ("$$\nx^2\n$$", [("$$\nx^2\n$$", "x^2", True)]),
        ("so \\(a_1\\) and\n\\[b^2\\]", [("\\(a_1\\)", "a_1", False), ("\\[b^2\\]", "b^2", True)]),
        ("```math\na + b\n```\n", [("```math\na + b\n```\n", "a + b", True)]),
        ("a <math><mi>x</mi></math> b", [("<math><mi>x</mi></math>", "<math><mi>x</mi></math>", False)]),
        ('<math display="block"><mi>x</mi></math>', [('<math display="block"><mi>x</mi></math>',) * 2 + (True,)]),
        ("$\\text{costs \\$5}$", [("$\\text{costs \\$5}$", "\\text{costs \\$5}", False)]),
        ("$$\\text{if $x$ holds}$$", [("$$\\text{if $x$ holds}$$", "\\text{if $x$ holds}", True)]),
        ("𝕊 is $𝔸$.", [("$𝔸$", "𝔸", False)]),
        ("> $$\n> a\n> $$", [("$$\n> a\n> $$", "a", True)]),
        ("`code` and $x$", [("$x$", "x", False)]),
    ],
)  # fmt: skip
def test_formula_with_its_signs_and_source(text: str, found: list[tuple[str, str, bool]]) -> None:
    assert [(text[f.start : f.end], f.source, f.display) for f in formulas(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $10",
        "from $5-$10 a head",
        "US$5 or CA$6",
        "$5 for the first and 10$ for the others",
        "set $HOME/bin:$PATH there",
        "an escaped \\$x\\$ sign",
        "in `$code$` and ``a ` $b$``",
        "```\n$x$ and $$y$$\n```",
        "~~~sh\necho $a$\n~~~",
        "a $ b $ c",
        "$x\n\ny$",
        "$$\n\n$$",
        "a reference \\[1\\], and \\(an aside\\)",
        "<mathematics>x</mathematics>",
        "<math><mi>x</mi>",
        "",
    ],
)
def test_what_is_no_formula(text: str) -> None:
    assert formulas(text) == []


def test_latex_that_markdown_escapes_is_read_as_it_was_meant() -> None:
    assert sources(r"prose \\(a\_i \* b\_j\\) and $$\\sum\_{i=1}^n a\_i$$") == [
        r"a_i * b_j",
        r"\sum_{i=1}^n a_i",
    ]
    assert sources(r"raw $k\_x \times \{1\}$ stays") == [r"k\_x \times \{1\}"]
    assert sources("| a | b |\n| --- | --- |\n| $\\|x\\|$ | $y$ |") == ["|x|", "y"]


def test_number_of_an_equation_is_kept_beside_it() -> None:
    assert sources("$$(2)\\[a = b\\]$$") == ["a = b \\qquad (2)"]


def test_closing_sign_behind_a_fence_is_still_found() -> None:
    assert sources("a $$x\n\n```\ncode\n```\n\nb $$y$$ c") == ["y"]


MATHML = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"


def test_mathml_is_found_by_what_it_reads_as() -> None:
    known = mathml_by_reading(f"<p>a {MATHML} b <math><mi>q</mi><annotation>q</annotation></math></p><math")
    assert known == {"x2": MATHML}
    assert structured(Formula(0, 5, "x  2"), known) == Formula(0, 5, MATHML, "mathml")
    assert structured(Formula(0, 5, "x^2"), known) == Formula(0, 5, "x^2")


SIGNS = st.lists(
    st.sampled_from(
        ["$", "$$", "\\(", "\\)", "\\\\(", "\\\\)", "\\[", "\\]", "`", "```", "```math", "<math>", "</math>", "\\",
         "x", "a_1", "5", " ", "\n", "\n\n", "> ", "| ", "𝔸", "|---|"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(st.one_of(SIGNS, ANY_TEXT))
def test_formulas_are_in_order_within_the_text_and_do_not_overlap(text: str) -> None:
    position = 0
    for formula in formulas(text):
        assert position <= formula.start < formula.end <= len(text)
        assert formula.source.strip()
        assert text[formula.start] in "$\\<`~ >-*+0123456789"
        position = formula.end


def test_what_is_longer_than_any_formula_stays_text() -> None:
    for before, after in (("$$", "$$"), (r"\[", r"\]"), ("```math\n", "\n```")):
        source = "x^2".ljust(LONGEST_FORMULA, "x")
        assert [one.source for one in formulas(f"{before}{source}{after}")] == [source]
        assert formulas(f"{before}{source}x{after}") == []


@pytest.mark.parametrize(
    "part", ["$a ", "$", "$$a", "\\(", "\\\\(", "`$", "<math ", "$a\\", "$aa ", "``` `", "\\[x", "$`"]
)
def test_hostile_text_takes_linear_time(part: str) -> None:
    formulas(part * 200_000)  # quadratic time would be hours
