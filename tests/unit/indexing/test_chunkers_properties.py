"""What holds for the chunks of every chunker, whatever it cuts."""

import tempfile
import unicodedata
from bisect import bisect_left
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
import regex  # type: ignore[import-untyped, unused-ignore]
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.markdown_documents import (
    ANY_TEXT,
    DIFFICULT_DOCUMENTS,
    DOCUMENTS,
    GeneratedDocument,
    is_heading,
)
from tests.support.tokenizer_file import unigram_file
from tests.support.tokenizers import ByteTokenizer, LongWordTokenizer, WordTokenizer
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.indexing.chunkers import RULES, ChunkerRegistry
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.models.documents import ChunkSpan

LIBRARY = ChunkingOptions(window_tokens=60, child_tokens=24, parent_tokens=80)
TOKENIZERS = st.sampled_from([WordTokenizer(), ByteTokenizer(), LongWordTokenizer()])
CHUNKERS = st.sampled_from(list(RULES))
SIZES = st.one_of(st.none(), st.integers(4, 80))
TEXTS = st.one_of(DOCUMENTS, DIFFICULT_DOCUMENTS, ANY_TEXT.map(lambda text: GeneratedDocument(text, ())))
_MANY_AS_ONE = [
    "e\u0301",
    "z" + "\u0301" * 6,
    "。\u0301",
    "👩\u200d👧",
    "👧🏽",
    "🇩🇪",
    "✔\ufe0f",
    "\u1100\u1161\u11a8",
]
_MANY_AS_ONE += ["क्षि", "स्त्री", "น้ำ", "ｶﾞ", "x\u00ad", "\r\n", "\u0301"]
_RUNS = st.builds(
    lambda unit, count: unit * count,
    st.sampled_from([*_MANY_AS_ONE, *"ab .\n漢", "# ", "- ", "| ", "\n\n"]),
    st.integers(1, 9),
)
# What is read as one character and written as several, in any order and number.
CHARACTERS = st.lists(_RUNS, max_size=20).map(lambda runs: GeneratedDocument("".join(runs), ()))
OVERLAPPING = [name for name, rules in RULES.items() if rules.overlaps]


@cache
def real_tokenizer(name: str) -> Tokenizer:
    """A shipped tokenizer by its name, or one from a file as users bring it."""
    if name != "file":
        return open_tokenizer(name)
    with tempfile.TemporaryDirectory() as folder:
        return open_tokenizer(f"file:{unigram_file(Path(folder) / 'tokenizer.json')}")


def cut(
    document: GeneratedDocument,
    tokenizer: Tokenizer,
    chunker_id: str,
    most: int | None,
    overlap: int | None = None,
) -> list[ChunkSpan]:
    """The chunks, every promise that all chunkers make checked."""
    registry = ChunkerRegistry(tokenizer, LIBRARY, header_tokens=8)
    chunker = registry.open(chunker_id, max_chunk_tokens=most, overlap_tokens=overlap)
    spans = list(chunker.cut(document.markdown, document.blocks))
    check(document.markdown, tokenizer, spans, min(most or LIBRARY.window_tokens, LIBRARY.window_tokens))
    return spans


def check(markdown: str, tokenizer: Tokenizer, spans: list[ChunkSpan], most: int) -> None:
    covered = bytearray(len(markdown))
    for span in spans:
        text = markdown[span.start : span.end]
        assert text.strip(), "a chunk says something"
        assert span.token_count == tokenizer.count(text)
        assert span.token_count <= most or len(text.strip()) == 1
        covered[span.start : span.end] = b"\x01" * (span.end - span.start)
    left_out = "".join(char for char, seen in zip(markdown, covered, strict=True) if not seen)
    assert not left_out.strip()
    for before, after in pairwise(spans):
        assert before.start < after.start or before.end < after.end
        assert before.start <= after.start
        assert before.end <= after.end


@given(TEXTS, TOKENIZERS, CHUNKERS, SIZES)
@settings(max_examples=120)
def test_chunks_cover_all_text_in_order_within_their_size(
    document: GeneratedDocument, tokenizer: Tokenizer, chunker_id: str, most: int | None
) -> None:
    cut(document, tokenizer, chunker_id, most)


@given(TEXTS, TOKENIZERS, st.sampled_from(OVERLAPPING), st.integers(4, 60), st.data())
@settings(max_examples=100)
def test_an_overlap_only_reaches_back_so_many_tokens(
    document: GeneratedDocument, tokenizer: Tokenizer, chunker_id: str, most: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(1, most - 1))
    spans = cut(document, tokenizer, chunker_id, most, overlap)
    for before, after in pairwise(spans):
        shared = document.markdown[after.start : before.end] if after.start < before.end else ""
        starts = tokenizer.token_starts(document.markdown)
        assert sum(after.start <= start < before.end for start in starts) <= overlap, shared


@pytest.mark.parametrize(
    "name", ["bert-base-uncased", "cl100k_base", "granite-embedding-30m-english", "file"]
)
@given(TEXTS, CHUNKERS, SIZES)
@settings(max_examples=40)
def test_the_same_holds_for_tokenizers_of_models(
    name: str, document: GeneratedDocument, chunker_id: str, most: int | None
) -> None:
    cut(document, real_tokenizer(name), chunker_id, most)


@pytest.mark.parametrize("chunker_id", RULES)
def test_what_is_more_tokens_by_itself_than_in_its_place_is_cut_once_more(chunker_id: str) -> None:
    cut(GeneratedDocument("、\n\n- naïve\n\n", ()), real_tokenizer("cl100k_base"), chunker_id, 2)


@given(st.one_of(TEXTS, CHARACTERS), CHUNKERS, st.integers(12, 60))
@settings(max_examples=100)
@example(GeneratedDocument("\r\n" * 4 + "a\u0323\u0300" * 2, ()), "headings", 12)  # behind blanks
@example(GeneratedDocument("# abcdefg\n\n" + "👩\u200d👩\u200d👧" * 2, ()), "headings", 24)  # below a heading
@example(
    GeneratedDocument("漢字。\u0301漢字漢字。\u0301漢", ()), "headings", 12
)  # where a sentence seems to end
@example(GeneratedDocument("漢字。\u0301漢字漢字。\u0301漢", ()), "recursive", 12)
@example(GeneratedDocument("漢字。\u0301漢字漢字。\u0301漢", ()), "sentence_window", 12)
@example(GeneratedDocument("👧🏽👧🏽👧🏽", ()), "headings", 12)
@example(GeneratedDocument("a🇩🇪🇫🇷🇯🇵", ()), "headings", 15)
@example(GeneratedDocument("\u1100\u1161\u11a8" * 3, ()), "headings", 14)
@example(GeneratedDocument("\u1100\u1161\u11a8" * 3, ()), "fixed_tokens", 12)
@example(GeneratedDocument("क्षि" * 3, ()), "headings", 18)
@example(GeneratedDocument("กำกำกำ", ()), "headings", 16)
@example(
    GeneratedDocument("x\u00ad" + "\u0301" * 6, ()), "headings", 12
)  # with the hyphen they are too large
@example(GeneratedDocument("x\u00ad" + "\u0301" * 6, ()), "headings", 14)
@example(GeneratedDocument("स्त्री", ()), "sentence_window", 14)  # too large as a whole, its letters are not
def test_no_character_is_torn_that_fits_into_a_chunk(
    document: GeneratedDocument, chunker_id: str, most: int
) -> None:
    text = document.markdown
    ends = accumulate(map(len, regex.findall(r"\X", text)))
    characters = [
        0,
        *(end for end in ends if not joined(text, end)),
    ]  # marks behind a soft hyphen belong to it
    for span in cut(document, ByteTokenizer(), chunker_id, most):
        for border in (span.start, span.end):
            if joined(text, border):
                assert len(cluster(text, border).encode()) > most // 2 - 1, (border, cluster(text, border))
            first = bisect_left(characters, border)
            if characters[first] != border and not text[border - 1].isspace():
                whole = text[characters[first - 1] : characters[first]]
                # Marks behind a line break or a soft hyphen are no character to keep whole, since they have no letter.
                lone_marks = unicodedata.category(whole[0])[0] == "M"
                assert lone_marks or len(whole.encode()) > most, (border, whole)


def joined(text: str, border: int) -> bool:
    """Whether a combining mark or a joiner binds the code points beside a border."""
    if not 0 < border < len(text) or text[border - 1].isspace():
        return False
    return unicodedata.category(text[border])[0] == "M" or "\u200d" in text[border - 1 : border + 1]


def cluster(text: str, border: int) -> str:
    """All that is bound together around a border."""
    start = next(at for at in range(border, -1, -1) if not joined(text, at))
    end = next((at for at in range(border, len(text)) if not joined(text, at)), len(text))
    return text[start:end]


@given(TEXTS, TOKENIZERS, CHUNKERS, SIZES)
def test_the_same_text_is_always_cut_alike(
    document: GeneratedDocument, tokenizer: Tokenizer, chunker_id: str, most: int | None
) -> None:
    assert cut(document, tokenizer, chunker_id, most) == cut(document, tokenizer, chunker_id, most)


@given(st.one_of(DOCUMENTS, DIFFICULT_DOCUMENTS), TOKENIZERS)
def test_headings_cuts_as_the_library_itself_is_cut(
    document: GeneratedDocument, tokenizer: Tokenizer
) -> None:
    stored = [
        (chunk.char_start, chunk.char_end, chunk.heading_path, chunk.anchor)
        for chunk in chunk_document(document.markdown, document.blocks, tokenizer, LIBRARY)
        if chunk.level == "child" and chunk.chunk_text.strip()
    ]
    spans = cut(document, tokenizer, "headings", None)
    assert [(span.start, span.end, span.heading_path, span.anchor) for span in spans] == stored


@given(st.one_of(DOCUMENTS, DIFFICULT_DOCUMENTS), TOKENIZERS)
def test_the_families_of_headings_are_the_library_s_own(
    document: GeneratedDocument, tokenizer: Tokenizer
) -> None:
    own = ChunkerRegistry(tokenizer, LIBRARY, header_tokens=8).open("headings")
    text = document.markdown, document.blocks
    assert tuple(own.families(*text)) == chunk_document(*text, tokenizer, LIBRARY)


@pytest.mark.parametrize("chunker_id", sorted(set(RULES) - {"headings"}))
def test_other_rules_have_no_families(chunker_id: str) -> None:
    chunker = ChunkerRegistry(WordTokenizer(), LIBRARY, header_tokens=8).open(chunker_id)
    with pytest.raises(TypeError, match="has no parents"):
        chunker.families("A text.", ())


@given(DOCUMENTS, CHUNKERS)
def test_every_chunk_carries_the_headings_and_the_anchor_of_its_own_text(
    document: GeneratedDocument, chunker_id: str
) -> None:
    for span in cut(document, WordTokenizer(), chunker_id, None):
        holding = [block for block in document.blocks if block.char_start <= span.start < block.char_end]
        for block in holding:
            assert span.heading_path == block.heading_path
            above = [one for one in document.blocks if one.char_start <= span.start and is_heading(one)]
            assert span.anchor == (above[-1].anchor if above else None)
