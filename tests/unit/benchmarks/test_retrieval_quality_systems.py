import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.metrics import Ranking
from benchmarks.retrieval_quality_parts.peer_systems.fusing import fused
from benchmarks.retrieval_quality_parts.peer_systems.places import Node, located, nested, whole
from benchmarks.retrieval_quality_parts.peers import TITLES, Peers, PeersMissing, peers, usual_peers
from benchmarks.retrieval_quality_parts.products import HYBRID, Search, arms_of, parsed_options
from benchmarks.retrieval_quality_parts.reading_order import Place, original_offsets, ranking
from benchmarks.retrieval_quality_parts.same_words import Agreement
from benchmarks.retrieval_quality_parts.vectors import KeptVectors, trimmed
from webrag_desktop.embedding.tokenizers.shipped import WordPieceTokenizer
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import MatchedSpan, RetrievalResult, RetrievedChunk

URL = "https://evaluation.example/"


class LengthEmbedder:
    """Vectors that tell how long a text is, and what was asked for."""

    model = EmbeddingModel(backend="test", model="length", dimensions=2, tokenizer="none", max_tokens=512)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self.asked += texts
        return [[float(len(text)), 1 / 3] for text in texts]

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        self.asked.append(text)
        return [-float(len(text)), 1 / 3]

    def close(self) -> None:
        """Nothing to release."""


def found_chunk(
    url: str, start: int, end: int, rank: float, *spans: tuple[int, int, float]
) -> RetrievedChunk:
    return RetrievedChunk.model_construct(  # type: ignore[call-arg]  # no more is read
        source_url=URL + url,
        char_start=start,
        char_end=end,
        rank_score=rank,
        relevance_score=None,
        matched_spans=[MatchedSpan(char_start=a, char_end=b, text="", score=score) for a, b, score in spans],
    )


def test_a_result_is_read_in_the_order_of_the_product() -> None:
    places = {URL + name: Place(name, range(1000)) for name in "ab"}
    chunks = [
        found_chunk("a", 0, 100, 0.5, (40, 50, 0.6), (0, 10, 0.9)),
        found_chunk("b", 0, 90, 0.8, (80, 90, 0.7)),
        found_chunk("a", 100, 120, 0.1),
    ]
    result = RetrievalResult.model_construct(chunks=chunks)  # type: ignore[call-arg]
    read = ranking(result, places)
    assert read.pieces == (
        Piece("a", 0, 10),
        Piece("a", 40, 50),
        Piece("b", 80, 90),
        Piece("a", 10, 40),
        Piece("a", 50, 100),
        Piece("b", 0, 80),
        Piece("a", 100, 120),
    )
    assert read.chunks == (Piece("b", 0, 90), Piece("a", 0, 100), Piece("a", 100, 120))
    assert read.documents == ("b", "a")


def test_offsets_lead_back_over_dropped_white_space() -> None:
    text = "\n one  \n two \n\n"
    markdown = "one\n two"
    offsets = original_offsets(markdown, text)
    assert [text[at] for at in offsets] == list(markdown)
    assert Place("a.md", offsets).piece(3, 8) == Piece("a.md", text.index("\n", 3), text.index("two") + 3)
    for other in ("one\n tw!", "one\n two\nthree"):
        with pytest.raises(ValueError, match=r"changed|goes on"):
            original_offsets(other, text)


def test_options_are_read_in_their_type() -> None:
    options = parsed_options("vector_weight=.4,lexical_children_limit=7")
    assert RetrievalOptions(**options) == RetrievalOptions(vector_weight=0.4, lexical_children_limit=7)
    assert parsed_options("") == {}
    with pytest.raises(ValueError, match="valid integer"):
        parsed_options("lexical_children_limit=many")
    with pytest.raises(ValueError, match="no option speed"):
        parsed_options("speed=1")


def test_arms_keep_the_other_options() -> None:
    vector, words = arms_of(Search(HYBRID, {"similarity_floor": 0.1}))
    assert vector.options == {"similarity_floor": 0.1, "vector_weight": 1.0, "lexical_children_limit": 1}
    assert words.options == {"similarity_floor": 0.1}


def test_vectors_are_embedded_once_and_kept_between_runs(tmp_path: Path) -> None:
    real = LengthEmbedder()
    vectors = KeptVectors(real, tmp_path)
    first = vectors.embed_texts(["four", "one", "four"])
    assert [round(vector[0]) for vector in first] == [4, 3, 4]
    assert vectors.embed_query("one")[0] == -3  # a question's vector is not its text's
    assert real.asked == ["four", "one", "one"]
    vectors.close()
    again = KeptVectors(real, tmp_path)
    assert again.embed_texts(["one", "four"]) == [first[1], first[0]]
    assert again.embed_texts(["new"])[0][0] == 3
    assert real.asked == ["four", "one", "one", "new"]
    assert again.embedded == 1
    again.close()


def test_text_is_trimmed_to_what_the_model_reads() -> None:
    tokenizer = WordPieceTokenizer()
    assert trimmed("one two three four", tokenizer, tokens=2 + 3) == "one two three "
    assert trimmed("one two", tokenizer) == "one two"
    assert trimmed(" \n", tokenizer) == "."


def test_parts_are_found_in_order() -> None:
    text = "one. two. one."
    assert [(part.start, part.end) for part in located("a", text, ["one.", "two.", "one."])] == [
        (0, 4),
        (5, 9),
        (10, 14),
    ]
    with pytest.raises(ValueError, match="not found"):
        located("a", text, ["two.", "two."])
    assert whole({"a": text}) == [("a", 0, 14, text)]


def test_nodes_are_found_within_the_nodes_they_were_cut_from() -> None:
    documents = {"a": "x y z x y z"}
    nodes = [
        Node("first", "a", "x y z"),
        Node("second", "a", "x y z"),
        Node("leaf", "second", "y z"),
        Node("overlap", "second", "z"),
        Node("in first", "first", "z"),
    ]
    assert nested(nodes, documents) == {
        "first": ("a", 0, 5),
        "second": ("a", 6, 11),
        "leaf": ("a", 8, 11),
        "overlap": ("a", 10, 11),
        "in first": ("a", 4, 5),
    }


def test_convex_sum_scales_each_arm_over_the_candidates_of_both() -> None:
    words = np.array([0.0, 8.0, 4.0, 0.0])
    meaning = np.array([0.9, 0.1, 0.5, 0.5])
    assert fused(words, meaning).tolist() == pytest.approx([0.5, 0.5, 0.5, 0.25])


def test_convex_sum_leaves_out_what_neither_arm_proposes() -> None:
    count = 150
    words = np.zeros(count)
    words[-1] = 1
    meaning = np.linspace(1, 0, count)
    kept = np.isfinite(fused(words, meaning))
    assert kept.sum() == 101
    assert kept[-1]
    assert not kept[120]
    assert np.isfinite(fused(np.zeros(3), np.ones(3))).all()


STAND_IN = """
import base64, json, struct, sys
job = json.loads(sys.stdin.readline())
print(json.dumps({"embed": ["word " * 400, "short"]}), flush=True)
vectors = json.loads(sys.stdin.readline())["vectors"]
lengths = [round(struct.unpack("<2f", base64.b64decode(one))[0]) for one in vectors]
print(json.dumps({"found": [[["a.md", 0, length] for length in lengths]] * len(job["questions"])}), flush=True)
"""


def test_other_systems_get_trimmed_vectors_and_give_rankings() -> None:
    data = EvaluationSet("s", {"a.md": "text"}, (Question("one?"), Question("two?")))
    command = [sys.executable, "-c", STAND_IN]
    with (
        suppress(BrokenPipeError),
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
    ):
        asked = Peers(process, LengthEmbedder(), WordPieceTokenizer())
        trimmed_length = len("word ") * 254
        expected = Ranking.of_chunks([Piece("a.md", 0, trimmed_length), Piece("a.md", 0, 5)])
        assert asked.rankings("bm25s-200", data) == [expected, expected]
        process.wait()
        for _ in range(2):
            with pytest.raises(PeersMissing, match="ended"):
                asked.rankings("bm25s-200", data)


def test_systems_that_are_not_installed_are_said_to_be_missing() -> None:
    data = EvaluationSet("s", {"a.md": "text"}, (Question("one?"),))
    with (
        peers(Path(sys.executable), LengthEmbedder(), WordPieceTokenizer()) as others,
        pytest.raises(PeersMissing, match="No module named"),
    ):
        others.rankings("bm25s-200", data)


SCORING_STAND_IN = """
import json, sys
asked = json.loads(sys.stdin.readline())
scores = [[words.count(term) * asked["k1"] for words in asked["words"] for term in terms] for terms in asked["asked"]]
print(json.dumps({"scores": scores}), flush=True)
"""


def test_words_that_are_taken_apart_are_scored_for_every_passage() -> None:
    command = [sys.executable, "-c", SCORING_STAND_IN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        asked = Peers(process, LengthEmbedder(), WordPieceTokenizer())
        scored = asked.word_scores([["a", "b"], ["b", "b"]], [["b"], ["a"]], 0.5, 0.4)
        assert scored.tolist() == [[0.5, 1.0], [0.5, 0.0]]


def test_bm25s_that_is_not_installed_is_said_to_be_missing() -> None:
    with (
        peers(Path(sys.executable), LengthEmbedder(), WordPieceTokenizer()) as others,
        pytest.raises(PeersMissing, match="No module named"),
    ):
        others.word_scores([["a"]], [["a"]], 0.9, 0.4)


def test_scores_agree_as_far_as_their_order_does() -> None:
    ours = np.array([3.0, 2.0, 1.0, 0.0])
    assert Agreement.between(ours, ours) == Agreement(1.0, 1.0, 0.0)
    assert Agreement.between(ours, 2 * ours) == Agreement(1.0, 1.0, 1.0)
    assert Agreement.between(ours, ours[[2, 1, 0, 3]]).spearman == -1.0


def test_equal_scores_share_a_rank_and_what_neither_finds_is_left_out() -> None:
    ours = np.array([2.0, 2.0, 1.0, 0.0, 0.0])
    theirs = np.array([3.0, 2.0, 1.0, 0.0, 0.0])
    assert Agreement.between(ours, theirs).spearman == pytest.approx(0.8660254)


def test_the_best_ten_are_compared_as_sets() -> None:
    ours = np.arange(20, 0, -1, dtype=np.float64)
    theirs = ours.copy()
    theirs[[9, 10]] = theirs[[10, 9]]
    assert Agreement.between(ours, theirs).top == pytest.approx(0.9)


def test_every_set_is_asked_of_systems_that_have_a_name() -> None:
    spans = EvaluationSet("s", {}, ())
    documents = EvaluationSet("s", {}, (), task="documents")
    assert set(usual_peers(spans)) < set(TITLES)
    assert set(usual_peers(documents)) < set(TITLES)
    assert "convex-whole" in usual_peers(documents)
    assert "parent-documents" in usual_peers(spans)
