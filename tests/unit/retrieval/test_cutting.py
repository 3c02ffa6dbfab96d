from hypothesis import given
from hypothesis import strategies as st

from tests.support.found_chunks import found_chunk, spans_of
from webrag_desktop.retrieval.contracts.cutting import SENTENCES_SHOWN, cut_parent
from webrag_desktop.retrieval.contracts.results import MatchedSpan

TEXT = """# Shore

Before it all. Long before.

## Low tide

Limpets clamp. Crabs hide. Snails wait.

### At night

Nobody sees.

## High tide

Fish come. They eat.
"""


def cut(text: str, *sentences: str, limit: int = SENTENCES_SHOWN) -> list[tuple[bool, str]]:
    """Of each piece whether a gap is before it, and its text; at last whether a gap follows."""
    found = cut_parent(found_chunk(text, start=50, spans=spans_of(text, *sentences, start=50)), limit)
    return [(piece.gap_before, piece.text) for piece in found.pieces] + [(found.gap_after, "")]


def test_sentences_come_in_reading_order_under_their_headings_with_gaps() -> None:
    assert cut(TEXT, "Fish come.", "Crabs hide.", "Limpets clamp.") == [
        (False, "# Shore"),
        (True, "## Low tide"),
        (False, "Limpets clamp. Crabs hide."),
        (True, "## High tide"),
        (False, "Fish come."),
        (True, ""),
    ]


def test_a_heading_of_another_section_is_left_out() -> None:
    assert [text for _, text in cut(TEXT, "Nobody sees.")] == [
        "# Shore",
        "## Low tide",
        "### At night",
        "Nobody sees.",
        "",
    ]


def test_only_the_best_are_shown() -> None:
    assert [text for _, text in cut(TEXT, "They eat.", "Snails wait.", "Crabs hide.", limit=1)] == [
        "# Shore",
        "## High tide",
        "They eat.",
        "",
    ]


def test_without_a_match_it_is_the_beginning() -> None:
    assert cut(TEXT, limit=2) == [(False, "# Shore"), (False, "Before it all. Long before."), (True, "")]


def test_a_passage_of_few_sentences_is_whole() -> None:
    assert cut("One. Two.", "Two.", "One.") == [(False, "One. Two."), (False, "")]


def test_a_row_comes_with_the_head_of_its_table() -> None:
    table = "Text.\n\n| fish | length |\n|---|---|\n| cod | 90 |\n| eel | 80 |\n| ray | 70 |\n\n| other | head |\n"
    assert cut(table, "| ray | 70 |") == [
        (True, "| fish | length |"),
        (True, "| ray | 70 |"),
        (True, ""),
    ]


def test_items_of_a_list_keep_their_markers() -> None:
    text = "- one item\n- two items\n- three items\n"
    assert cut(text, "two items", "three items") == [(True, "- two items\n- three items"), (False, "")]


MARKDOWN = st.lists(
    st.sampled_from(
        ["# A", "## B", "One. Two! Three", "- item. More", "| a | b |", "|---|---|", "```", "", "**t**", "4."]
    ),
    max_size=16,
).map("\n".join) | st.text(min_size=1, max_size=80)


@given(
    MARKDOWN.filter(bool),
    st.lists(st.tuples(st.integers(0, 90), st.integers(1, 90), st.floats(0, 1))),
    st.integers(1, 9),
)
def test_pieces_are_verbatim_in_order_and_hold_every_sentence_wanted(
    text: str, places: list[tuple[int, int, float]], limit: int
) -> None:
    spans = [
        MatchedSpan(char_start=7 + start, char_end=7 + min(len(text), start + length), text="", score=score)
        for start, length, score in places
        if start < len(text)
    ]
    chunk = found_chunk(text, start=7, spans=spans)
    pieces = cut_parent(chunk, limit).pieces
    position = 7
    for piece in pieces:
        assert position <= piece.char_start < piece.char_end <= chunk.char_end
        assert piece.text == text[piece.char_start - 7 : piece.char_end - 7]
        assert piece.gap_before or not any(map(str.isalpha, text[position - 7 : piece.char_start - 7]))
        position = piece.char_end
    for span in sorted(spans, key=lambda one: (-one.score, one.char_start))[:limit]:
        if text[span.char_start - 7 : span.char_end - 7].strip():
            assert any(p.char_start < span.char_end and span.char_start < p.char_end for p in pieces)
