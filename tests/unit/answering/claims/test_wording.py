"""Of a claim's words only those are a quotation that were found; the rest is plain text without marks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.answering.claims.reading import KnownIds
from webrag_desktop.answering.claims.wording import MARKS, ClaimWording, Quoted
from webrag_desktop.retrieval.contracts.answer_events import ClaimPart

STORED = "Limpets clamp their shells to the rock; they don't move. max_depth is 5. 他说你好。 Felsen"


def quoter(words: str) -> Quoted | None:
    return Quoted(words, 1) if words in STORED else None


def worded(text: str, step: int = 3) -> list[ClaimPart]:
    """The parts of a claim that comes in pieces; what was shown on the way is what it reads in the end."""
    wording = ClaimWording(KnownIds([f"s{n}" for n in range(1, 31)]), quoter, lambda _word: False)
    shown = "".join(wording.feed(text[at : at + step]) for at in range(0, len(text), step)) + wording.end()
    assert shown == wording.text
    for part in wording.parts:
        if part.kind != "verified_quote":
            assert not [
                m
                for m in re.finditer(r".?(.)", part.text)
                if m[1] in MARKS and not m[0][0].isalnum() and m[1] not in "'’"
            ], part
    return wording.parts


def reported(text: str, step: int = 3) -> list[tuple[str, str]]:
    return [(part.kind[0], part.text) for part in worded(text, step)]


@pytest.mark.parametrize("step", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They “clamp their shells”, so.", [("t", "They "), ("v", "“clamp their shells”"), ("t", ", so.")]),
        ('He "clamp their shells," he', [("t", "He "), ("v", '"clamp their shells"'), ("t", ", he")]),
        ("They “fly” off", [("t", "They "), ("u", "fly"), ("t", " off")]),
        (
            "the dogs' bone, don't 'fly away' the '90s",
            [("t", "the dogs' bone, don't "), ("u", "fly away"), ("t", " the '90s")],
        ),
        ("O’Neill’s ’clamp’ it", [("t", "O’Neill’s "), ("v", "’clamp’"), ("t", " it")]),
        ("„Felsen“ und »Sand«", [("v", "„Felsen“"), ("t", " und "), ("u", "Sand")]),
        (
            "他说“你好”。他说「不好」。",
            [("t", "他说"), ("v", "“你好”"), ("t", "。他说"), ("u", "不好"), ("t", "。")],
        ),
        (
            "&quot;Limpets fly&quot; &amp;quot;clamp&amp;quot;",
            [("u", "Limpets fly"), ("t", " "), ("v", '"clamp"')],
        ),
        ("<q>Limpets fly</q> <b>off</b>", [("u", "Limpets fly"), ("t", " off")]),
        ("`max_depth` and `foo`", [("v", "“max_depth”"), ("t", " and "), ("u", "foo")]),
        ("``clamp'' and ''fly high''", [("v", "“clamp”"), ("t", " and "), ("u", "fly high")]),
        ("```\nLimpets fly\n```", [("u", "Limpets fly")]),
        ("> Limpets fly\n\nso", [("u", "Limpets fly"), ("t", " so")]),
        ("<<fly>> off", [("u", "fly"), ("t", " off")]),
        ("open “Limpets fly", [("t", "open "), ("u", "Limpets fly")]),
        ("closed” it", [("t", "closed it")]),
        ("“he said ‘clamp’ there”", [("u", "he said "), ("v", "‘clamp’"), ("u", " there")]),
        ('a 5" pipe', [("t", "a 5″ pipe")]),
        (
            "so \\(x^2 \\text{“a b”}\\) and $y_i$ for $5 and $6",
            [("t", "so \\(x^2 \\text{a b}\\) and $y_i$ for $5 and $6")],
        ),
        ("**x** [t](http://e) ![alt](u) _i_ [s3] y (s4, s5). [Source 2: X]", [("t", "x t alt i y.")]),
        ("[s3]: So s7 it is [s1 - s3].", [("t", "So it is.")]),
        ("a\u202eb\x1b[31m c\u200b", [("t", "ab[31m c")]),
        ("x < 3 & y * z - 5. May", [("t", "x < 3 & y * z - 5. May")]),
        ("<script>alert(1)</script>", [("t", "alert(1)")]),
        ("[Ѕource 1: Tides] so", [("t", "(Ѕource 1: Tides) so")]),
        ("“”", []),
        ("One.\n \nTwo\nlines. “clamp” so", [("t", "One.\n\nTwo lines. "), ("v", "“clamp”"), ("t", " so")]),
        (
            "\n\nSo “clamp their\n\nshells” is",
            [("t", "\n\nSo "), ("v", "“clamp their shells”"), ("t", " is")],
        ),
        ("So\n\n“clamp”\n\n", [("t", "So\n\n"), ("v", "“clamp”")]),
        ("So [s3]\n\n[s4] it\n\n, is。\n\n他", [("t", "So\n\nit\n\n, is。\n\n他")]),
    ],
)
def test_words_are_plain_and_quotations_found(text: str, expected: list[tuple[str, str]], step: int) -> None:
    assert reported(text, step) == expected


def test_a_quotation_is_held_back_until_it_closes() -> None:
    wording = ClaimWording(KnownIds(["s1"]), quoter, lambda _word: False)
    assert wording.feed("They say “clamp their ") == ""
    assert wording.feed("shells” ").strip() == "They say “clamp their shells”"


def test_an_id_that_is_a_word_of_the_texts_stays() -> None:
    wording = ClaimWording(KnownIds(["s3"]), quoter, {"s3"}.__contains__)
    wording.feed("The s3 bucket")
    wording.end()
    assert wording.text == "The s3 bucket"


@given(
    st.text(alphabet="ab s3.“”\"'«»„‘’`<q>/&quot;[](){}*_$\\\n!。「」", max_size=60),
    st.integers(1, 7),
)
def test_no_mark_is_left_around_what_was_not_found(text: str, step: int) -> None:
    worded(text, step)


@pytest.mark.parametrize("mark", ["“a ", "«a ", "„a ", "「", "“‘a ", "<q>a ", "> “a\n"])
def test_quotations_in_quotations_have_an_end(mark: str) -> None:
    parts = worded(mark * (2_000 // len(mark)), 500)
    assert all(part.kind != "verified_quote" or "a" in part.text for part in parts)


def test_what_is_quoted_deep_within_others_is_looked_for_to_a_depth() -> None:
    asked: list[str] = []

    def noted(words: str) -> Quoted | None:
        asked.append(words)
        return None

    wording = ClaimWording(KnownIds(["s1"]), noted, lambda _word: False)
    wording.feed("“a " * 300)
    wording.end()
    assert len(asked) < 10


def test_the_words_of_the_instruction_are_no_answer() -> None:
    assert reported("They clamp [Source n] here (source n), at [Source 2: Tides].") == [
        ("t", "They clamp here, at.")
    ]
