import pytest

from tests.support.synthetic_library import MODEL, SPACE, AngleEmbedder
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.embedding.server_errors import NoEmbeddingsError, ServerBusyError
from webrag_desktop.errors import Cancelled, EmbeddingError, InputError
from webrag_desktop.models.spaces import EmbeddingModel, StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.query_text import embed_question, given_question

STORED = StoredSpace(1, "embeddings", SPACE)


class SpecialTokenizer(WordTokenizer):
    special_tokens = 2


class BrokenEmbedder(AngleEmbedder):
    def __init__(self, vector: list[float]) -> None:
        super().__init__()
        self.vector = vector

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return self.vector


def test_a_question_is_embedded_as_it_is() -> None:
    embedder = AngleEmbedder()
    asked = embed_question("what is it?", embedder, None)
    assert (asked.values, asked.degraded) == ([1.0, 0.0, 0.0], None)
    assert embedder.questions == ["what is it?"]


def test_without_an_embedder_or_vectors_the_words_answer() -> None:
    for embedder, space in ((None, STORED), (AngleEmbedder(), None), (None, None)):
        asked = embed_question("q", embedder, None).within(space)
        assert asked.values == []
        assert asked.degraded is not None
        assert "words only" in asked.degraded


def test_vectors_of_another_model_are_never_mixed() -> None:
    other = AngleEmbedder(MODEL.model_copy(update={"model": "other"}))
    asked = embed_question("q", other, None).within(STORED)
    assert asked.values == []
    assert asked.degraded is not None
    assert "angles" in asked.degraded
    assert "other" in asked.degraded


def test_another_floor_is_the_same_model() -> None:
    embedder = AngleEmbedder(MODEL.model_copy(update={"similarity_floor": 0.6}))
    assert embed_question("q", embedder, None).within(STORED).values


def test_a_cancellation_is_no_failure_of_the_model() -> None:
    class Cancelling(AngleEmbedder):
        def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
            assert cancel is token
            raise Cancelled("Stopped.")

    token = CancelToken()
    with pytest.raises(Cancelled):
        embed_question("q", Cancelling(), None, token)


def test_a_failure_is_reported_with_its_reason() -> None:
    embedder = AngleEmbedder(failure=EmbeddingError("The model server is away."))
    asked = embed_question("q", embedder, None)
    assert asked.values == []
    assert asked.degraded is not None
    assert asked.degraded.endswith("The model server is away.")


def test_what_to_do_is_reported_a_failure_that_does_not_pass_by_itself() -> None:
    for_good = NoEmbeddingsError("The server does not embed texts.", "Start it with --embeddings.")
    passing = ServerBusyError("The server has too much to do.", "Try again later.")
    reported = [
        embed_question("q", AngleEmbedder(failure=error), None).degraded for error in (for_good, passing)
    ]
    assert (reported[0] or "").endswith("does not embed texts. Start it with --embeddings.")
    assert (reported[1] or "").endswith("has too much to do.")


@pytest.mark.parametrize("vector", [[], [1.0], [0.0, 0.0, 0.0], [float("nan"), 1.0, 0.0]])
def test_an_unusable_vector_is_not_used(vector: list[float]) -> None:
    asked = embed_question("q", BrokenEmbedder(vector), None)
    assert asked.values == []
    assert asked.degraded is not None


def test_a_question_beyond_the_window_is_cut_for_the_model_and_says_so() -> None:
    model: EmbeddingModel = MODEL.model_copy(update={"max_tokens": 6, "query_prefix": "query:"})
    stored = StoredSpace(1, "embeddings", SPACE.model_copy(update={"model": model}))
    embedder = AngleEmbedder(model)
    asked = embed_question("one two three four", embedder, SpecialTokenizer()).within(stored)
    assert embedder.questions == ["one two"]
    assert asked.values
    assert asked.degraded is not None
    assert "first 7 characters" in asked.degraded


def test_a_vector_given_back_is_taken_as_it_is_and_asks_no_model() -> None:
    asked = embed_question("what is it?", AngleEmbedder(), None)
    broken = AngleEmbedder(failure=EmbeddingError("away"))
    for embedder in (None, broken, AngleEmbedder(MODEL.model_copy(update={"model": "other"}))):
        given = given_question(asked.values, "what is it?", embedder, None).within(STORED)
        assert (given.values, given.degraded) == (asked.values, None)
    assert broken.questions == []


def test_what_was_too_long_when_it_was_embedded_is_said_again() -> None:
    embedder, text = AngleEmbedder(MODEL.model_copy(update={"max_tokens": 5})), "a b c d e f g"
    asked = embed_question(text, embedder, SpecialTokenizer())
    given = given_question(asked.values, text, embedder, SpecialTokenizer())
    assert asked.degraded is not None
    assert (given.values, given.degraded) == (asked.values, asked.degraded)


@pytest.mark.parametrize(
    "values",
    [[float("nan"), 0, 1], [float("inf"), 0, 1], [0.0, 0.0, 0.0], ["one"], [None], [10**400], "abc"],
)
def test_what_is_no_vector_is_refused(values: list[float]) -> None:
    with pytest.raises(InputError, match="finite numbers") as refused:
        given_question(values, "q", None, None)
    assert "query_embedding" in refused.value.hint


def test_a_vector_of_another_length_is_refused_where_there_are_vectors() -> None:
    given = given_question([1.0, 0.0], "q", None, None)
    with pytest.raises(InputError, match="has 2 numbers, but those of this library have 3"):
        given.within(STORED)
    assert given.within(None).values == []
