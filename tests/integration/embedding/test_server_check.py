"""The look at a server before the first texts of a process are trusted to it."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from tests.support.embedding_server import EmbeddingServer, hashed_vector, json_reply, status
from tests.support.remote_embedding import KEY, Open
from tests.support.tokenizer_file import unigram_file
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.catalog import SHIPPED_TOKENIZERS
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_check import KNOWN_TEXT
from webrag_desktop.embedding.server_errors import ServerFailedError
from webrag_desktop.errors import ConfigurationError, EmbeddingError


@pytest.fixture
def unchecked(opened: Open) -> Embedder:
    return opened(model="plain", dimensions=8, tokenizer="bert-base-uncased")


def checks(server: EmbeddingServer) -> int:
    return len(server.received) - len(server.embedding_requests)


def garbles(server: EmbeddingServer, *, at: int) -> None:
    """Give the text at one place of every batch the vector of another text."""

    def garbled(text: str, dimensions: int) -> list[float]:
        place = sent[-1].payload["input"].index(text) if len(sent[-1].payload["input"]) > 1 else -1
        return hashed_vector("something else" if place == at else text, dimensions)

    sent = server.received
    server.vector = garbled


def test_a_text_is_embedded_alone_and_in_company_before_the_first_batch(
    server: EmbeddingServer, unchecked: Embedder
) -> None:
    unchecked.embed_texts(["a", "b"])
    alone, company, work = [request.payload["input"] for request in server.received]
    assert alone == [KNOWN_TEXT]
    assert KNOWN_TEXT in company
    assert len(company) == 4
    assert work == ["a", "b"]


def test_the_check_is_made_once(server: EmbeddingServer, unchecked: Embedder) -> None:
    for _ in range(3):
        unchecked.embed_texts(["a", "b"])
    assert checks(server) == 2


def test_questions_do_not_wait_for_a_check(server: EmbeddingServer, unchecked: Embedder) -> None:
    unchecked.embed_query("what?")
    assert checks(server) == 0


def test_longer_texts_than_any_before_are_checked_for(server: EmbeddingServer, unchecked: Embedder) -> None:
    unchecked.embed_texts(["word " * 100])
    unchecked.embed_texts(["word " * 120])
    assert checks(server) == 2
    unchecked.embed_texts(["word " * 300])
    assert checks(server) == 4
    unchecked.embed_texts(["word " * 500])
    assert checks(server) == 4
    longest = max(server.received, key=lambda request: len(request.payload["input"][0])).payload["input"][0]
    assert 490 <= len(longest.split()) <= 512


def test_corrupt_vectors_in_batches_are_refused(server: EmbeddingServer, unchecked: Embedder) -> None:
    garbles(server, at=1)
    with pytest.raises(EmbeddingError, match="another vector in a batch than alone") as caught:
        unchecked.embed_texts(["a", "b"])
    assert "EMBEDDING_BATCH_SIZE=1" in caught.value.hint
    assert server.embedding_requests == []


def test_the_remedy_works(server: EmbeddingServer, opened: Open) -> None:
    garbles(server, at=1)
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=1)
    assert embedder.embed_texts(["a", "b"]) == [pytest.approx(hashed_vector(text, 8)) for text in "ab"]


def test_rounding_is_no_corruption(server: EmbeddingServer, unchecked: Embedder) -> None:
    def rounded(text: str, dimensions: int) -> list[float]:
        digits = 3 if len(server.received[-1].payload["input"]) > 1 else 9
        return [round(number, digits) for number in hashed_vector(text, dimensions)]

    server.vector = rounded
    assert len(unchecked.embed_texts(["a", "b"])) == 2


def test_one_vector_for_everything_is_refused(server: EmbeddingServer, unchecked: Embedder) -> None:
    server.vector = lambda _text, dimensions: [1.0] + [0.0] * (dimensions - 1)
    with pytest.raises(EmbeddingError, match="different texts the same vector"):
        unchecked.embed_texts(["a"])


def test_silent_truncation_is_noticed(server: EmbeddingServer, unchecked: Embedder) -> None:
    server.window = 100
    with pytest.raises(EmbeddingError, match="cuts off the end of long texts") as caught:
        unchecked.embed_texts(["word " * 120])
    assert "EMBEDDING_MAX_TOKENS" in caught.value.hint
    assert server.embedding_requests == []


def test_silent_truncation_of_a_long_question_is_noticed(
    server: EmbeddingServer, unchecked: Embedder
) -> None:
    server.window = 200
    with pytest.raises(EmbeddingError, match="cuts off the end of long texts"):
        unchecked.embed_query("word " * 300)


def test_truncation_beyond_the_window_does_not_matter(server: EmbeddingServer, opened: Open) -> None:
    server.window = 128
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", max_tokens=128)
    assert len(embedder.embed_texts(["word " * 120])) == 1


def test_a_tokenizer_that_counts_otherwise_than_the_server_is_refused(
    server: EmbeddingServer, opened: Open, tmp_path: Path
) -> None:
    file = unigram_file(tmp_path / "tokenizer.json")
    embedder = opened(model="plain", dimensions=8, tokenizer=str(file))
    with pytest.raises(
        ConfigurationError, match=r"tokenizer does not belong to plain: it counts \d+"
    ) as caught:
        embedder.embed_texts(["a"])
    assert "EMBEDDING_TOKENIZER" in caught.value.hint


@pytest.mark.parametrize("fault_usage", [{}, {"prompt_tokens": 0}, {"prompt_tokens": None}])
def test_a_server_that_counts_nothing_is_believed(
    server: EmbeddingServer, opened: Open, tmp_path: Path, fault_usage: dict[str, object]
) -> None:
    def uncounted(answer: dict[str, object]) -> object:
        return json_reply(answer | {"usage": fault_usage})

    server.misbehave(uncounted, times=3)  # type: ignore[arg-type]
    file = unigram_file(tmp_path / "tokenizer.json")
    assert opened(model="plain", dimensions=8, tokenizer=str(file)).embed_texts(["a"])


def test_a_check_that_failed_is_made_again(server: EmbeddingServer, unchecked: Embedder) -> None:
    server.misbehave(status(500, "loading"))
    with pytest.raises(ServerFailedError):
        unchecked.embed_texts(["a"])
    assert len(unchecked.embed_texts(["a"])) == 1


def test_known_text_tells_the_shipped_tokenizers_apart() -> None:
    counts = [open_tokenizer(name).count(KNOWN_TEXT) for name in SHIPPED_TOKENIZERS]
    assert max(counts) / min(counts) > 1.25


@pytest.mark.parametrize(("cosine", "trusted"), [(1.0, True), (0.995, True), (0.985, False), (0.0, False)])
def test_a_model_that_is_another_one_than_before_is_refused(
    server: EmbeddingServer, cosine: float, trusted: bool
) -> None:
    options = EmbeddingOptions(
        backend="openai",
        base_url=server.url,
        model="plain",
        api_key=SecretStr(KEY),
        dimensions=8,
        tokenizer="bert-base-uncased",
    )
    asked: list[Sequence[float]] = []

    def remember(now: Sequence[float]) -> list[float]:
        """What was given before lies at that angle to what is given now."""
        asked.append(now)
        across = np.eye(8)[0] - now[0] * np.array(now)
        across /= np.linalg.norm(across)
        before: list[float] = (cosine * np.array(now) + (1 - cosine**2) ** 0.5 * across).tolist()
        return before

    embedder = open_embedder(resolve(options), options, remember=remember)
    try:
        if trusted:
            assert len(embedder.embed_texts(["a", "b"])) == 2
        else:
            with pytest.raises(ConfigurationError, match="another model under the name plain") as reported:
                embedder.embed_texts(["a", "b"])
            assert "`webrag space move`" in reported.value.hint
            assert server.embedded_texts == []
    finally:
        embedder.close()
    assert asked == [pytest.approx(hashed_vector(KNOWN_TEXT, 8), abs=1e-6)]


def one_that_remembers(
    server: EmbeddingServer, remember: Callable[[Sequence[float]], Sequence[float]]
) -> Embedder:
    options = EmbeddingOptions(
        backend="openai",
        base_url=server.url,
        model="plain",
        api_key=SecretStr(KEY),
        dimensions=8,
        tokenizer="bert-base-uncased",
    )
    return open_embedder(resolve(options), options, remember=remember)


def test_only_before_the_first_question_of_a_process_the_known_text_is_asked(server: EmbeddingServer) -> None:
    with closing(one_that_remembers(server, lambda now: now)) as embedder:
        for _ in range(2):
            assert embedder.embed_query("a") == pytest.approx(hashed_vector("a", 8), abs=1e-6)
    assert [each.payload["input"] for each in server.received] == [[KNOWN_TEXT], ["a"], ["a"]]


@pytest.mark.parametrize("at", [0, 1])
def test_a_server_that_garbles_batches_spoils_no_question_and_nothing_that_is_remembered(
    server: EmbeddingServer, at: int
) -> None:
    garbles(server, at=at)
    kept: list[Sequence[float]] = []

    def remember(now: Sequence[float]) -> Sequence[float]:
        kept.append(now)
        return kept[0]

    with closing(one_that_remembers(server, remember)) as embedder:
        assert embedder.embed_query("a") == pytest.approx(hashed_vector("a", 8), abs=1e-6)
    assert kept == [pytest.approx(hashed_vector(KNOWN_TEXT, 8), abs=1e-6)]
