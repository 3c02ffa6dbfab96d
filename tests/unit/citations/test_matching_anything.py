"""Whatever a text holds: what it reads as is found where it stands, and no altered word, digit or letter is."""

import random
import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.fidelity import fidelity_document, page_names
from tests.support.markdown_documents import ANY_TEXT, DIFFICULT_DOCUMENTS
from tests.support.read_texts import read_text
from webrag_desktop.citations.matching import QuoteMatch, faithful_places, find_quote
from webrag_desktop.citations.reading import ReadText
from webrag_desktop.text.canonical.canonical_form import canonical_form, has_word_edges
from webrag_desktop.text.graphemes import between_characters

MARKDOWN = st.one_of(ANY_TEXT, DIFFICULT_DOCUMENTS.map(lambda document: document.markdown))
FAITHFUL = ("exact", "exact_as_rendered")
# What was begun on the line before goes on behind a hyphen, and a mark belongs to what stands before it.
BROKEN = re.compile(r"[^\W_][-\u2010\u2011\u00ad]\s*$")


def words_of(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"\S+", text)]


def letters(text: str) -> str:
    """All letters, marks and digits in one form, without what stands in between: what no quotation may alter."""
    kept = (char for char in unicodedata.normalize("NFKC", text) if char not in "\ufe0e\ufe0f")
    return "".join(char for char in kept if char.isalnum() or unicodedata.category(char)[0] == "M")


def spans(data: st.DataObject, text: ReadText, fewest: int, most: int) -> list[tuple[int, int]]:
    words = words_of(text.plain)
    assume(len(words) >= fewest)
    first = data.draw(st.integers(0, len(words) - fewest))
    last = data.draw(st.integers(first + fewest - 1, min(len(words), first + most) - 1))
    return words[first : last + 1]


def retyped(quote: str, markdown: str) -> str:
    """With single blanks; what may hold rows of tables keeps its lines."""
    return "\n".join(" ".join(line.split()) for line in (quote.split("\n") if "|" in markdown else [quote]))


def check(found: list[QuoteMatch], quote: str, markdown: str) -> None:
    for one in found:
        assert 0 <= one.start < one.end <= len(markdown)
        assert one.parts[0][0] == one.start
        assert one.parts[-1][1] == one.end
        assert between_characters(markdown, one.start)
        assert between_characters(markdown, one.end)
        if one.grade == "exact" and len(one.parts) == 1:
            assert markdown[one.start : one.end] in quote
        assert (one.grade == "near") == bool(one.differences) == (one.similarity < 1)
        for said in one.differences:
            assert 0 <= said.quote_start <= said.quote_end <= len(quote)
            assert one.start <= said.char_start <= said.char_end <= one.end
            assert said.quoted or said.stored


@given(MARKDOWN, st.data())
def test_what_a_reader_sees_is_found_where_it_stands(markdown: str, data: st.DataObject) -> None:
    text = read_text(markdown)
    words = spans(data, text, 1, 60)
    start, end = words[0][0], words[-1][1]
    assume(not BROKEN.search(text.plain[:start]) and between_characters(text.plain, start))
    assume(not (BROKEN.search(text.plain[:end]) and text.plain[end:].strip()))
    quote = text.plain[start:end]
    assume(canonical_form(quote).text.strip())  # something that is seen
    there = text.to_markdown(start, end)
    for form in (quote, f" {retyped(quote, markdown[slice(*there)])} "):
        found = find_quote(form, text, near=there[0])
        check(found, form, markdown)
        assert found
        assert found[0].grade in FAITHFUL
        places = [(one.start, one.end) for one in faithful_places(form, text)]
        # Without marks of quotation around it, or over another place where it stands letter for letter.
        assert any(first < there[1] and there[0] < last for first, last in places)


@given(MARKDOWN, st.data())
def test_what_was_altered_is_never_faithful(markdown: str, data: st.DataObject) -> None:
    text = read_text(markdown)
    words = [text.plain[slice(*span)] for span in spans(data, text, 2, 20)]
    at = data.draw(st.integers(0, len(words) - 1))
    match data.draw(st.sampled_from(["drop", "add", "swap", "case", "digit", "cut"])):
        case "drop":
            del words[at]
        case "add":
            words.insert(at, data.draw(st.sampled_from(["not", "3", "漢", "a", "é"])))
        case "swap":
            words[at - 1], words[at] = words[at], words[at - 1]
        case "case":
            words[at] = words[at].swapcase()
        case "digit":
            words[at] = re.sub(r"\d", lambda found: str((int(found[0]) + 1) % 10), words[at])
        case _:
            words[at] = words[at][:-1]
    quote = " ".join(words)
    assume("&" not in quote)  # an entity, pasted as Markdown, is the sign that it stands for
    found = find_quote(quote, text)
    check(found, quote, markdown)
    if found and found[0].grade in FAITHFUL and len(found[0].parts) == 1 and quote.strip() not in markdown:
        for one in found:
            assert letters(text.plain[slice(*text.to_plain(one.start, one.end))]) == letters(quote)


@given(st.text(st.sampled_from("a1 -\n\u00ad.…“\"'’\u0301é検ท한ﬁ"), max_size=30))
def test_places_of_a_canonical_form_are_traced(source: str) -> None:
    canonical = canonical_form(source)
    assert len(canonical.joins) == len(canonical.text)
    last = 0
    for place in range(len(canonical.text)):
        start, end = canonical.source_around(place, place + 1)
        assert last <= end <= len(source)
        assert start < end
        last = start
        if canonical.source_span(place, place + 1) == (start, end):
            assert canonical.place_of(start) == place
            assert canonical.end_of(end) == place + 1


@pytest.mark.parametrize("name", page_names())
def test_real_pages_are_quoted_faithfully_and_no_altered_word_is(name: str) -> None:
    chance = random.Random(name)
    markdown = fidelity_document(name).markdown
    text = read_text(markdown)
    words = words_of(text.plain)
    for _ in range(12):
        first = chance.randrange(len(words))
        last = min(len(words), first + chance.choice([1, 3, 9, 40, 200])) - 1
        quote = text.plain[words[first][0] : words[last][1]]
        places = [place for place, char in enumerate(quote) if char.isalnum()]
        if not places or BROKEN.search(text.plain[: words[first][0]]):
            continue
        start, end = text.to_markdown(words[first][0], words[last][1])
        typed = retyped(quote, markdown[start:end]).replace("'", "’")
        for form in (quote, typed, markdown[start:end]):
            assert find_quote(form, text, nearly=False), form
        at = chance.choice(places)
        other = str((int(quote[at]) + 1) % 10) if quote[at] in "0123456789" else chance.choice("qxzQXZ")
        altered = quote[:at] + other + quote[at + 1 :]
        if letters(altered) not in letters(text.plain):
            assert find_quote(altered, text, nearly=False) == [], altered


HOSTILE = [
    "[", "*", "_", "`", "\u0301", "e\u0301", "\u0301\u0323", " ", "\n", "a", "a ", "a-", "a-\n", "- ", "> ", "(", "“",
    "<", "&", "|", "漢", "…", ". ", "\u200b", "\u00ad", "[1]", "a.[1] ", "한 ", "ก\n", "ﬁ", "\u1100\u1161",
    "\uff76\uff9e",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_repetition_takes_steps_in_proportion_to_the_length(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quadratic scanning would not end within the test's time; what is looked at is counted, too."""
    looked_at = 0
    look = has_word_edges

    def counted(*args: object) -> bool:
        nonlocal looked_at
        looked_at += 1
        return look(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("webrag_desktop.citations.quote_search.has_word_edges", counted)
    text = read_text(piece * (40_000 // len(piece)))
    for quote in (
        piece * 100,
        f"x{piece * 100}",
        f"{piece * 50}y{piece * 50}",
        f"a … {piece * 9} … b",
        piece * 2_000,
    ):
        find_quote(quote, text)
    assert looked_at <= 20 * len(text.markdown)
