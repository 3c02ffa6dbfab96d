"""Which chunks are given as evidence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.found_documents import child, found, item
from tests.support.retrieval_rows import id_of
from webrag_desktop.retrieval import choosing
from webrag_desktop.retrieval.choosing import first_of_all, first_of_each, mostly_same, no_overlap, selected
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage, as_evidence
from webrag_desktop.retrieval.contracts.results import ArmScores
from webrag_desktop.retrieval.fusion import FusionOptions
from webrag_desktop.retrieval.hybrid.documents import FoundDocument
from webrag_desktop.retrieval.hybrid.retriever import in_order, rescored, within
from webrag_desktop.retrieval.pipeline import SearchTerms
from webrag_desktop.text.spans import Span

FUSION = FusionOptions("linear", "minmax", 0.35, 0.65)
LIMPETS_GRAZE = SearchTerms({"en": ["limpet", "graze"]}, ())
A, B, C = id_of("a"), id_of("b"), id_of("c")


def chunk(document: UUID, start: int, end: int, score: float = 0.5) -> Passage:
    scores = ArmScores(score_vec=score)
    return Passage("x" * (end - start), score, document, None, start, end, 1, scores)


def late(document: UUID, text: str, start: int, cosine: float) -> Passage:
    scores = ArmScores(score_vec=cosine)
    return Passage(
        text,
        cosine,
        document,
        None,
        start,
        start + len(text),
        7,
        scores,
        heading_path=["Shore"],
        anchor="shore",
    )


def stored(documents: Sequence[FoundDocument]) -> list[Passage]:
    return in_order([passage for one in documents for passage in one.passages], documents)


def scored(
    chunks: Sequence[Passage], documents: Sequence[FoundDocument], fusion: FusionOptions = FUSION
) -> list[Passage]:
    kept = rescored(chunks, documents, LIMPETS_GRAZE, 0.3, fusion, RetrievalOptions())
    return in_order(kept, documents)


CHUNKS = st.lists(
    st.builds(
        lambda document, start, length, score: chunk(document, start, start + length, score),
        st.sampled_from([A, B, C]),
        st.integers(0, 100),
        st.integers(1, 40),
        st.floats(0, 1),
    ),
    max_size=40,
)


@given(chunks=CHUNKS, most=st.integers(1, 15), most_of_one=st.integers(1, 5))
def test_the_caps_hold_and_nothing_better_is_left_out(
    chunks: list[Passage], most: int, most_of_one: int
) -> None:
    kept = list(selected(chunks, first_of_each(most_of_one), first_of_all(most)))
    counts = Counter(one.document_id for one in kept)
    assert len(kept) <= most
    assert all(count <= most_of_one for count in counts.values())
    places = [next(n for n, one in enumerate(chunks) if one is chosen) for chosen in kept]
    assert places == sorted(places)
    for place, one in enumerate(chunks):
        if place not in places:
            before = [chunks[at] for at in places if at < place]
            full = len(kept) == most and len(before) == most
            assert full or sum(other.document_id == one.document_id for other in before) == most_of_one


@given(chunks=CHUNKS)
def test_no_two_folded_chunks_are_mostly_the_same_and_every_other_has_a_better_one(
    chunks: list[Passage],
) -> None:
    ordered = sorted(chunks, key=lambda one: -one.rank_score)
    kept = list(selected(ordered, no_overlap()))
    for n, one in enumerate(kept):
        assert not any(
            one.document_id == other.document_id and mostly_same(one.span, other.span) for other in kept[:n]
        )
    for one in ordered:
        assert any(
            one is other
            or (
                one.document_id == other.document_id
                and other.rank_score >= one.rank_score
                and mostly_same(one.span, other.span)
            )
            for other in kept
        )


def test_folding_compares_each_chunk_with_few_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bool] = []

    def counted(one: Span, other: Span) -> bool:
        compared.append(mostly_same(one, other))
        return compared[-1]

    monkeypatch.setattr(choosing, "mostly_same", counted)
    chunks = [chunk(A, n * 7919 % 1000 * 10, n * 7919 % 1000 * 10 + 10) for n in range(1000)]
    assert len(list(selected(chunks, no_overlap()))) == 1000
    assert len(compared) <= 2 * len(chunks)


def test_stored_chunks_come_with_what_they_were_found_by_best_first() -> None:
    chosen = found(
        (item("a"), [child("a1", "Tide.", start=7, rank=0.4, words=2.5, cosine=0.3)]),
        (item("b"), [child("b1", rank=0.9)]),
    )
    best, other = stored(chosen)
    assert best.document_id == B
    assert as_evidence(other) == EvidenceChunk(
        item_id=str(A),
        chunk_id=str(id_of("a1")),
        text="Tide.",
        start_idx=7,
        end_idx=12,
        token_count=5,
        score=0.4,
        score_text=2.5,
        score_vec=0.3,
        heading_path=["Shore"],
        anchors={"anchor": "shore"},
    )


def test_equal_chunks_stand_as_their_documents_do_then_as_in_the_text() -> None:
    first = [
        child("a1", start=90, rank=0.9),
        child("a2", start=50, rank=0.5),
        child("a3", start=20, rank=0.5),
    ]
    chosen = found((item("z"), first), (item("a"), [child("b1", start=1, rank=0.5)]))
    assert [one.char_start for one in stored(chosen)] == [90, 20, 50, 1]


def test_what_is_cut_late_counts_by_meaning_or_by_the_words_it_holds() -> None:
    chosen = found((item("a"), [child("a1", "Tide.", cosine=0.1)]))
    near, worded = late(A, "Far off.", 0, 0.35), late(A, "Limpets graze.", 20, 0.2)
    neither = late(A, "Whelks bore.", 40, 0.29)
    kept = scored([*stored(chosen), near, worded, neither], chosen)
    assert {(one.text, one.scores.score_text) for one in kept} == {
        ("Tide.", None),
        ("Far off.", None),
        ("Limpets graze.", 1.0),
    }
    cut = next(one for one in kept if one.scores.score_text)
    assert (cut.chunk_id, cut.char_start, cut.char_end, cut.tokens) == (None, 20, 34, 7)
    assert (cut.heading_path, cut.anchor, cut.scores.score_vec) == (["Shore"], "shore", 0.2)


def test_both_arms_and_the_depth_order_what_is_cut_late() -> None:
    chosen = found((item("a"), [child("a1")]), (item("b", depth=4), [child("b1")]))
    chunks = [
        late(A, "Whelks bore.", 0, 0.6),
        late(A, "Limpets graze.", 30, 0.5),
        late(B, "Dog whelks bore.", 0, 0.6),
    ]
    best_first = scored(chunks, chosen)
    assert [one.text for one in best_first] == ["Whelks bore.", "Dog whelks bore.", "Limpets graze."]
    assert [round(one.rank_score, 3) for one in best_first] == [0.65, 0.52, 0.35]
    wordy = FusionOptions("linear", "minmax", 0.9, 0.1)
    assert scored(chunks, chosen, wordy)[0].text == "Limpets graze."


def test_rare_words_of_the_question_are_worth_more_and_unknown_ones_the_most() -> None:
    asked = SearchTerms({"en": ["limpet", "shell"], "de": ["muschel"]}, ("max_depth",))
    passages = [("en", f"Limpets {n}.") for n in range(8)] + [
        ("en", "Shells."),
        ("en", "max_depth"),
        ("de", "Muscheln"),
    ]
    shares = asked.coverage(passages)
    assert 0 < shares[0] < shares[8] == shares[9] < 1
    assert shares[:8] == [shares[0]] * 8
    assert 0 < shares[10] < 1
    assert asked.coverage([]) == []
    assert SearchTerms({}, ()).coverage([("en", "Limpets.")]) == [0.0]


def test_filters_of_passages_hold_for_what_is_cut_late() -> None:
    chunks = [chunk(A, 0, 100), chunk(A, 60, 160), chunk(A, 95, 195), chunk(B, 0, 50)]
    assert within(chunks, None) == chunks
    allowed = {A: [(100, 130), (130, 180)]}
    assert [one.span for one in within(chunks, allowed)] == [(60, 160), (95, 195)]


class Looked(list[Span]):
    """Spans that count how often one of them is looked at."""

    times = 0

    def __getitem__(self, place: Any) -> Any:
        self.times += 1
        return super().__getitem__(place)

    def __iter__(self) -> Iterator[Span]:
        self.times += len(self)
        return super().__iter__()


def test_of_what_a_long_document_is_allowed_only_what_a_chunk_meets_is_looked_at() -> None:
    allowed = Looked((place, place + 30) for place in range(0, 30_000, 30))
    chunks = [chunk(A, place, place + 10) for place in range(0, 30_000, 10)]
    allowed.times = 0
    assert within(chunks, {A: allowed}) == chunks
    assert allowed.times < 100_000
