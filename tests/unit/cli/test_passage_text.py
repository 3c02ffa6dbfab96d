from textwrap import dedent

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.found_chunks import found_chunk, matched_span, spans_of
from webrag_desktop.cli.passage_text import as_read, best_span, passage, whole_passage

TEXT = "First sentence here. The one that matches. And more words follow. Something else. Its end. "


def test_the_best_sentence_stands_alone_and_the_others_below_in_reading_order() -> None:
    found = found_chunk(
        TEXT,
        start=100,
        spans=spans_of(TEXT, "The one that matches.", "Its end.", "And more words follow.", start=100),
    )
    assert passage(found) == ("The one that matches.", "[…] And more words follow. […] Its end.")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "## Low *tide*\n\nSee [the rock](https://example.org/rock) &amp; wait.",
            "Low tide See the rock & wait.",
        ),
        ("```python\nwait()\n```", "wait()"),
        (
            "HY_SET <lines> [ <margin> ]` sets it.",
            "HY_SET <lines> [ <margin> ]` sets it.",
        ),  # begins amid code
        ("The form `HY_SET <lines>", "The form `HY_SET <lines>"),  # ends amid code
        ("The form `HY_SET <lines>` sets it.", "The form HY_SET <lines> sets it."),
    ],
)
def test_a_part_is_shown_as_it_reads_unless_words_would_be_lost(text: str, shown: str) -> None:
    assert as_read(text) == shown


def test_without_a_match_the_beginning_is_shown() -> None:
    sentences = [f"Sentence number {number}." for number in range(1, 12)]
    text = " ".join(sentences)
    assert passage(found_chunk(text)) == ("", " ".join(sentences[:8]) + " […]")


def test_a_passage_of_one_sentence_has_nothing_below() -> None:
    assert passage(found_chunk("Only one.", spans=[matched_span(0, "Only one.")])) == ("Only one.", "")


def test_a_heading_leads_what_is_shown_of_its_section() -> None:
    text = "## Low tide\n\nLimpets clamp. Crabs hide.\n\n## High tide\n\nFish come. Nobody sees."
    shown = passage(found_chunk(text, spans=spans_of(text, "Fish come.", "Crabs hide.")))
    assert shown == ("Fish come.", "Low tide […] Crabs hide. High tide […]")


def test_a_sentence_is_shown_as_a_reader_sees_it() -> None:
    text = "Go has [*goroutines*](https://example.org/x), `light` threads."
    shown = passage(found_chunk(text, spans=[matched_span(0, text)]))
    assert shown == ("Go has goroutines, light threads.", "")


def test_the_whole_passage_is_every_line_without_markup() -> None:
    text = "## Head\n\nA *first* line.\n\n- one\n- two\n"
    lines = whole_passage(found_chunk(text, spans=[matched_span(9, "A *first* line.")]))
    assert [line.strip("•- ") for line in lines] == ["Head", "A first line.", "one", "two"]


def test_of_equal_sentences_the_first_is_the_best() -> None:
    best = best_span(found_chunk("B. A.", spans=[matched_span(3, "A."), matched_span(0, "B.")]))
    assert best is not None
    assert best.text == "B."


LINES = "    def depth(path):\n        # Of a path. *Always*.\n        return <b>(path, **kw)"


def test_code_keeps_its_lines_and_their_indentation() -> None:
    text = f"Some words.\n\n```python\nclass Paths:\n{LINES}\n\tend = 1\n```\n\nMore words."
    spans = [matched_span(text.index(LINES), LINES, kind="code"), *spans_of(text, "More words.")]
    best, others = passage(found_chunk(text, spans=spans))
    assert best == "def depth(path):\n    # Of a path. *Always*.\n    return <b>(path, **kw)"
    assert others == "[…] More words."
    assert (
        passage(found_chunk(text, spans=spans_of(text, "Some words.", LINES)))[1]
        == f"[…]\n{dedent(LINES)}\n[…]"
    )


def test_source_code_without_a_fence_is_shown_as_it_is_written() -> None:
    text = f"import os\n\nclass Paths(*bases):\n{LINES}\n"
    best, _ = passage(found_chunk(text, spans=[matched_span(text.index(LINES), LINES, kind="code")]))
    assert best == dedent(LINES)
    assert whole_passage(found_chunk(text)) == text.rstrip().split("\n")


def test_a_row_comes_with_the_head_of_its_table() -> None:
    text = "Words.\n\n| name | *tide* |\n|---|---|\n| crab | low |\n| fish | high |\n"
    best, _ = passage(
        found_chunk(text, spans=[matched_span(text.index("| fish"), "| fish | high |", kind="table")])
    )
    head, row = best.split("\n")
    assert ("tide" in head, "*" in head, "fish" in row, "high" in row) == (True, False, True, True)
    head_alone = [matched_span(text.index("| name"), "| name | *tide* |", kind="table")]
    assert "\n" not in passage(found_chunk(text, spans=head_alone))[0]


@given(st.text(min_size=1), st.data())
def test_the_matching_sentence_is_never_cut(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assume(text[start:end].strip())  # what matched is never blank
    sentence, others = passage(found_chunk(text, start=7, spans=[matched_span(start + 7, text[start:end])]))
    assert not sentence.endswith("…") or text[start:end].rstrip().endswith("…")
    assert "\n" not in sentence + others


@pytest.mark.parametrize(
    ("text", "words", "read"),
    [
        (
            "Rust:\n\n```rust\nfn remove<K: AsRef<OsStr>>(key: K)\n```",
            "fn remove<K: AsRef<OsStr>>(key: K)",
            None,
        ),
        ("C:\n\n```c\nif (a<b && c>d) run();\nx = *p * *q;\n```", "if (a<b && c>d) run();", None),
        ("A [link that says. Two things](https://x.example) here.", "link that says.", None),
        ("Words in **bold. And** more.", "**bold.", "bold."),
    ],
)
def test_a_quotation_reads_as_it_does_where_it_stands(text: str, words: str, read: str | None) -> None:
    start = text.index(words)
    sentence, _ = passage(found_chunk(text, start=40, spans=[matched_span(40 + start, words)]))
    assert sentence == (read or words)
