"""What the embedder over HTTP does when the server fails: words, patience, waits."""

import math
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests.support.embedding_server import (
    EmbeddingServer,
    Fault,
    Reply,
    cut_body,
    dropped,
    elsewhere,
    garbled,
    hashed_vector,
    out_of_credit,
    silence,
    spoiled,
    status,
    web_page,
)
from tests.support.remote_embedding import KEY, Open, Pauses
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.server_errors import (
    KeyRefusedError,
    ModelMissingError,
    ServerBusyError,
    ServerUnreachableError,
)
from webrag_desktop.errors import EmbeddingError


def set_first(value: object) -> Fault:
    return spoiled(lambda rows: rows[0].__setitem__("embedding", value))


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (status(401, "Incorrect API key"), KeyRefusedError, "did not accept the API key"),
        (status(403, "no"), KeyRefusedError, "did not accept the API key"),
        (status(404, "model not found", native=True), ModelMissingError, "does not have this model"),
        (status(400, "maximum context length is 512"), EmbeddingError, "refused the texts"),
        (status(500, "boom"), EmbeddingError, "failed"),
        (lambda _: Reply(500, b"[" * 300_000), EmbeddingError, "failed"),
        (out_of_credit, EmbeddingError, "no credit left"),
        (web_page, EmbeddingError, "A web page answered"),
        (garbled, EmbeddingError, "incomplete or garbled"),
        (elsewhere("https://example.org/"), EmbeddingError, "sends us elsewhere"),
        (lambda _: Reply(200, b"[1, 2]"), EmbeddingError, "other than a list of vectors"),
        (lambda _: Reply(200, b'{"data": [1, 2]}'), EmbeddingError, "other than a list of vectors"),
        (spoiled(lambda rows: rows.pop()), EmbeddingError, "gave 1 vectors for 2 texts"),
        (spoiled(lambda rows: rows.append(rows[0])), EmbeddingError, "gave 3 vectors for 2 texts"),
        (spoiled(lambda rows: rows[1].update(index=0)), EmbeddingError, "which vector belongs to which text"),
        (
            spoiled(lambda rows: rows[1].update(index="1")),
            EmbeddingError,
            "which vector belongs to which text",
        ),
        (spoiled(lambda rows: rows[0].pop("embedding")), EmbeddingError, "other than vectors|no plain list"),
        (set_first([0.1] * 7), EmbeddingError, "other than vectors"),
        (
            spoiled(lambda rows: [row.update(embedding=[0.1] * 7) for row in rows]),
            EmbeddingError,
            "7 numbers",
        ),
        (set_first([math.nan] * 8), EmbeddingError, "no valid numbers"),
        (set_first([0.0] * 8), EmbeddingError, "vector of zeros"),
        (set_first("AAAA"), EmbeddingError, "other than vectors"),
    ],
)
def test_every_failure_has_its_own_words_and_a_hint(
    server: EmbeddingServer,
    plain: Embedder,
    pauses: Pauses,
    fault: Fault,
    kind: type[EmbeddingError],
    words: str,
) -> None:
    server.misbehave(fault)
    with pytest.raises(kind, match=words) as caught:
        plain.embed_texts(["a", "b"])
    assert caught.value.hint
    assert KEY not in caught.value.message + caught.value.hint
    assert pauses.seconds == []
    assert len(server.embedding_requests) == 1


@pytest.mark.parametrize("native", [True, False])
def test_servers_own_words_are_passed_on_without_the_key(
    server: EmbeddingServer, plain: Embedder, native: bool
) -> None:
    server.misbehave(status(400, f"input is too long,\n {KEY}!", native=native))
    with pytest.raises(EmbeddingError) as caught:
        plain.embed_query("a")
    assert "The server says: input is too long, •••!" in caught.value.hint


@pytest.mark.parametrize(
    "fault", [status(429, "slow down"), status(503, "server busy", native=True), dropped, cut_body]
)
def test_a_busy_server_or_broken_connection_is_asked_again(
    server: EmbeddingServer, plain: Embedder, pauses: Pauses, fault: Fault
) -> None:
    server.misbehave(fault, times=2)
    assert plain.embed_query("a") == pytest.approx(hashed_vector("a", 8))
    assert pauses.seconds == [0.5, 1.0]


@pytest.mark.parametrize(
    ("fault", "words"),
    [(status(503, "busy"), "too much to do"), (dropped, "broke off"), (cut_body, "broke off")],
)
def test_patience_ends(
    server: EmbeddingServer, plain: Embedder, pauses: Pauses, fault: Fault, words: str
) -> None:
    server.misbehave(fault, times=9)
    with pytest.raises(ServerBusyError, match=words):
        plain.embed_query("a")
    assert pauses.seconds == [0.5, 1.0, 2.0]
    assert len(server.embedding_requests) == 4


def test_the_server_may_name_the_wait(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    server.misbehave(status(429, "slow down", retry_after="7"))
    plain.embed_query("a")
    assert pauses.seconds == [7.0]


def test_the_wait_may_be_a_date(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server.misbehave(status(503, "busy", retry_after=date))
    plain.embed_query("a")
    assert 0 < pauses.seconds[0] <= 20


@pytest.mark.parametrize("header", ["soon", "-3", "nan", "Sat, 03 Oct 99999999999999999999 14:02:00 GMT"])
def test_nonsense_waits_are_not_believed(
    server: EmbeddingServer, plain: Embedder, pauses: Pauses, header: str
) -> None:
    server.misbehave(status(503, "busy", retry_after=header))
    plain.embed_query("a")
    assert pauses.seconds == [0.5]


def test_too_long_a_wait_is_not_waited_for(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    server.misbehave(status(429, "slow down", retry_after="3600"))
    with pytest.raises(ServerBusyError) as caught:
        plain.embed_query("a")
    assert caught.value.retry_after == 3600
    assert pauses.seconds == []


def test_one_failing_batch_fails_the_call_and_cancels_the_rest(server: EmbeddingServer, opened: Open) -> None:
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=1, max_workers=2)
    server.misbehave(status(400, "bad input"), times=2)
    with pytest.raises(EmbeddingError, match="refused the texts"):
        embedder.embed_texts([f"text {number}" for number in range(50)])
    assert len(server.embedding_requests) < 50
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("embedding")]


def test_silence_ends_with_the_timeout(server: EmbeddingServer, opened: Open) -> None:
    server.misbehave(silence)
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", timeout=0.2)
    with pytest.raises(ServerUnreachableError, match=r"did not answer within 0\.2 seconds"):
        embedder.embed_query("a")


def test_nobody_there_is_said(opened: Open) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        embedder = opened("ollama", base_url=address)
        with pytest.raises(ServerUnreachableError, match=f"Nothing answers at http://{address}") as caught:
            embedder.embed_query("a")
    assert "ollama serve" in caught.value.hint


def test_unknown_model_is_explained_with_the_remedy(server: EmbeddingServer, opened: Open) -> None:
    del server.models["nomic-embed-text"]
    with pytest.raises(ModelMissingError) as caught:
        opened("ollama").embed_query("a")
    assert "ollama pull" in caught.value.hint
    assert 'model "nomic-embed-text" not found' in caught.value.hint
