"""Vectors of texts: what is known is taken, each text is embedded once, a few at a time, while there is time."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from webrag_desktop.errors import Cancelled, DatabaseRefusalError, DatabaseUnreachableError
from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace, StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.late_chunking import chunking
from webrag_desktop.retrieval.late_chunking.chunking import BATCH, Deadline, LateStats, TextVectors

MODEL = EmbeddingModel(backend="test", model="lengths", dimensions=2, tokenizer="words", max_tokens=9)


class Idle:
    """Stands for a connection: only its transactions are begun here."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        yield


class Lengths:
    """Embeds a text as its length; remembers the batches."""

    model = MODEL

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self.batches.append(texts)
        return [[float(len(text)), 1 / 3] for text in texts]

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return [1.0, 0.0]

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[bytes, list[float]]:
    """What the library knows; a test puts vectors in."""
    library: dict[bytes, list[float]] = {}

    def look_up(_conn: object, _space: object, hashes: Iterable[bytes]) -> dict[bytes, list[float]]:
        return {key: library[key] for key in hashes if key in library}

    monkeypatch.setattr(chunking, "known_vectors", look_up)
    return library


def texts_by(embedder: Lengths, deadline: Deadline | None = None, **options: Any) -> TextVectors:
    space = EmbeddingSpace(model=MODEL, chunking_id="c", storage=options.pop("storage", "vector"))
    return TextVectors(
        Idle(),  # type: ignore[arg-type]
        StoredSpace(1, "embeddings_1", space),
        embedder,
        deadline or Deadline(lambda: 0.0, 1.0),
        options.pop("cancel", CancelToken()),
        LateStats(),
    )


def test_each_text_is_embedded_once_in_batches(known: dict[bytes, list[float]]) -> None:
    embedder = Lengths()
    asked = texts_by(embedder)
    texts = ["x" * (n % 40 + 1) for n in range(100)]
    assert [vector[0] for vector in asked.of(texts)] == [len(text) for text in texts]
    assert [len(batch) for batch in embedder.batches] == [BATCH, BATCH, 40 - 2 * BATCH]
    list(asked.of(texts))
    assert asked.stats.vectors_computed == 40
    assert known == {}


def test_what_the_library_knows_is_not_embedded(known: dict[bytes, list[float]]) -> None:
    known[sha256(b"b").digest()] = [7.0, 8.0]
    embedder = Lengths()
    asked = texts_by(embedder)
    assert [vector.tolist()[0] for vector in asked.of(["a", "b", "c"])] == [1.0, 7.0, 1.0]
    assert embedder.batches == [["a", "c"]]
    assert asked.stats.vectors_known == 1


@pytest.mark.usefixtures("known")
def test_one_batch_is_embedded_however_late_it_is_and_then_no_other() -> None:
    asked = texts_by(Lengths(), Deadline(lambda: 2.0, 1.0))
    assert len(list(asked.of([str(n) for n in range(BATCH + 5)]))) == BATCH
    assert list(asked.of(["another"])) == []
    assert len(list(asked.of(["3", "4", "another", "5"]))) == 2


@pytest.mark.usefixtures("known")
def test_vectors_are_as_precise_as_the_space_keeps_them() -> None:
    (whole,) = texts_by(Lengths()).of(["a"])
    (half,) = texts_by(Lengths(), storage="halfvec").of(["a"])
    assert whole[1] == np.float32(1 / 3)
    assert half[1] == np.float32(np.float16(1 / 3))
    assert half.dtype == whole.dtype == np.float32


def refusing(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise error

    monkeypatch.setattr(chunking, "known_vectors", refuse)


def test_where_the_library_cannot_tell_all_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(DatabaseRefusalError("No such table."), monkeypatch)
    assert len(list(texts_by(Lengths()).of(["a", "b"]))) == 2


def test_a_database_that_is_away_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(DatabaseUnreachableError("Gone."), monkeypatch)
    with pytest.raises(DatabaseUnreachableError):
        list(texts_by(Lengths()).of(["a"]))


@pytest.mark.usefixtures("known")
def test_cancelling_ends_it_between_batches() -> None:
    cancel = CancelToken()
    embedder = Lengths()
    given = texts_by(embedder, cancel=cancel).of([str(n) for n in range(3 * BATCH)])
    next(given)
    cancel.cancel()
    with pytest.raises(Cancelled):
        list(given)
    assert len(embedder.batches) == 1
