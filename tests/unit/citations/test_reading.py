"""A quote is found where it reads the same, whatever the markup and spacing; where it is lost, what is nearest."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.support.read_texts import read_text
from webrag_desktop.citations.anchoring import Anchored, reanchor, reanchor_as_read
from webrag_desktop.citations.reading import (
    LEAST_SHARE,
    MOST_HITS_OF_ALL,
    Spaced,
    WordIndex,
    as_read,
    occurrences,
)
from webrag_desktop.citations.spans import CONTEXT_LENGTH

TEXT = "# Pools\n\nWhere the **sea** meets rock.\n\nLimpets clamp their shells. Where crabs walk, limpets rest.\n"


def anchored(old: str, quote: str, new: str) -> tuple[Anchored, str | None]:
    start = old.index(quote)
    end = start + len(quote)
    prefix, suffix = old[max(0, start - CONTEXT_LENGTH) : start], old[end : end + CONTEXT_LENGTH]
    there = read_text(new)
    words = as_read(read_text(old), start, end, CONTEXT_LENGTH)
    found = reanchor(quote, prefix, suffix, start, new)
    found = reanchor_as_read(found, quote, words, there, lambda: WordIndex(there.plain))
    return found, new[found.start : found.end] if found.start is not None else None


def test_other_markup_in_the_same_place_is_exact_as_rendered() -> None:
    found, there = anchored(TEXT, "the **sea** meets", TEXT.replace("**sea**", "*sea*"))
    assert (found.state, found.as_rendered, there) == ("exact", True, "the *sea* meets")


def test_other_spacing_in_the_same_place_is_exact_as_rendered() -> None:
    new = TEXT.replace("clamp their", "clamp\ntheir")
    found, there = anchored(TEXT, "clamp their shells", new)
    assert (found.state, found.as_rendered, there) == ("exact", True, "clamp\ntheir shells")


def test_words_behind_a_change_of_markup_are_where_they_were() -> None:
    found, there = anchored(TEXT, "clamp their shells", TEXT.replace("**sea**", "sea"))
    assert (found.state, found.as_rendered, there) == ("exact", False, "clamp their shells")


def test_words_behind_an_insertion_moved() -> None:
    found, there = anchored(
        TEXT, "the **sea** meets", "New words first.\n\n" + TEXT.replace("**sea**", "*sea*")
    )
    assert (found.state, found.as_rendered, there) == ("moved", True, "the *sea* meets")


def test_of_lost_words_the_nearest_are_reported_with_their_share() -> None:
    new = TEXT.replace("Limpets clamp their shells", "Limpets fasten their shells")
    found, there = anchored(TEXT, "Limpets clamp their shells", new)
    assert (found.state, there, found.similarity) == ("lost", "Limpets fasten their shells", 0.75)
    found, there = anchored(
        TEXT, "Limpets clamp their shells", "Nothing of the kind is told in this other text."
    )
    assert (found, there) == (Anchored("lost", None, None), None)


def test_markup_alone_has_no_reading() -> None:
    assert as_read(read_text(TEXT), 0, 2, CONTEXT_LENGTH) is None


def test_few_words_are_not_looked_for() -> None:
    assert WordIndex("sea and rock").nearest("sea rock") is None
    near = WordIndex("a rock and the sea").nearest("rock, and the Sea!")
    assert near is not None
    assert near.share == 1.0 >= LEAST_SHARE


@given(st.text(" \n\tab🦀", max_size=30))
def test_spacing_is_traced(original: str) -> None:
    spaced = Spaced(original)
    assert spaced.text == " ".join(original.split())
    for place, sign in enumerate(spaced.text):
        if sign != " ":
            start, end = spaced.span_in_original(place, place + 1)
            assert original[start:end] == sign
            assert spaced.place_of(start) == place


_words = st.lists(st.sampled_from("tide rock sea crab limpet pool the of".split()), min_size=1, max_size=8)
_paragraph = _words.map(" ".join)


@given(st.lists(_paragraph, max_size=5), _paragraph, st.lists(_paragraph, max_size=5), st.data())
def test_edits_elsewhere_never_lose_a_quote(
    before: list[str], quote: str, after: list[str], data: st.DataObject
) -> None:
    old = "\n\n".join([*before, f"Q {quote} Q", *after])
    edited = data.draw(st.lists(_paragraph, max_size=6))
    behind = data.draw(st.lists(_paragraph, max_size=6))
    new = "\n\n".join([*edited, f"Q {quote} Q", *behind])
    found, there = anchored(old, f"Q {quote} Q", new)
    assert found.state in ("exact", "moved")
    assert there == f"Q {quote} Q"
    starts = [text.index(f"Q {quote} Q") for text in (old, new)]
    places = [len(" ".join(text[:start].split())) for text, start in zip((old, new), starts, strict=True)]
    assert (found.state == "exact") == (starts[0] == starts[1] or places[0] == places[1])


@given(st.lists(_paragraph, max_size=5), st.lists(_paragraph, max_size=5))
def test_what_was_deleted_is_lost(before: list[str], after: list[str]) -> None:
    quote = "zebra yak xerus"
    old = "\n\n".join([*before, quote, *after])
    found, _there = anchored(old, quote, "\n\n".join([*before, *after]))
    assert found == Anchored("lost", None, None)


@given(st.lists(_paragraph, min_size=1, max_size=4), st.integers(0, 3))
def test_of_duplicates_the_one_in_its_surroundings_is_found(others: list[str], number: int) -> None:
    sections = [
        f"## Section {n} begins here\n\nThe very same words.\n\nSection {n} ends here." for n in range(4)
    ]
    old = "\n\n".join(sections)
    start = old.index("The very", old.index(f"Section {number}"))
    new = "\n\n".join([*others, *sections])
    prefix, suffix = old[start - CONTEXT_LENGTH : start], old[start + 20 : start + 20 + CONTEXT_LENGTH]
    found = reanchor("The very same words.", prefix, suffix, start, new)
    assert found.start == new.index("The very", new.index(f"## Section {number}"))


def test_spans_of_most_words_are_distinguished() -> None:
    index = WordIndex("crabs walk on sand. " * 3 + "gulls fly. crabs walk on red sand")
    found = index.spans("crabs walk on sand")
    assert [near.start for near in found] == [0, 20, 40, 71]
    assert {near.share for near in found} == {1.0}
    assert index.spans("nothing of this kind") == []


def test_of_words_that_stand_everywhere_the_rare_ones_lead() -> None:
    index = WordIndex(
        "the of and to in is as by " * 1500
        + "the rare zebra of the plain"
        + " at on an so up no it he we us my me" * 1900
    )
    near = index.nearest("the rare zebra of the plains")
    assert near is not None
    assert (
        len(
            index._hits(
                Counter("rare zebra plain at on an so up no it he we us my me to in is as by".split())
            )
        )
        <= MOST_HITS_OF_ALL
    )
    assert near.share >= LEAST_SHARE


def test_occurrences_are_reported_in_order_or_the_nearest_first() -> None:
    assert list(occurrences("ab", "ab cab ab")) == [0, 7]
    assert list(occurrences("a", "a b a b a", near=5)) == [4, 8, 0]
    assert len(list(occurrences("(" * 1000, "(" * 50_000, near=9))) < 30_000
    assert list(occurrences("(" * 1000, "(" * 1500)) == list(range(501))
