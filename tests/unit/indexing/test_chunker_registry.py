"""Chunkers by id: what each one cuts, which sizes it takes, and what is embedded of its chunks."""

from hashlib import sha256
from typing import SupportsIndex

import pytest

from tests.support.tokenizers import WordTokenizer
from webrag_desktop.errors import Cancelled, InputError, WebragError
from webrag_desktop.indexing.chunkers import RULES, ChunkerRegistry
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.models.documents import Block
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.graphemes import RULES as CHARACTERS
from webrag_desktop.text.graphemes import between_characters
from webrag_desktop.text.sentences import RULES as SENTENCES

LIBRARY = ChunkingOptions(window_tokens=40, child_tokens=12, parent_tokens=60)
REGISTRY = ChunkerRegistry(WordTokenizer(), LIBRARY, header_tokens=8)
TEXT = "# Rivers\n\nRivers carry sand. They run to the sea.\n\n## Otters\n\nOtters sleep. They hold hands. They eat.\n"
BLOCKS = (
    Block(char_start=0, char_end=8, heading_path=("Rivers",), anchor="rivers"),
    Block(char_start=10, char_end=49, heading_path=("Rivers",)),
    Block(char_start=51, char_end=60, heading_path=("Rivers", "Otters"), anchor="otters", page=2),
    Block(char_start=62, char_end=101, heading_path=("Rivers", "Otters")),
)


def texts(
    chunker_id: str, most: int | None = None, overlap: int | None = None, text: str = TEXT
) -> list[str]:
    chunker = REGISTRY.open(chunker_id, max_chunk_tokens=most, overlap_tokens=overlap)
    return [text[span.start : span.end] for span in chunker.cut(text, BLOCKS if text == TEXT else ())]


def test_an_unknown_id_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(WebragError) as caught:
        REGISTRY.open("semantic")
    assert "'semantic'" in caught.value.message
    assert caught.value.hint == "Use one of these: headings, recursive, sentence_window, fixed_tokens."


def test_recursive_prefers_paragraphs_then_lines_then_sentences_then_words() -> None:
    assert texts("recursive", 12) == [
        "# Rivers\n\nRivers carry sand. They run to the sea.",
        "## Otters\n\nOtters sleep. They hold hands.",
        "They eat.",
    ]
    assert texts("recursive", 6, text="one two three four\nfive six seven. eight nine ten") == [
        "one two three four",
        "five six seven.",
        "eight nine ten",
    ]
    assert texts("recursive", 3, text="one two three four five six seven") == [
        "one two three",
        "four five six",
        "seven",
    ]


def test_a_sentence_stands_among_its_neighbours_under_one_heading() -> None:
    assert texts("sentence_window", 40) == [
        "# Rivers\n\nRivers carry sand. They run to the sea.",
        "## Otters\n\nOtters sleep. They hold hands.",
        "## Otters\n\nOtters sleep. They hold hands. They eat.",
        "They hold hands. They eat.",
    ]


def test_neighbours_that_do_not_fit_are_left_out() -> None:
    assert texts("sentence_window", 9)[:2] == ["# Rivers\n\nRivers carry sand.", "They run to the sea."]


def test_fixed_tokens_overlap_by_whole_words() -> None:
    words = "one two three four five six seven eight"
    assert texts("fixed_tokens", 3, text=words) == ["one two three", "four five six", "seven eight"]
    assert texts("fixed_tokens", 3, 1, text=words) == [
        "one two three",
        "three four five",
        "five six seven",
        "seven eight",
    ]


@pytest.mark.parametrize(
    "whole",
    [
        "👩\u200d👩\u200d👧",
        "🇩🇪",
        "👍🏽",
        "e\u0301\u0323",
        "\r\n",
        "각",
        "\u1100\u1161\u11a8",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "+\u200c",
        "!\uff9e",
    ],
)
def test_what_is_read_as_one_character_stays_whole(whole: str) -> None:
    text = f"ab{whole * 9}cd"
    chunker = REGISTRY.open("fixed_tokens", max_chunk_tokens=7)
    borders = {border for span in chunker.cut(text, ()) for border in (span.start, span.end)}
    inside = {2 + len(whole) * n + k for n in range(9) for k in range(1, len(whole))}
    assert not borders & inside


def test_a_page_of_flags_is_looked_at_but_shortly_around_each_cut() -> None:
    class Watched(str):
        """Counts the code points that are taken out of it."""

        taken = 0

        def __getitem__(self, key: SupportsIndex | slice) -> str:
            part = super().__getitem__(key)
            Watched.taken += len(part)
            return part

    assert between_characters(Watched("🇩🇪" * 5000), 9000)
    assert not between_characters(Watched("🇩🇪" * 100), 101)
    assert Watched.taken < 1000


def test_a_chunk_carries_headings_anchor_and_page() -> None:
    last = REGISTRY.open("fixed_tokens", max_chunk_tokens=4).cut(TEXT, BLOCKS)[-1]
    assert (last.heading_path, last.anchor, last.page) == (("Rivers", "Otters"), "otters", 2)
    first = REGISTRY.open("recursive").cut(TEXT, BLOCKS)[0]
    assert (first.heading_path, first.anchor, first.page) == (("Rivers",), "rivers", None)


def test_an_overlap_keeps_the_headings_of_the_chunk_s_own_text() -> None:
    spans = REGISTRY.open("headings", max_chunk_tokens=20, overlap_tokens=4).cut(TEXT, BLOCKS)
    assert TEXT[spans[1].start : spans[1].end].startswith("to the sea.\n\n## Otters")
    assert spans[1].heading_path == ("Rivers", "Otters")


def test_headers_are_embedded_only_where_they_are_included() -> None:
    headed, bare = REGISTRY.open("recursive"), REGISTRY.open("recursive", include_headers=False)
    spans = headed.cut(TEXT, BLOCKS)
    assert spans == bare.cut(TEXT, BLOCKS)
    plain = [TEXT[span.start : span.end] for span in spans]
    assert bare.texts_to_embed("Water", TEXT, spans) == plain
    assert headed.texts_to_embed("Water", TEXT, spans)[0] == f"Water › Rivers\n{plain[0]}"
    assert headed.identity != bare.identity


def test_equal_identities_mean_equal_chunkers() -> None:
    opened = [
        REGISTRY.open(name, max_chunk_tokens=most, overlap_tokens=overlap)
        for name, rules in RULES.items()
        for most in (None, 10, 12)
        for overlap in ((None, 3) if rules.overlaps else (None,))
    ]
    identities = [chunker.identity for chunker in opened]
    assert len(set(identities)) == len(identities)
    assert REGISTRY.open("recursive", overlap_tokens=0).identity == REGISTRY.open("recursive").identity


LONGER = f"""# Rivers

Dr. Hill measured 3.5 m of mud, e.g. at Ely. “It moves!” he wrote. Nobody believed him; the mud did not care.
A line of its own.

| place | depth |
|---|---|
| Ely | 3.5 m. Deep. |

- First reed. Second reed.
- {"reed " * 30}

```
flow = 1. and. more.
```

川は海へ流れる。砂を運ぶ。{"砂" * 40}
"""


@pytest.mark.parametrize(
    ("chunker_id", "named"),
    [
        ("headings", "headings-4 f812cc8fac9d12cb"),
        ("recursive", f"recursive-1/sentences-{SENTENCES} 58b7a9a361de6ec7"),
        ("sentence_window", f"sentence-window-1/1/sentences-{SENTENCES} f69cd384a9c3352d"),
        ("fixed_tokens", "fixed-tokens-1 90206bf8f9cad98b"),
    ],
)
def test_rules_that_cut_otherwise_have_another_number(chunker_id: str, named: str) -> None:
    """Raise its ALGORITHM when this fails, and name the new cuts here: else cached chunks stay as they are."""
    cuts = [
        (span.start, span.end)
        for most in (None, 8)
        for span in REGISTRY.open(chunker_id, max_chunk_tokens=most).cut(LONGER, ())
    ]
    digest = sha256(repr(cuts).encode()).hexdigest()[:16]
    assert f"{RULES[chunker_id].algorithm} {digest}" == named


@pytest.mark.parametrize("chunker_id", ["recursive", "sentence_window"])
def test_who_cuts_by_sentences_has_another_identity_with_other_rules_for_these(chunker_id: str) -> None:
    assert f"/sentences-{SENTENCES}/" in REGISTRY.open(chunker_id).identity


@pytest.mark.parametrize("chunker_id", RULES)
def test_every_chunker_has_another_identity_with_other_rules_for_characters(chunker_id: str) -> None:
    assert f"/characters-{CHARACTERS}/" in REGISTRY.open(chunker_id).identity


def test_a_size_beyond_what_the_model_reads_is_that() -> None:
    chunker = REGISTRY.open("fixed_tokens", max_chunk_tokens=1000)
    assert [span.token_count for span in chunker.cut("word " * 90, ())] == [40, 40, 10]


@pytest.mark.parametrize(
    ("chunker_id", "most", "overlap", "said"),
    [
        ("recursive", 10, 10, "Chunks of 10 tokens cannot overlap by 10."),
        ("fixed_tokens", None, 12, "Chunks of 12 tokens cannot overlap by 12."),
        ("headings", 0, None, "Chunks of 0 tokens cannot overlap by 0."),
        ("fixed_tokens", 10, -1, "Chunks of 10 tokens cannot overlap by -1."),
        ("sentence_window", None, 3, "takes no overlap"),
    ],
)
def test_sizes_that_cannot_be_are_refused(
    chunker_id: str, most: int | None, overlap: int | None, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        REGISTRY.open(chunker_id, max_chunk_tokens=most, overlap_tokens=overlap)


@pytest.mark.parametrize("chunker_id", RULES)
def test_cutting_can_be_cancelled(chunker_id: str) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        REGISTRY.open(chunker_id).cut(TEXT, BLOCKS, cancel=cancel)


@pytest.mark.parametrize("chunker_id", RULES)
@pytest.mark.parametrize("text", ["", " \n\n\t"])
def test_a_text_of_nothing_gives_no_chunks(chunker_id: str, text: str) -> None:
    assert list(REGISTRY.open(chunker_id).cut(text, ())) == []
