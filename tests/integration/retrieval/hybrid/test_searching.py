"""Documents and evidence out of a real database, by every mode, blend and scale."""

import math
from collections.abc import Callable

import pytest

from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import Cancelled, EmbeddingError, InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.bundles import RetrievalBundle
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs
from webrag_desktop.retrieval.hybrid.retriever import HybridRetriever, Retriever
from webrag_desktop.storage.database import Connection, Database

Search = Callable[..., RetrievalBundle]

TIDES, GAUGES, STORMS = (
    "https://sea.example/tides",
    "https://sea.example/gauges",
    "https://sky.example/storms",
)


@pytest.fixture
def shore(library: SyntheticLibrary) -> SyntheticLibrary:
    library.add(
        TIDES,
        [
            Section(
                [Passage("Limpets hold on at low tide.", 0.8), Passage("Nothing else is said.", 0.1)],
                "Low tide",
            ),
            Section([Passage("The tide turns twice a day.", 0.6)], "Turning"),
        ],
        title="Tides",
    )
    library.add(GAUGES, [Section([Passage("A gauge reads the tide at low water.", 0.7)])])
    library.add(STORMS, [Section([Passage("A storm drives the water up.", 0.35)])], depth=2)
    return library


def addresses(bundle: RetrievalBundle) -> list[str | None]:
    return [item.source_ref for item in bundle.candidates]


def test_it_is_a_retriever(conn: Connection) -> None:
    retriever: Retriever = HybridRetriever(conn, None)
    assert retriever.search(RetrievalPrefs(query_text="tides")).candidates == []


@pytest.mark.usefixtures("shore")
def test_candidates_say_what_they_are_and_how_they_were_found(search: Search) -> None:
    best = search("low tide").candidates[0]
    assert (best.kind, best.source, best.source_ref) == ("html", "file", TIDES)
    assert best.title == "Tides"
    assert best.summary is None
    assert best.metadata["depth"] == 0
    assert best.metadata["found_by"] == ["vector", "words"]
    assert best.score == 1.0
    assert best.score_vec == pytest.approx(0.8, abs=1e-6)
    assert best.score_text
    assert (best.rank_text, best.rank_vec) == (1, 1)
    assert (best.snippet, best.snippet_from) == ("Limpets hold on at low tide.", "chunk")


def test_copies_of_a_page_are_documents_but_evidence_once(library: SyntheticLibrary, search: Search) -> None:
    for number in range(12):
        library.add(
            f"https://copy{number}.example/", [Section([Passage("The tide turns twice a day.", 0.9)])]
        )
    library.add(TIDES, [Section([Passage("Seen from the wall, the tide is low.", 0.8)])])
    found = search("tide")
    assert len(found.candidates) == 13
    assert [one.text.strip() for one in found.evidence] == [
        "The tide turns twice a day.",
        "Seen from the wall, the tide is low.",
    ]
    assert found.evidence[0].item_id == found.candidates[0].item_id
    few = search("tide", top_k_items=2)
    assert [one.item_id for one in few.candidates] == [one.item_id for one in found.evidence]


def test_where_not_one_character_has_room_there_is_no_snippet(
    library: SyntheticLibrary, search: Search
) -> None:
    library.add(TIDES, [Section([Passage("e\u0301", 0.9)])])
    best = search(snippet={"max_chars": 1}).candidates[0]
    assert (best.snippet, best.snippet_from) == (None, "unknown")


@pytest.mark.usefixtures("shore")
def test_evidence_says_where_it_stands(conn: Connection, search: Search) -> None:
    for one in search("low tide").evidence:
        row = conn.execute(
            "SELECT v.markdown, c.id, c.token_end - c.token_start FROM chunks c JOIN document_versions v"
            " ON v.id = c.version_id WHERE c.id = %s AND c.document_id = %s",
            [one.chunk_id, one.item_id],
        ).fetchone()
        assert row is not None
        assert one.text == row[0][one.start_idx : one.end_idx]
        assert one.token_count == row[2]
    conn.rollback()
    assert search("low tide").evidence[0].heading_path == ["Low tide"]
    assert search("low tide").evidence[0].anchors is None


@pytest.mark.usefixtures("shore")
def test_the_caps_hold(search: Search) -> None:
    assert len(search("low tide", top_k_items=1).candidates) == 1
    assert {one.item_id for one in search("low tide", top_k_items=1).evidence} == {
        search("low tide").candidates[0].item_id
    }
    assert len(search("low tide", top_k_chunks=2).evidence) == 2
    one_each = search("low tide", per_item_chunk_cap=1).evidence
    assert len({one.item_id for one in one_each}) == len(one_each) == 3


@pytest.mark.usefixtures("shore")
@pytest.mark.parametrize("rank_func", ["ts_rank_cd", "ts_rank", "bm25"])
@pytest.mark.parametrize(
    ("mode", "question", "worded"),
    [
        ("web", "low tide -gauge", [TIDES]),
        ("web", '"low tide"', [TIDES, GAUGES]),
        ("plain", "gauge or storm", [GAUGES, STORMS]),
        ("phrase", "low tide", [TIDES]),
        ("strict", "tide & !gauge", [TIDES]),
        ("strict", "storm | gauge", [GAUGES, STORMS]),
    ],
)
def test_words_are_read_by_every_mode_and_scored_by_every_function(
    search: Search, mode: str, rank_func: str, question: str, worded: list[str]
) -> None:
    found = search(
        question, fts={"mode": mode, "rank_func": rank_func}, vector={"embed_query": False}
    ).candidates
    everywhere = [item.source_ref for item in found if item.score_text is not None]
    assert sorted(filter(None, everywhere)) == sorted(worded)
    assert all(item.score_vec is None and item.rank_vec is None for item in found)


@pytest.mark.usefixtures("shore")
@pytest.mark.parametrize("normalize", ["minmax", "zscore", "sigmoid", "none"])
@pytest.mark.parametrize("blend", ["rrf", "linear"])
def test_every_blend_and_scale_orders_by_both_arms(search: Search, blend: str, normalize: str) -> None:
    bundle = search("low tide", scoring={"blend": blend, "normalize": normalize})
    assert addresses(bundle) == [TIDES, GAUGES, STORMS]
    scores = [item.score for item in bundle.candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert bundle.candidates[0].score == bundle.evidence[0].score


@pytest.mark.usefixtures("shore")
def test_the_weights_decide_what_a_linear_blend_says(library: SyntheticLibrary, search: Search) -> None:
    library.add("https://sea.example/near", [Section([Passage("Barnacles.", 0.99)])])
    by_words = search("low tide", scoring={"blend": "linear", "w_text": 1, "w_vec": 0})
    by_meaning = search("low tide", scoring={"blend": "linear", "w_text": 0, "w_vec": 1})
    assert addresses(by_words)[0] == TIDES
    assert addresses(by_meaning)[0] == "https://sea.example/near"


@pytest.mark.usefixtures("shore")
def test_every_distance_gives_the_same(search: Search) -> None:
    answers = [search("low tide", vector={"distance": one}).candidates for one in ("cosine", "l2", "ip")]
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.usefixtures("shore")
def test_bounds_of_both_arms_hold(search: Search) -> None:
    assert STORMS not in addresses(search("tide", vector={"min_score": 0.5}))
    worded = search("tide", fts={"min_rank": 1e9}, vector={"min_score": 0.75})
    assert addresses(worded) == [TIDES]
    assert worded.candidates[0].metadata["found_by"] == ["vector"]


@pytest.mark.usefixtures("shore")
def test_equal_questions_get_equal_answers(search: Search) -> None:
    first = search("low tide", debug=False)
    assert first == search("low tide", debug=False)
    assert first.evidence
    assert first.stats.model_dump() == {"timing_ms": {}, "counts": {}, "params": {}}


@pytest.mark.usefixtures("shore")
def test_figures_are_there_on_demand(search: Search) -> None:
    stats = search("low tide").stats
    assert set(stats.timing_ms) == {"embed", "search", "evidence", "sources", "total"}
    assert all(value >= 0 for value in stats.timing_ms.values())
    assert stats.counts == {
        "documents": 3,
        "parent_chunks": 4,
        "child_chunks": 5,
        "candidates_vector": 5,
        "candidates_text": 4,  # the heading's words count for all that stands under it
        "children": 5,
        "items": 3,
        "evidence": 5,
    }
    assert stats.params["query_text"] == "low tide"
    assert stats.params["fts"]["rank_func"] == "ts_rank_cd"
    assert "degraded" not in stats.params


@pytest.mark.usefixtures("shore")
def test_filters_restrict_documents_and_figures(search: Search) -> None:
    bundle = search("low tide", filters={"source_urls": [GAUGES], "max_depth": 0})
    assert addresses(bundle) == [GAUGES]
    assert bundle.stats.counts["documents"] == 1
    parts = search("low tide", filters={"sections": ["turning"]})
    assert [one.heading_path for one in parts.evidence] == [["Turning"]]
    with pytest.raises(InputError, match="no filter 'colour'"):
        search("low tide", filters={"colour": ["red"]})


@pytest.mark.parametrize("question", ["", "  \n", "\0"])
def test_an_empty_question_is_refused(search: Search, question: str) -> None:
    with pytest.raises(InputError, match="no question") as refused:
        search(question)
    assert refused.value.hint


@pytest.mark.usefixtures("shore")
def test_what_the_strict_syntax_and_the_server_do_not_know_is_refused(search: Search) -> None:
    with pytest.raises(InputError, match="strict syntax"):
        search("tide & (", fts={"mode": "strict"})
    with pytest.raises(InputError, match="no text search configuration named klingon"):
        search("tide", fts={"config": "klingon"})


@pytest.mark.usefixtures("shore")
@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize(
    "embedder",
    [None, AngleEmbedder(failure=EmbeddingError("The model is away.", "Wait."))],
    ids=["none", "failing"],
)
def test_without_a_vector_words_answer_and_it_is_said(
    conn: Connection, embedder: AngleEmbedder | None, debug: bool
) -> None:
    prefs = RetrievalPrefs(query_text="low tide", debug=debug)
    bundle = HybridRetriever(conn, embedder).search(prefs)
    assert addresses(bundle) == [TIDES, GAUGES]
    assert "by its words only" in bundle.stats.params["degraded"]
    assert all(one.score_vec is None and math.isfinite(one.score) for one in bundle.evidence)


@pytest.mark.usefixtures("shore")
def test_a_question_that_is_not_to_be_embedded_is_not_and_nothing_is_wrong(search: Search) -> None:
    bundle = search("low tide", vector={"embed_query": False}, debug=False)
    assert addresses(bundle) == [TIDES, GAUGES]
    assert bundle.stats.params == {}


def test_nothing_to_find_gives_an_empty_answer(search: Search) -> None:
    bundle = search("anything", debug=False)
    assert (bundle.candidates, bundle.evidence, bundle.stats.params) == ([], [], {})


def test_a_long_document_does_not_take_the_places_of_others(
    library: SyntheticLibrary, search: Search
) -> None:
    passages = [Passage(f"Tide number {n}.", 0.9) for n in range(150)]
    library.add("https://sea.example/all", [Section(passages)])
    for n in range(4):
        text = f"Of the pool {n} there is much more to be told than of any tide."
        library.add(f"https://sea.example/pool-{n}", [Section([Passage(text, 0.5)])])
    for rank_func in ("bm25", "ts_rank_cd"):
        assert len(search("tide", fts={"rank_func": rank_func}).candidates) == 5


@pytest.mark.usefixtures("shore")
def test_a_cancelled_search_ends_and_says_so(conn: Connection) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        HybridRetriever(conn, AngleEmbedder()).search(RetrievalPrefs(query_text="tide"), cancel=token)


class _CancellingEmbedder(AngleEmbedder):
    """Is told to stop while it embeds the question."""

    def __init__(self, token: CancelToken) -> None:
        super().__init__()
        self.token = token

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        self.token.cancel()
        return super().embed_query(text, cancel=cancel)


@pytest.mark.usefixtures("shore")
def test_a_search_that_is_cancelled_on_its_way_reads_nothing_more(database: Database) -> None:
    token = CancelToken()
    with database.connection() as conn:
        retriever = HybridRetriever(conn, _CancellingEmbedder(token))
        with pytest.raises(Cancelled):
            retriever.search(RetrievalPrefs(query_text="tide"), cancel=token)


@pytest.mark.usefixtures("shore")
def test_a_connection_in_the_middle_of_something_is_refused(conn: Connection) -> None:
    conn.execute("SELECT 1")
    with pytest.raises(InputError, match="in the middle of a transaction"):
        HybridRetriever(conn, AngleEmbedder()).search(RetrievalPrefs(query_text="tide"))
    conn.rollback()
