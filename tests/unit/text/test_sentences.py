import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.sentences import only_headings, split_sentences

LINES = st.sampled_from(
    [
        "",
        "# A heading",
        "Plain prose. And more! Is it? Yes",
        "which goes on, e.g. here. Dr. Who said so.",
        "- an item. Its second sentence.",
        "2. step",
        "> quoted. Twice.",
        "| a | b. C |",
        "|---|---|",
        "```python",
        "```",
        "~~~",
        "x = 1. # Not a sentence. Nor this",
        "    indented",
        "日本語。次の文。",
        "$$ x^2 $$",
        "14.2. A section. 3. More",
        "1984. It was so.[^2] Then",
        "[1]: https://example.org/a.b",
        "a | b. C",
        "---|---",
        "===",
        "***",
        "**a term**",
    ]
)
MARKDOWN = st.lists(LINES, max_size=14).map("\n".join) | st.text(max_size=120)


def texts(markdown: str, *kinds: str) -> list[str]:
    return [
        markdown[sentence.start : sentence.end]
        for sentence in split_sentences(markdown)
        if sentence.kind in (kinds or ("prose", "heading", "code", "table"))
    ]


@given(MARKDOWN)
def test_sentences_are_ordered_trimmed_and_leave_out_only_white_space(markdown: str) -> None:
    position = 0
    for sentence in split_sentences(markdown):
        assert markdown[position : sentence.start].strip() == ""
        text = markdown[sentence.start : sentence.end]
        assert text
        assert text == text.strip()
        position = sentence.end
    assert markdown[position:].strip() == ""


@given(MARKDOWN)
def test_a_line_of_code_or_table_is_never_cut_or_joined(markdown: str) -> None:
    lines = {line.strip() for line in markdown.split("\n")}
    for text in texts(markdown, "code", "table", "heading"):
        assert text in lines


@given(MARKDOWN)
def test_splitting_a_sentence_again_gives_it_back(markdown: str) -> None:
    for text in texts(markdown, "prose"):
        if not re.match(r"[-*+>#|`~$\d]|\W", text):
            assert texts(text) == [text]


def test_prose_is_cut_at_sentence_ends_across_lines() -> None:
    markdown = "First one\ngoes on. Second!  “Third?” Last"
    assert texts(markdown) == ["First one\ngoes on.", "Second!", "“Third?”", "Last"]


@pytest.mark.parametrize(
    "text",
    [
        "See e.g. Smith for that.",
        "Dr. Who and J. K. Rowling met.",
        "Version 3.11 is out, i.e. Python 3.11.",
        "It costs 3.5 euro.",
        "What? is a name here",
    ],
)
def test_not_every_period_ends_a_sentence(text: str) -> None:
    assert texts(text) == [text]


def test_list_items_are_their_own_sentences_without_their_markers() -> None:
    assert texts("Intro:\n- one item\n  goes on\n- two\n3. three") == [
        "Intro:",
        "one item\n  goes on",
        "two",
        "three",
    ]


def test_headings_fences_and_tables_are_distinguished() -> None:
    markdown = "## Title\n\n```py\na = 1. b\n\nc()\n```\n\n| x | y |\n|---|---|\n| 1. A | 2 |\n"
    assert texts(markdown, "heading") == ["## Title"]
    assert texts(markdown, "code") == ["a = 1. b", "c()"]
    assert texts(markdown, "table") == ["| x | y |", "| 1. A | 2 |"]
    assert texts(markdown, "mark") == ["```py", "```", "|---|---|"]


def test_a_longer_fence_holds_a_shorter_one() -> None:
    assert texts("````\n```\nstill code. Yes\n````\nProse.", "prose") == ["Prose."]


def test_cjk_sentences_need_no_space_between_them() -> None:
    assert texts("これは文です。次の文です！終わり") == ["これは文です。", "次の文です！", "終わり"]


def test_a_bold_term_leads_its_definition() -> None:
    assert texts("**term**\n\nWhat it means. More.\n\n**other**\n\n- item") == [
        "**term**\n\nWhat it means.",
        "More.",
        "**other**",
        "item",
    ]


INLINE = st.sampled_from(
    [
        "[Fig. 3. A plot](https://example.org/a.b)",
        "[See this. Then that!](https://example.org/x 'A title. Of it')",
        "[a [nested] one. More](https://example.org/(a)b)",
        "![An image. Its text](i.png)",
        "[![Both. Ways](i.png) in. One](https://example.org/)",
        "[By label. It is][ref]",
        "`code. With stops`",
        "``a `tick. In`` ",
        "<https://example.org/a.b>",
        "https://example.org/?q=a.b!c",
    ]
)
WORDS = st.sampled_from(
    ["Some words.", "And then", "a question?", "it goes on,", "(so. It is)", "“Yes.”", "12.", "e.g."]
)


@given(st.lists(INLINE | WORDS, min_size=1, max_size=8), st.data())
def test_no_link_code_or_address_is_ever_cut(parts: list[str], data: st.DataObject) -> None:
    paragraph = " ".join(parts)
    ends = {sentence.end for sentence in split_sentences(paragraph)}
    position = 0
    for part in parts:
        start, position = position, position + len(part)
        if part[0] in "[!`<h":
            assert not ends.intersection(range(start + 1, position - (part[-1] == " "))), part
        position += 1


@given(
    st.lists(INLINE | WORDS | st.sampled_from(["3.", "14.5.2.", "[^3]", "...", "**1.**", "Z."]), max_size=8)
)
def test_nothing_but_numbers_and_marks_is_no_sentence_where_there_are_words(parts: list[str]) -> None:
    for text in texts(" ".join(parts), "prose"):
        assert re.search(r"[^\W\d_]{2}", text), text


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "See [Fig. 3. Foo bar](https://x.y/a.b). Next.",
            ["See [Fig. 3. Foo bar](https://x.y/a.b).", "Next."],
        ),
        ("[One. Two.](u) Next. [Ends.](u) So.", ["[One. Two.](u)", "Next.", "[Ends.](u)", "So."]),
        ("Call `a. B` first. `foo` is next.", ["Call `a. B` first.", "`foo` is next."]),
        ("Unclosed [one. Two. `Three. Four", ["Unclosed [one.", "Two.", "`Three.", "Four"]),
    ],
)
def test_links_and_code_are_whole(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("14.2. Title of it. Then text.", ["14.2. Title of it.", "Then text."]),
        ("14.5.2. Foo bar", ["14.5.2. Foo bar"]),
        ("IV. Results are in. Good.", ["IV. Results are in.", "Good."]),
        (
            "Step 1. Open it. Fig. 3. A plot. See Fig. 4. Next.",
            ["Step 1. Open it.", "Fig. 3. A plot.", "See Fig. 4.", "Next."],
        ),
        ("图 11.1. 标题在这里。", ["图 11.1. 标题在这里。"]),
        ("It was so. 42.", ["It was so. 42."]),
        ("in the year\n1984. It was", ["in the year\n1984.", "It was"]),
    ],
)
def test_numbers_lead_what_they_number(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


@pytest.mark.parametrize(
    "mark",
    [
        "[^3]",
        "[12]",
        "3",
        "[12][13]",
        "[\\[12\\]](https://x.example/#note-12)",
        "²",
        "[citation needed]",
        "<sup>4</sup>",
        "”3",
    ],
)
def test_note_marks_belong_to_the_sentence_before(mark: str) -> None:
    assert texts(f"It will end.{mark} Next one.") == [f"It will end.{mark}", "Next one."]


@pytest.mark.parametrize(
    "text",
    [
        "Use grep, see No. 5 and Nr. 6, Vol. 3, p. 12, pp. 3, Fig. 2, Dr. Who, Smith et al. Nature, vs. Them",
        "The U.S. Army and J. R. R. Tolkien met at 5 p.m. Eastern",
        "Das ist z. B. Haus, d. h. Bau, ca. 3, vgl. Seite 5, am 3. Oktober",
        "He left [...] Bonn (?) Then",
        "wait... what? no! and so",
    ],
)
def test_abbreviations_and_omissions_end_nothing(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("No. That is wrong.", ["No.", "That is wrong."]),
        ("Smith et al. The rest.", ["Smith et al.", "The rest."]),
        ("He waits... Then goes.", ["He waits...", "Then goes."]),
        ("“So it is.” He left. (It was.) Yes.", ["“So it is.”", "He left.", "(It was.)", "Yes."]),
        ("„Ja.“ Er geht. «Oui.» Elle part.", ["„Ja.“", "Er geht.", "«Oui.»", "Elle part."]),
        ("「これは文です。」と言った。次です。", ["「これは文です。」と言った。", "次です。"]),
        ("「はい。」次です！本当?はい", ["「はい。」", "次です！", "本当?", "はい"]),
        ("هل هذا؟ نعم.", ["هل هذا؟", "نعم."]),
        ("यह है। वह भी।", ["यह है।", "वह भी।"]),
    ],
)
def test_sentences_end_behind_what_closes_them(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


def test_underlined_headings_and_tables_without_borders_are_known() -> None:
    markdown = "Title\n=====\nText.\n\nHead one | b\n---|---\n1 | two. C\n\nprose | again. More\n\n2003 | 4.5"
    assert texts(markdown, "heading") == ["Title"]
    assert texts(markdown, "table") == ["Head one | b", "1 | two. C", "2003 | 4.5"]
    assert texts(markdown, "prose") == ["Text.", "prose | again.", "More"]


def test_what_says_nothing_is_a_mark() -> None:
    markdown = "3.\n\n[1]: https://example.org/x 'Title'\n\n- [x] done\n\n[^2]: A note. More."
    assert texts(markdown, "mark") == ["3.", "[1]: https://example.org/x 'Title'", "- [x]", "[^2]:"]
    assert texts(markdown, "prose") == ["done", "A note.", "More."]


@pytest.mark.parametrize(
    ("text", "only"),
    [("# One\n\n## Two", True), ("#\n", True), ("# One\n\nText", False), ("#tag", False), ("", False)],
)
def test_headings_alone_are_recognised(text: str, *, only: bool) -> None:
    assert only_headings(text) is only
