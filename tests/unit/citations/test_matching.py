"""A quotation is found where it stands, as faithfully as it does, and never more so."""

import pytest

from tests.support.read_texts import read_text
from webrag_desktop.citations.matching import QuoteMatch, faithful_places, find_quote

TEXT = """# Tide pools

Where the **sea** meets rock, *limpets* clamp their shells. It wasn't cold: the pool was at -5 degrees, 3.14 metres
deep.

Crabs walk sideways. Fish &amp; chips cost 20 at the [pier](https://pier.example/menu "Menu").

| Animal | Legs |
|---|---|
| crab | ten |
| limpet | none |

1. Look first
2. Touch `nothing_here` at all
"""


def grade(markdown: str, quote: str) -> str:
    """The grade of a quotation's best place, ``none`` where there is none."""
    found = find_quote(quote, read_text(markdown))
    return found[0].grade if found else "none"


def stands(markdown: str, quote: str) -> tuple[str, str]:
    """The grade of its only place, and what the markdown holds there."""
    (found,) = find_quote(quote, read_text(markdown))
    return found.grade, markdown[found.start : found.end]


def reported(markdown: str, quote: str) -> list[tuple[str, str]]:
    """What its nearest place says otherwise, with every offset checked."""
    found = find_quote(quote, read_text(markdown))
    assert [one.grade for one in found] == ["near"] * len(found)
    assert found
    for one in found[0].differences:
        assert found[0].start <= one.char_start <= one.char_end <= found[0].end
        assert quote[one.quote_start : one.quote_end].split() == one.quoted.split()
        assert bool(one.stored) == (one.char_start < one.char_end)
    return [(one.quoted, one.stored) for one in found[0].differences]


@pytest.mark.parametrize(
    "quote",
    [
        "Where the **sea** meets rock",
        "clamp their shells. It wasn't cold",
        "Touch `nothing_here` at all",
        "[pier](https://pier.example/menu",
        "| crab | ten |",
        "shells. It wasn't cold: the pool was at -5 degrees, 3.14 metres\ndeep.\n\nCrabs walk",
    ],
)
def test_what_stands_letter_for_letter_is_exact(quote: str) -> None:
    assert stands(TEXT, quote) == ("exact", quote)
    assert stands(TEXT, f" \n{quote}\t") == ("exact", quote)


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("Where the sea meets rock", "Where the **sea** meets rock"),
        ("rock, limpets clamp", "rock, *limpets* clamp"),
        ("limpets clamp", "limpets* clamp"),
        ("It wasn’t   cold:\nthe pool", "It wasn't cold: the pool"),
        ("Fish & chips cost", "Fish &amp; chips cost"),
        ("at the pier.", 'at the [pier](https://pier.example/menu "Menu").'),
        ("crab ten", "crab | ten"),
        ("Animal\tLegs\ncrab\tten", "Animal | Legs |\n|---|---|\n| crab | ten"),
        ("Look first\nTouch nothing_here", "Look first\n2. Touch `nothing_here"),
        ("Tide pools Where the sea", "Tide pools\n\nWhere the **sea"),
    ],
)
def test_what_reads_the_same_is_exact_as_rendered(quote: str, there: str) -> None:
    assert stands(TEXT, quote) == ("exact_as_rendered", there)


@pytest.mark.parametrize(
    "quote",
    [
        '"{}"',
        "“{}”",
        "„{}“",
        "«{}»",
        "« {} »",
        "'{}'",
        "‘{}’",
        "「{}」",
        "“'{}'”",
        "❝{}❞",
        "﹁{}﹂",
        '“{}"',
        "“{}“",
    ],
)
def test_quotation_marks_around_it_do_not_count(quote: str) -> None:
    assert stands(TEXT, quote.format("Crabs walk sideways.")) == ("exact", "Crabs walk sideways.")


def test_quotation_marks_of_the_text_stay() -> None:
    assert stands('He said "no" and "yes" twice', '"no" and "yes"') == ("exact", '"no" and "yes"')
    assert grade("the dogs bark", "the dogs'") == "none"


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("soft\u00adware of\u200b old", "software of old"),
        ("ﬁnd the eﬃcient ﬂow", "find the efficient flow"),
        ("find the flow", "ﬁnd the ﬂow"),
        ("he said “it’s ‘so’”", "he said \"it's 'so'\""),
        ("cafe\u0301 nai\u0308ve", "café naïve"),
        ("café naïve", "cafe\u0301 nai\u0308ve"),
        ("20\u00a0000 kg\u2009m", "20 000 kg m"),
        ("ＡＢＣ １２３！", "ABC 123!"),
        ("wait… what", "wait... what"),
        ("well\u2011known and north\u2010west", "well-known and north-west"),
        ("5 \u00b5m wide", "5 \u03bcm wide"),
        ("한국어 문장", "\u1112\u1161\u11ab국어 문장"),
        ("ｶﾞﾗｽ の", "ガラスの"),
        ("ﻻ شيء", "لا شيء"),
        ("I ❤\ufe0f tea", "I ❤ tea"),
        ("tea ❤\ufe0f", "tea ❤"),
    ],
)
def test_ways_to_write_the_same_characters_read_the_same(markdown: str, quote: str) -> None:
    assert stands(markdown, quote) == ("exact_as_rendered", markdown)


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("an exam-\nple of it", "an example of it"),
        ("an exam\u00ad\nple of it", "an example of it"),
        ("a well-\nknown pool", "a well-known pool"),
        ("a well-known pool", "a well-\nknown pool"),
        ("an example of it", "an exam-\nple\nof it"),
        ("an example of it", "an exam- ple of it"),
        ("the AMERI-\nCAN crab", "the AMERICAN crab"),
        ("the Anglo-\nAmerican crab", "the Anglo-American crab"),
        ("from 10-\n20 days", "from 10-20 days"),
        ("pre-\nand postwar", "pre- and postwar"),
        ("検索拡張\n生成は 文書", "検索拡張生成は文書"),
        ("検索拡張生成は文書", "検索拡張\n生成は文書"),
        ("使用 Python 语言", "使用Python语言"),
        ("แมวกิน\nปลา", "แมวกินปลา"),
        ("고양이가 생\n선을 먹는다", "고양이가 생선을 먹는다"),
    ],
)
def test_line_breaks_and_hyphens_at_line_ends_read_the_same(markdown: str, quote: str) -> None:
    assert stands(markdown, quote) == ("exact_as_rendered", markdown)


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("to re-sign the lease", "to resign the lease"),
        ("to resign the lease", "to re-sign the lease"),
        ("the Anglo-\nAmerican crab", "the AngloAmerican crab"),
        ("from 10-\n20 days", "from 1020 days"),
        ("from 10 to 20", "from 10 to 2O"),
        ("the rock pools", "the r\u043e\u0441k pools"),
        ("the well known pool", "the well-known pool"),
        ("고양이가 생선을 먹는다", "고양이가생선을 먹는다"),
        ("it is \u22125 today", "it is -5 today"),
        ("pages 3\u20135 here", "pages 3-5 here"),
        ("about 10² of them", "about 102 of them"),
        ("about 10^2 of them", "about 102 of them"),
        ("a ½ of it", "a 1/2 of it"),
        ("the May elections", "the may elections"),
        ("שָׁלוֹם לכם חברים", "שלום לכם חברים"),
        ("می\u200cخواهم بروم خانه", "میخواهم بروم خانه"),
        ("كَتَبَ الولد الدرس", "كتب الولد الدرس"),
        ("at 5 o'clock it is", "at 5 oclock it is"),
        ("do not touch it", "do touch it"),
        ("do touch it now", "do not touch it now"),
        ("one two three four", "one three two four"),
    ],
)
def test_no_word_digit_sign_or_letter_may_differ(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) in {"near", "none"}


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("concatenate", "cat"),
        ("**bold**ness", "bold"),
        ("You can't go", "You can"),
        ("You don’t go", "t go"),
        ("John's wife", "John"),
        ("a non-linear model", "linear model"),
        ("a non-\nlinear model", "linear model"),
        ("state-of-the-art", "state"),
        ("max_depth is", "depth is"),
        ("it is 3.14 metres", "it is 3"),
        ("it is 3.14 metres", "14 metres"),
        ("it is 1,000 metres", "000 metres"),
        ("it is -5 degrees", "5 degrees"),
        ("it is −5 degrees", "5 degrees"),
        ("it is .5 degrees", "5 degrees"),
        ("about 10^6 of it", "about 10"),
        ("about 10⁶ of it", "about 10"),
        ("of 5 cm² each", "of 5 cm"),
        ("vitamin B-12 is", "vitamin B"),
        ("at 5% of it", "at 5"),
        ("at 5°C it", "at 5"),
        ("it cost $5 million", "5 million"),
        ("it cost £5 million", "5 million"),
        ("it cost 5€ then", "it cost 5"),
        ("(p<0.05) it is", "0.05"),
        ("in C++ it is", "in C"),
        ("the Na+ ions", "the Na"),
        ("the U.S. army", "the U"),
        ("the U.S. army", "S. army"),
        ("it has 1\u202f000\xa0000 of them", "it has 1"),
        ("it has 1\u202f000\xa0000 of them", "000 of them"),
        ("in the 1990s", "in the 1990"),
        ("cafe\u0301 noir", "cafe"),
        ("की किताब", "क"),
        ("👩\u200d👧 here", "👩"),
        ("wait… what", "wait."),
        ("Fish &amp; chips", "amp"),
        ("高さは13年", "3年"),
    ],
)
def test_nothing_begins_or_ends_within_a_word_number_or_character(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) in {"near", "none"}


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("l'eau douce", "eau douce"),
        ("検索拡張生成", "拡張"),
        ("ขอบคุณมาก", "คุณ"),
        ("고양이가 생선을 먹는다", "생선을"),
        ("使用 Python 语言", "Python"),
        ("Python言語です", "Python"),
        ("the rock¹ is", "the rock"),
        ("the rock^1 is", "the rock"),
        ("in 1990-1995 it", "in 1990"),
        ("It was (deep)", "deep"),
        ("the dogs' bowl", "the dogs"),
        ("at 5 % of it", "at 5"),
        ("in A. Next", "in A"),
        ("a formula $5 + x$ is", "5 + x"),
        ("see file.txt there", "see file"),
        ("1 + 1 is", "1"),
        ("in 1999 300 people", "in 1999"),
    ],
)
def test_whole_words_next_to_others_are_found(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) == "exact"


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("the bold words", "the **bold** words"),
        ("the bold words", "the <b>bold</b> words"),
        ("the [good *old*](https://one.example/) pool", "the [good old](https://other.example/x) pool"),
        ("Fish & chips", "Fish &amp; chips"),
        ("a-b\n\nTide pools", "# a-b\n\n## Tide pools"),
        ("one\n\ntwo", "- one\n- two"),
        ("one\n\ntwo", "• one\n• two"),
        ("- one\n- two", "* one\n* two"),
        ("x = 1", "```python\nx = 1\n```"),
        ("crab ten limpet none", "| crab | ten |\n|---|---|\n| limpet | none |"),
        ("quoted twice", "> quoted\n> twice"),
        ("1. Look\n2. Touch", "1. Look\n2. **Touch**"),
        ("- 5 degrees", "* 5 **degrees**"),
    ],
)
def test_a_quotation_pasted_as_markdown_reads_without_its_marks(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) == "exact_as_rendered"


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("it is 234 of them", "it is 2*3*4 of them"),
        ("it was 5 degrees", "- 5 degrees"),
        ("it was 5 degrees", "> 5 degrees"),
        ("results were good", "3. results were good"),
        ("1. results were good", "2. results were good"),
        ("a b c", "a <not so> b c"),
        ("the data were lost", "the data [were](not) lost"),
        ("one two three four", "one two <!-- not --> three four"),
        ("the sea", "[note]: the sea is not blue\nthe sea"),
    ],
)
def test_marks_that_may_be_words_are_not_taken_off(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) in {"near", "none"}


def test_a_piece_of_markdown_is_found_with_its_marks_and_other_spacing() -> None:
    assert stands(TEXT, "the **sea**\nmeets rock, *limpets") == (
        "exact_as_rendered",
        "the **sea** meets rock, *limpets",
    )


@pytest.mark.parametrize(
    ("markdown", "quote", "expected"),
    [
        ("The sea is deep.[1] It is cold.", "sea is deep. It is", "exact_as_rendered"),
        ("The sea is deep.¹ It is cold.", "sea is deep. It is", "exact_as_rendered"),
        ("The sea is deep. It is cold.", "sea is deep.[12] It is", "exact_as_rendered"),
        ("The sea is deep.[1] It is cold.", "sea is deep.[1] It is", "exact"),
        ("The sea is deep.[1] It is cold.", "sea is deep.[2] It is", "near"),
        ("The area[1] is deep and cold.", "The area is deep and cold.", "near"),
        ("The area is 0.[3] deep and cold.", "The area is 0. deep and cold.", "near"),
    ],
)
def test_marks_of_notes_behind_a_stop_may_be_left_out(markdown: str, quote: str, expected: str) -> None:
    assert grade(markdown, quote) == expected


@pytest.mark.parametrize(
    "markdown", ["energy $E_1 = mc^2$ holds", "for $a*b*c$ and $x_i$", r"so \(a \le b\) here"]
)
def test_mathematics_reads_as_it_is_projected(markdown: str) -> None:
    text = read_text(markdown)
    for quote in (markdown, text.plain):
        assert grade(markdown, quote) in {"exact", "exact_as_rendered"}


@pytest.mark.parametrize("ellipsis", ["…", "...", "[…]", "[...]", "(…)", "( ... )", ". . .", "……"])
def test_ellipses_part_what_stands_in_order(ellipsis: str) -> None:
    (found,) = find_quote(f"“Where the sea {ellipsis} Crabs walk {ellipsis} at the pier”", read_text(TEXT))
    assert found.grade == "exact_as_rendered"
    assert [TEXT[slice(*part)] for part in found.parts] == ["Where the **sea", "Crabs walk", "at the [pier"]
    assert (found.start, found.end) == (found.parts[0][0], found.parts[-1][1])


def test_the_grade_of_parts_is_the_worst_of_them() -> None:
    (exact,) = find_quote("clamp their … Crabs walk", read_text(TEXT))
    assert exact.grade == "exact"
    (near,) = find_quote("clamp their … Lobsters walk sideways. Fish", read_text(TEXT))
    assert (near.grade, [one.stored for one in near.differences]) == ("near", ["Crabs"])
    assert TEXT[slice(*near.parts[0])] == "clamp their"
    assert near.similarity == pytest.approx((2 + 3) / 6)


def test_of_places_of_parts_those_of_the_best_grade_are_reported() -> None:
    markdown = "the **sea** is a crab's. But the sea is a crab's."
    found = find_quote("the sea … a crab's", read_text(markdown))
    assert [(one.grade, one.start) for one in found] == [("exact", 29)]


@pytest.mark.parametrize("quote", ["Crabs walk … Where the sea", "Crabs … Lobsters", "… and …"])
def test_parts_out_of_order_or_absent_are_not_found(quote: str) -> None:
    assert grade(TEXT, quote) in {"near", "none"}


def test_parts_far_from_each_other_are_no_quotation() -> None:
    for length, expected in ((990, "exact"), (1010, "none")):
        markdown = "All whales sing. " + "word " * length + "All crabs walk."
        assert grade(markdown, "All whales sing … All crabs walk") == expected


def test_what_few_words_can_stand_for_is_not_joined_over_sentences() -> None:
    for length, is_near in ((90, True), (110, False)):
        markdown = "Limpets hold on. " + "word " * length + "Some crabs are poisonous here."
        assert (grade(markdown, "Limpets … are poisonous here") == "exact") == is_near
        assert (grade(markdown, "Limpets hold on … are poisonous") == "exact") == is_near
        assert grade(markdown, "Limpets hold on … are poisonous here") == "exact"


def test_an_ellipsis_of_the_text_is_found_as_it_stands() -> None:
    markdown = "So… it began. So it goes, and it began again."
    assert stands(markdown, "So… it began") == ("exact", "So… it began")
    assert stands(markdown, "So... it began") == ("exact_as_rendered", "So… it began")
    assert stands(markdown, "… it goes …") == ("exact", "it goes")


def test_of_places_of_the_first_part_the_nearest_to_the_next_counts() -> None:
    markdown = "The sea. The sea is deep. The sea is cold."
    found = find_quote("The sea … deep", read_text(markdown))
    assert [markdown[one.start : one.end] for one in found] == ["The sea is deep"]


@pytest.mark.parametrize(
    ("quote", "differences"),
    [
        ("the sea meets stone, limpets clamp their shells", [("stone,", "rock,")]),
        ("the sea never meets rock, limpets clamp their shells", [("never", "")]),
        ("the sea meets rock, limpets clamp shells", [("", "their")]),
        ("It was cold: the pool was at -5 degrees", [("was", "wasn't")]),
        ("the pool was at 5 degrees, 3.14 metres", [("5", "-5")]),
        ("the pool was at -5 degrees, 3.15 metres deep", [("3.15", "3.14")]),
        ("the Pool was at -5 degrees", [("Pool", "pool")]),
        ("[the animals] clamp their shells. It wasn't cold", [("[the animals]", "rock, limpets")]),
        ("limpets clamp their [sic] shells. It wasn't cold", [("[sic]", "")]),
        ("Lobsters walk sideways. Fish & chips", [("Lobsters", "Crabs")]),
        ("limpets clamp their mussels", [("mussels", "shells")]),
    ],
)
def test_of_what_is_nearly_there_the_differing_words_are_reported(
    quote: str, differences: list[tuple[str, str]]
) -> None:
    assert reported(TEXT, quote) == differences


def test_how_similar_it_is_counts_words_in_order() -> None:
    def similarity(quote: str) -> float:
        return find_quote(quote, read_text("one two three four five six"))[0].similarity

    assert similarity("one two THREE four five six") == pytest.approx(5.5 / 6)
    assert similarity("one two zzz four five six") == pytest.approx(5 / 6)
    assert similarity("one two four five six") == pytest.approx(5 / 6)
    assert similarity("one two three zzz four five six") == pytest.approx(6 / 7)


def test_two_spliced_sentences_are_never_faithful() -> None:
    markdown = (
        "The sea is deep and the crabs are cold. "
        + "Nothing else is told. " * 40
        + "A pier is old and made of wood."
    )
    quote = "The sea is deep and the crabs are made of wood."
    assert grade(markdown, quote) == "near"
    assert reported(markdown, quote)[-1][0].endswith("made of wood.")


def test_the_nearest_span_is_as_tight_as_can_be() -> None:
    markdown = (
        "The tide is low. The rock is bare and the limpets hold the rock with one foot. The rock is old."
    )
    (found,) = find_quote("The limpets hold the stone with one foot", read_text(markdown))
    assert markdown[found.start : found.end] == "the limpets hold the rock with one foot"

    markdown = "a cold day, a rock of a size for the red crabs to sleep under, a net and ropes."
    (found,) = find_quote("old a blue for the red crabs to sleep under, a net", read_text(markdown))
    assert markdown[found.start : found.end] == "of a size for the red crabs to sleep under, a net"


ROCK = (
    "Limpets hold on to the rock, and the water that they keep inside lasts until the sea returns to the sea."
)


@pytest.mark.parametrize(
    ("quote", "there", "differences"),
    [
        (
            "the water that they keep inside lasts until the moon returns",
            "the water that they keep inside lasts until the sea returns",
            [("moon", "sea")],
        ),
        (
            "the cold water that they keep inside",
            "the water that they keep inside",
            [("cold", "")],
        ),
        (
            "they keep inside and lasts until the sea",
            "they keep inside lasts until the sea",
            [("and", "")],
        ),
        ("the Limpets hold on to the stone", "Limpets hold on to the rock", [("the", ""), ("stone", "rock")]),
        ("hold on to a rock, and the", "hold on to the rock, and the", [("a", "the")]),
        ("they hide inside lasts until the sea", "they keep inside lasts until the sea", [("hide", "keep")]),
    ],
)
def test_a_near_place_does_not_reach_for_a_word_that_stands_there_twice(
    quote: str, there: str, differences: list[tuple[str, str]]
) -> None:
    assert stands(ROCK, quote) == ("near", there)
    assert reported(ROCK, quote) == differences


def test_marks_next_to_a_near_quotation_are_none_of_its_own() -> None:
    assert reported("(“Limpets clamp their shells.”)", "Limpets fasten their shells") == [("fasten", "clamp")]


def test_characters_are_distinguished_where_words_have_no_ends() -> None:
    assert reported("検索拡張生成は、文書を区切る。", "検索拡張生戌は、文書を区切る。") == [("戌", "成")]
    assert reported("แมวกินปลาที่บ้าน", "แมวกินปล่าที่บ้าน") == [("ล่", "ล")]


def test_near_places_can_be_left_out() -> None:
    assert find_quote("the sea meets stone, limpets clamp", read_text(TEXT), nearly=False) == []


def test_near_places_as_similar_as_each_other_are_all_reported() -> None:
    markdown = "Crabs walk on sand. " * 3
    found = find_quote("Crabs walk on mud", read_text(markdown))
    assert [one.start for one in found] == [0, 20, 40]


def test_places_are_reported_in_order_or_the_nearest_first_and_no_more_than_asked() -> None:
    text = read_text("one sea two sea three *sea* four sea")
    assert [one.start for one in find_quote("sea", text)] == [4, 12, 23, 33]
    assert [one.start for one in find_quote("sea", text, near=22)] == [23, 12, 33, 4]
    assert [one.start for one in find_quote("sea", text, near=22, most=2)] == [23, 12]
    assert [one.start for one in find_quote("sea", text, most=2)] == [4, 12]
    rendered = find_quote("“sea”\u200b", read_text("a **se\u00ada** b **se\u00ada**"), near=99)
    assert [one.start for one in rendered] == [15, 4]


def test_places_do_not_overlap() -> None:
    assert [one.start for one in find_quote("ha ha", read_text("ha ha ha ha"))] == [0, 6]
    assert [one.start for one in find_quote("ha ha", read_text("ha ha ha ha"), near=11)] == [6, 0]


def test_places_of_the_best_grade_alone_are_reported_unless_all_are_asked_for() -> None:
    text = read_text("the sea, the **sea** and the sea")
    assert [one.start for one in find_quote("the sea", text)] == [0, 25]
    assert [(one.start, one.grade) for one in faithful_places("the sea", text)] == [
        (0, "exact"),
        (9, "exact_as_rendered"),
        (25, "exact"),
    ]


def test_what_shows_nothing_is_found_last() -> None:
    markdown = "See [the pool](https://pool.example/deep) or the de\u00adep **pool**."
    assert stands(markdown, "deep") == ("exact_as_rendered", "de\u00adep")
    address = "https://pool.example/deep"
    assert stands(markdown, address) == ("exact", address)
    assert grade(markdown, address[:-1]) == grade(markdown, "pool.example/deep") == "none"


@pytest.mark.parametrize(
    "markdown",
    [
        "See [here](https://p.example/limpets-eat-no-snails) now.",
        'See [here](https://p.example/ "limpets-eat-no-snails") now.',
        "See <!-- limpets-eat-no-snails --> here.",
        '<p title="limpets-eat-no-snails">See here.</p>',
        "See [here][limpets-eat-no-snails].\n\n[limpets-eat-no-snails]: https://p.example/",
    ],
)
def test_what_nobody_sees_is_no_quotation(markdown: str) -> None:
    assert grade(markdown, "limpets-eat-no-snails") == "none"
    spaced = markdown.replace("limpets-eat-no-snails", "limpets eat no snails")
    assert grade(spaced, "limpets eat no snails") == ("exact" if "example/limpets" in markdown else "none")
    assert faithful_places("limpets-eat-no-snails", read_text(markdown)) == []


@pytest.mark.parametrize("quote", ["", " \n", "\u200b", "“”", "…", "zebra", "*", "**"])
def test_nothing_is_found_of_nothing(quote: str) -> None:
    assert find_quote(quote, read_text("one two")) == []
    assert find_quote(quote, read_text("")) == []


def test_long_quotations_are_found_and_compared() -> None:
    words = [f"word{number % 997}x{number % 7}" for number in range(4000)]
    markdown = " ".join(words) + "\n\n" + "and more. " * 100
    quote = "\n".join(words[200:3800])
    assert len(quote) > 20_000
    (found,) = find_quote(quote, read_text(markdown))
    assert (found.grade, markdown[found.start : found.end]) == (
        "exact_as_rendered",
        " ".join(words[200:3800]),
    )
    altered = quote.replace("\nword500x", "\nwort500x", 1)
    (near,) = find_quote(altered, read_text(markdown))
    assert [(one.quoted[:4], one.stored[:4]) for one in near.differences] == [("wort", "word")]


def test_a_match_tells_its_only_part() -> None:
    assert find_quote("Crabs walk", read_text("Crabs walk")) == [QuoteMatch("exact", 0, 10, ((0, 10),))]


@pytest.mark.parametrize("sign", ["^2", "+", "-B", "−5", ".a", "'s", "#", "²", "%", "++"])
@pytest.mark.parametrize("name", ["漢", "〱", "検索", "ไทย"])
def test_a_sign_that_stands_apart_from_a_script_without_spaces_parts_no_word(name: str, sign: str) -> None:
    assert stands(f"{name} {sign} x", name)[0] in {"exact", "exact_as_rendered"}
    assert stands(f"{name} {sign}", f"{name} {sign}")[0] in {"exact", "exact_as_rendered"}


@pytest.mark.parametrize("sign", ["B-", "a.", "5%", "l'", "$", "#", "-"])
def test_what_is_written_without_spaces_begins_anywhere(sign: str) -> None:
    assert stands(f"{sign} 漢字", "漢字")[0] in {"exact", "exact_as_rendered"}
    assert stands("共 5 % 的", "5")[0] in {"exact", "exact_as_rendered"}
    assert grade("共 5%的", "5") == "none"


def test_a_letter_that_is_two_in_the_other_case_is_only_near() -> None:
    for quote, text in (
        ("0 0\x1bSS", "0 0\x1bß"),
        ("the old GROSS", "the old groß"),
        ("the old groß", "the old GROSS"),
    ):
        assert grade(quote, text) == "near"
