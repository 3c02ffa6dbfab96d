import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.quotation_marks import LONGEST, MOST_WITHIN, paired, unquoted
from webrag_desktop.text.quotations import (
    Paragraph,
    Quotation,
    count_words,
    quotations_in_markdown,
    quotations_in_paragraphs,
    quotations_in_text,
)


def held(text: str) -> list[str]:
    return [text[start:end] for start, end in paired(text)[0]]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('He said "it is so" twice.', ["it is so"]),
        ("He said “it is so” twice.", ["it is so"]),
        ("Er sagte „so ist es“ und ging.", ["so ist es"]),
        ("Powiedział „tak jest” i poszedł.", ["tak jest"]),
        ("Il dit « c’est ainsi » et part.", [" c’est ainsi "]),
        ("Er sagte »so ist es« und ging.", ["so ist es"]),
        ("Hän sanoi »näin on» ja lähti.", ["näin on"]),
        ("Han sade ”så är det” och gick.", ["så är det"]),
        ("Il dit ‹ainsi› et part.", ["ainsi"]),
        ("彼は「そうだ」と『本当に』言った。", ["そうだ", "本当に"]),
        ('他说"是这样"就走了。', ["是这样"]),
        ("He said ‘it is so’ twice.", ["it is so"]),
        ("Er sagte ‚so ist es‘ und ging.", ["so ist es"]),
        ("Typed “like this“ by hand.", ["like this"]),
    ],
)
def test_marks_of_many_countries_pair(text: str, quoted: list[str]) -> None:
    assert held(text) == quoted
    assert paired(text)[1] == []


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("“She said ‘go’ and “run” twice.”", ["She said ‘go’ and “run” twice."]),
        ("„Er sagte ‚geh‘ und “run” dann.“", ["Er sagte ‚geh‘ und “run” dann."]),
        ("「彼は『行け』と「走れ」と言った」", ["彼は『行け』と「走れ」と言った"]),
        ("« Il dit « va » et part »", [" Il dit « va » et part "]),
        ('“A "straight" one inside.”', ['A "straight" one inside.']),
        ('"It\'s “curly” inside."', ["It's “curly” inside."]),
    ],
)
def test_of_nested_pairs_the_outer_one_counts(text: str, quoted: list[str]) -> None:
    assert held(text) == quoted


@pytest.mark.parametrize(
    "text",
    [
        "It's the dogs' bones, rock 'n' roll, the '90s and ’tis.",
        "It’s the dogs’ bones, rock ’n’ roll and the ‘90s.",
        'A 6" pipe of 5\'10" and a 3.5" disk.',
        "A 6” pipe.",
    ],
)
def test_apostrophes_and_inches_are_no_quotations(text: str) -> None:
    assert paired(text) == ([], [])


def test_inches_and_apostrophes_within_a_quotation_do_not_end_it() -> None:
    assert held('"It was 6" long, no less" he said.') == ['It was 6" long, no less']
    assert held('"It was in 1984" and "so on" he said.') == ["It was in 1984", "so on"]
    assert held("‘The dogs’ bones don’t lie,’ he said.") == ["The dogs’ bones don’t lie,"]


def test_a_mark_without_a_partner_is_reported_and_spoils_no_other() -> None:
    text = 'An “open one and a "closed one" and » too.'
    assert held(text) == ["closed one"]
    assert [text[at] for at in paired(text)[1]] == ["“", "»"]


def test_a_quotation_does_not_reach_without_end() -> None:
    assert paired("“" + "x" * LONGEST + "”")[0] == []
    for inner, first in ((MOST_WITHIN // 2 - 1, 1), (MOST_WITHIN // 2, len("“a “"))):
        assert paired("“" + "a “b” " * inner + "”")[0][0][0] == first


def test_markdown_is_read_by_lines_without_its_markup() -> None:
    found = quotations_in_markdown(
        '# On “tide *pools* at night”\n\nHe [wrote](https://a.example "not this title") that\n'
        "“limpets **clamp** to\nthe rock”[^1] and left.\n\n[^1]: Also “in a foot note”[^2].\n"
    )
    assert found.found == (
        Quotation("tide pools at night", 1),
        Quotation("limpets clamp to\nthe rock", 4),
        Quotation("in a foot note", 7),
    )
    assert found.unpaired == ()


def test_a_note_within_a_quotation_is_no_part_of_it() -> None:
    (one,) = quotations_in_markdown("“Limpets[^9] clamp.”").found
    assert one.text == "Limpets clamp."


def test_code_and_front_matter_are_no_quotations() -> None:
    text = (
        '---\ntitle: "Of limpets and men"\n---\n\nRun `print("one two three")`, not "four `"five"` six".\n\n'
        '```\n"seven eight nine"\n```\n\n    "indented code here"\n'
    )
    assert [(one.text, one.place) for one in quotations_in_markdown(text).found] == [('four "five" six', 5)]


def test_marks_of_latex_are_read_though_they_look_like_code() -> None:
    text = "He wrote ``limpets clamp'' and ``snails do not,'' but ``x = ''``."
    assert [one.text for one in quotations_in_markdown(text).found] == ["limpets clamp", "snails do not,"]
    assert [one.text for one in quotations_in_text(text).found] == ["limpets clamp", "snails do not,"]


def test_a_pair_crosses_neither_paragraphs_nor_cells() -> None:
    found = quotations_in_markdown(
        "An “open one\n\nand a late” end.\n\n| “a | b” |\n|---|---|\n| “c d” | e |\n"
    )
    assert [(one.text, one.place) for one in found.found] == [("c d", 7)]
    assert found.unpaired == (1, 3, 5, 5)


def test_a_quotation_of_several_paragraphs_opens_each_and_closes_the_last() -> None:
    found = quotations_in_markdown("“First part\n\n“second part\n\n“third part” and so on.\n")
    assert [(one.text.strip(), one.place) for one in found.found] == [
        ("First part", 1),
        ("second part", 3),
        ("third part", 5),
    ]
    assert found.unpaired == ()


def test_each_block_quotation_is_one() -> None:
    text = (
        "Text.\n\n> One *block* of\n> two lines with “marks” inside.\n>\n> Its second paragraph.\n> — Ada, *Notes*\n\n"
        "> Another one [@ada1843, p. 3]\n\n> “In marks.”\n"
    )
    assert quotations_in_markdown(text).found == (
        Quotation("One block of\ntwo lines with “marks” inside.\n\nIts second paragraph.", 3, is_block=True),
        Quotation("Another one", 9, is_block=True),
        Quotation("In marks.", 11, is_block=True),
    )


def test_text_is_read_as_it_is() -> None:
    found = quotations_in_text(
        'A *“starred one”* here.\n\n> quoted by\n> its sign\nand "more\nwords" there.\n'
    )
    assert found.found == (
        Quotation("starred one", 1),
        Quotation("quoted by\nits sign", 3, is_block=True),
        Quotation("more\nwords", 5),
    )


def test_paragraphs_set_as_quotations_are_joined() -> None:
    found = quotations_in_paragraphs(
        [
            Paragraph(1, "He said “it is so” then."),
            Paragraph(2, "One block.", is_quote=True),
            Paragraph(3, "It goes on.", is_quote=True),
            Paragraph(4, "– Ada", is_quote=True),
            Paragraph(5, "End with “another one”."),
        ]
    )
    assert found.found == (
        Quotation("it is so", 1),
        Quotation("One block.\n\nIt goes on.", 2, is_block=True),
        Quotation("another one", 5),
    )


@pytest.mark.parametrize(
    ("text", "words"), [("well-known it’s 3", 3), ("これは引用です", 4), ("…", 0), ("Τι είναι αυτό", 3)]
)
def test_words_are_counted_in_any_script(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (" “Limpets clamp.” ", "Limpets clamp."),
        ("“Limpets clamp” (Ada 1843, p. 3).", "Limpets clamp"),
        ('"Limpets clamp" [12]', "Limpets clamp"),
        ("``Limpets clamp.''", "Limpets clamp."),
        ("Limpets “clamp”", "Limpets “clamp”"),
        ("“Limpets” and “snails”", "“Limpets” and “snails”"),
        ("“Limpets” clamp", "“Limpets” clamp"),
        ("Limpets clamp", "Limpets clamp"),
    ],
)
def test_marks_around_a_whole_quotation_are_taken_off(text: str, quoted: str) -> None:
    assert unquoted(text) == quoted


_PIECES = ['"', "“", "”", "„", "«", "»", "‘", "’", "'", "`", "``", "''", "> ", "\n", "\n\n", "word ", "|", "- ", "[^1]",
           "*", "<b>", "&quot;", "\\", "```\n", "---\n", '6"', "「", "」", '[x](y "z")', "    "]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_whatever_is_written_every_place_is_a_line_of_it(text: str) -> None:
    for found in (quotations_in_markdown(text), quotations_in_text(text)):
        places = [*(one.place for one in found.found), *found.unpaired]
        assert all(1 <= place <= text.count("\n") + 1 for place in places)
        assert all(count_words(one.text) for one in found.found)


def test_marks_around_nothing_quote_nothing() -> None:
    assert quotations_in_markdown('An empty “” pair, "…" and “—”.').found == ()


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        (
            "Intro.\n\n<blockquote>\nLimpets **clamp** on.\n\nAnd so on.\n<footer>Smith</footer>\n</blockquote>\n\n"
            "“So it is.”",
            [("Limpets clamp on.\n\nAnd so on.", 4, True), ("So it is.", 10, False)],
        ),
        (
            '<blockquote cite="https://a.example/">Limpets <em>clamp</em> on.</blockquote> and “so on”.',
            [("Limpets clamp on.", 1, True), ("so on", 1, False)],
        ),
        (
            "One <BLOCKQUOTE>outer <blockquote>inner</blockquote> end</BLOCKQUOTE>",
            [("outer inner end", 1, True)],
        ),
        ("`<blockquote>` is “a tag” </blockquote>", [("a tag", 1, False)]),
        ("<blockquote>never closed “so on”", [("so on", 1, False)]),
        ("He said <q>limpets **clamp** on</q> then.", [("limpets clamp on", 1, False)]),
        ("| “so on” | b |\n|---|---|\n| <blockquote>c</blockquote> | d |", [("so on", 1, False)]),
    ],
)
def test_html_that_quotes_is_read(markdown: str, found: list[tuple[str, int, bool]]) -> None:
    assert list(map(tuple, quotations_in_markdown(markdown).found))[: len(found)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He said 'limpets clamp on' to 'it isn't so'.", ["limpets clamp on", "it isn't so"]),
        ("'Limpets eat,' he said, 'no snails.'", ["Limpets eat,", "no snails."]),
        ("'The dogs' bones don't lie,' he said.", ["The dogs' bones don't lie,"]),
        ("'He said \"no\" to me' and \"'so' it is\"", ['He said "no" to me', "'so' it is"]),
        ("Rock 'n' roll 'tis, in the '90s the boys' and the girls' bowls weren't Ann's 'cause of it.", []),
    ],
)
def test_straight_single_marks_quote_where_they_are_no_apostrophes(text: str, found: list[str]) -> None:
    assert held(text) == found
    assert paired(text)[1] == []
