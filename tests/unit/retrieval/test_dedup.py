"""Near-duplicates: which are folded, into what, and what is reported of them."""

import math
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.answer_chunks import scored_chunk
from tests.support.found_chunks import found_chunk
from webrag_desktop.errors import InputError, WebragError
from webrag_desktop.retrieval.contracts.answers import ScoredChunk
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.results import Folded, RetrievedChunk
from webrag_desktop.retrieval.dedup import DEFAULT_THRESHOLD, Folding, deduplicate, foldings, jaccard, tokens

FORTY = " ".join(f"word{number}" for number in range(40))
TWENTY = " ".join(f"word{number}" for number in range(20))

WORDS = ["tide", "Tide", "low", "limpet", "<", "1", "2", "潮", "干潮", "潮間帯", "น้ำ", "हिन्दी", "—", "`"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
SCORED = st.lists(st.tuples(TEXTS, st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans()), max_size=8).map(
    lambda given: [
        scored_chunk(text, score, chunk_id=str(number), hashed=hashed)
        for number, (text, score, hashed) in enumerate(given)
    ]
)
THRESHOLDS = st.floats(0.05, 1.0)


def folded(
    texts: Sequence[str],
    scores: Sequence[float],
    documents: str | Sequence[None] | None = None,
    threshold: float = DEFAULT_THRESHOLD,
) -> list[Folding]:
    """Foldings of these texts; each letter of ``documents`` names one."""
    passages = [Passage(text, score) for text, score in zip(texts, scores, strict=True)]
    return foldings(passages, documents or [None] * len(texts), threshold)


def ids(chunks: list[ScoredChunk]) -> list[str]:
    return [chunk.chunk_id for chunk in chunks]


def test_equal_texts_leave_the_better_one_in_its_place_and_list_the_other() -> None:
    chunks = [
        scored_chunk("Limpets clamp.", 0.2, chunk_id="worse", document_id="d", doc_path="https://a.org/p"),
        scored_chunk("Otters sleep.", 0.9, chunk_id="other"),
        scored_chunk("Limpets clamp.", 0.4, chunk_id="better"),
    ]
    kept = deduplicate(chunks)
    assert ids(kept) == ["other", "better"]
    assert kept[0] is chunks[1]
    assert kept[1].folded == [
        Folded(chunk_id="worse", document_id="d", source_url="https://a.org/p", similarity=1.0)
    ]


def test_the_default_threshold_has_to_be_exceeded() -> None:
    """.95 exactly, 19 words of 20 or 38 of 40, is not folded; 39 of 40 are more."""
    assert len(deduplicate([scored_chunk(TWENTY), scored_chunk(TWENTY.replace(" word19", ""))])) == 2
    of_each = [scored_chunk(FORTY.replace(f"word{number} ", "")) for number in (0, 1)]
    assert jaccard(*(tokens(chunk.text) for chunk in of_each)) == 0.95
    assert len(deduplicate(of_each)) == 2
    (kept,) = deduplicate([scored_chunk(FORTY), scored_chunk(FORTY.replace(" word39", ""))])
    assert [one.similarity for one in kept.folded] == [39 / 40]


def test_of_equal_scores_the_first_stays() -> None:
    assert ids(deduplicate([scored_chunk("Same.", chunk_id=name) for name in "bac"])) == ["b"]


def test_it_folds_what_a_search_found_by_the_score_that_orders_it() -> None:
    worse, better = found_chunk("Limpets clamp.", rank=0.3), found_chunk("LIMPETS clamp!", rank=0.8)
    worse = worse.model_copy(update={"score": 0.9})
    kept = deduplicate([worse, better])
    assert [chunk.chunk_id for chunk in kept] == [better.chunk_id]
    assert kept[0].folded == [
        Folded(
            chunk_id=str(worse.chunk_id),
            document_id=str(worse.document_id),
            source_url="https://example.org/a",
            similarity=1.0,
        )
    ]
    assert RetrievedChunk.model_validate_json(kept[0].model_dump_json()).folded == kept[0].folded


def test_what_a_folded_chunk_stood_for_is_not_lost() -> None:
    first = Folded(chunk_id="first", document_id=None, source_url=None, similarity=0.97)
    own = first.model_copy(update={"chunk_id": "own"})
    inner = scored_chunk("Same.", 0.1, chunk_id="inner").model_copy(update={"folded": [first]})
    outer = scored_chunk("Same.", 0.2, chunk_id="outer").model_copy(update={"folded": [own]})
    (kept,) = deduplicate([inner, outer])
    assert [one.chunk_id for one in kept.folded] == ["own", "inner", "first"]


def test_nothing_is_folded_into_what_is_folded_itself() -> None:
    """A is like B and B like C; C is compared with A, which stays, and not alike."""
    a, b, c = ("1 2 3 4 5 6 7 8 9 10", "2 3 4 5 6 7 8 9 10 11", "3 4 5 6 7 8 9 10 11 12")
    assert folded([a, b, c], [3, 2, 1], threshold=0.7) == [Folding(1, 0, 9 / 11)]


def test_what_a_document_says_twice_is_there_twice_and_folded_into_another_document_only() -> None:
    same = folded(["Limpets clamp."] * 6, [3 - n / 10 for n in range(6)], "aababa")
    assert same == [Folding(2, 0, 1.0), Folding(4, 0, 1.0)]
    nearly = [FORTY, FORTY + " more"]
    assert [(one.folded, one.kept) for one in folded(nearly, [3, 2], "ab")] == [(1, 0)]
    assert folded(nearly, [3, 2], "aa") == []


def test_of_one_document_nothing_is_folded_where_only_documents_are_compared() -> None:
    found = [found_chunk("Limpets clamp.", rank=rank) for rank in (0.9, 0.8)]
    found[1] = found[1].model_copy(update={"document_id": found[0].document_id})
    scored = [scored_chunk("Same.", chunk_id=name, document_id="d") for name in "ab"]
    assert deduplicate(found, within_documents=False) == found
    assert deduplicate(scored, within_documents=False) == scored
    assert (len(deduplicate(found)), len(deduplicate(scored))) == (1, 1)
    unknown = [scored_chunk("Same.", chunk_id=name) for name in "ab"]
    assert len(deduplicate(unknown, within_documents=False)) == 1


def test_a_subset_is_no_duplicate() -> None:
    """A measure that calls a part equal to its whole would hide the longer text."""
    assert folded([FORTY, TWENTY], [1, 2]) == []


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("The quick, *brown* fox.", "the QUICK brown “fox”", True),
        ("if a < b", "if a > b", False),
        ("if a == b:", "if a != b:", False),
        ("max_depth", "max depth", True),
        ("潮が引く。", "潮が引く", True),
        ("犬が人を噛む", "人が犬を噛む", False),
        ("我们去公园", "我们去学校", False),
        ("कि", "की", False),
        ("Über", "U\u0308ber", True),
        ("น้ำลง", "น้ำขึ้น", False),
    ],
)
def test_what_counts_as_the_same(one: str, other: str, alike: bool) -> None:
    assert (tokens(one) == tokens(other)) == alike


@given(st.text(st.characters(codec="ascii")))
def test_tokens_are_the_same_however_they_are_read(text: str) -> None:
    """Texts in ASCII take a shorter way."""
    assert tokens(f"{text} é") - {"é"} == tokens(text)


@given(st.text())
def test_tokens_hold_letters_and_digits_of_the_text_alone_or_are_signs(text: str) -> None:
    folded = unicodedata.normalize("NFC", text).casefold()
    for token in tokens(text):
        assert token in folded
        assert len(token) == 1 or token == "!=" or not set(token) & set(" \t\n.,;:!?()[]*_`“”—…。、")


def test_writing_without_spaces_is_compared_by_pairs_of_characters() -> None:
    """A library that splits at spaces calls these two altogether different."""
    assert tokens("潮間帯の") == {"潮間", "間帯", "帯の"}
    assert jaccard(tokens("今天天气很好我们去公园"), tokens("今天天气很好我们去公园吧")) == 10 / 11


@pytest.mark.parametrize("text", ["", "…", "— —"])
def test_texts_without_words_are_alike_only_if_equal(text: str) -> None:
    assert folded([text, "!"], [1, 2], threshold=0.01) == []
    assert folded([text, text], [1, 2]) == [Folding(0, 1, 1.0)]


def test_a_threshold_of_one_folds_only_equal_texts() -> None:
    texts = ["low tide", "Low tide.", "tide low", "low tide"]
    assert folded(texts, [1] * 4, threshold=1.0) == [Folding(3, 0, 1.0)]


@pytest.mark.parametrize("threshold", [0, -0.1, 1.0001, math.nan, math.inf, True, "0.9", None])
def test_a_threshold_that_is_none_is_refused(threshold: float) -> None:
    with pytest.raises(InputError, match="similarity") as caught:
        deduplicate([scored_chunk("Same.")], threshold)
    assert isinstance(caught.value, WebragError)
    assert "0.95" in caught.value.hint


@given(SCORED, THRESHOLDS)
def test_folding_again_changes_nothing(chunks: list[ScoredChunk], threshold: float) -> None:
    once = deduplicate(chunks, threshold)
    assert deduplicate(once, threshold) == once


@given(SCORED, THRESHOLDS)
def test_every_chunk_stays_in_its_order_or_is_listed_once(
    chunks: list[ScoredChunk], threshold: float
) -> None:
    kept = deduplicate(chunks, threshold)
    assert ids(kept) == [name for name in ids(chunks) if name in ids(kept)]
    listed = [one.chunk_id for chunk in kept for one in chunk.folded]
    assert sorted(ids(kept) + listed, key=int) == ids(chunks)


@given(SCORED, THRESHOLDS)
def test_only_what_is_similar_is_folded_and_only_into_what_is_better(
    chunks: list[ScoredChunk], threshold: float
) -> None:
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    kept = deduplicate(chunks, threshold)
    for chunk in kept:
        for one in chunk.folded:
            other = by_id[one.chunk_id]
            assert other.score <= chunk.score
            similarity = jaccard(tokens(other.text), tokens(chunk.text))
            assert other.text == chunk.text or one.similarity == similarity > threshold
    for place, chunk in enumerate(kept):
        for other in kept[place + 1 :]:
            assert chunk.text != other.text
            assert jaccard(tokens(chunk.text), tokens(other.text)) <= threshold
