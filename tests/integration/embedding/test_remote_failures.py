"""What the embedder over HTTP does when the server fails: words, patience, waits."""

import json
import math
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
from tests.support.llama_server import LlamaServer, loading, no_embeddings, too_large
from tests.support.remote_embedding import KEY, Open, Pauses
from webrag_desktop.embedding.base import Embedder, InvalidVectorError
from webrag_desktop.embedding.server_errors import (
    GarbledAnswerError,
    KeyRefusedError,
    ModelMissingError,
    NoEmbeddingsError,
    ServerBusyError,
    ServerFailedError,
    ServerSilentError,
    ServerUnreachableError,
    TextsRefusedError,
)
from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.progress import CancelToken


def set_first(value: object) -> Fault:
    return spoiled(lambda rows: rows[0].__setitem__("embedding", value))


WHATEVER_THE_TEXTS = [
    (status(401, "Incorrect API key"), KeyRefusedError, "did not accept the API key"),
    (status(403, "no"), KeyRefusedError, "did not accept the API key"),
    (status(404, "model not found", native=True), ModelMissingError, "does not have this model"),
    (out_of_credit, EmbeddingError, "no credit left"),
    (status(402, "Insufficient Balance"), EmbeddingError, "no credit left"),
    (status(405, "Method Not Allowed"), ModelMissingError, "does not have this model"),
    (no_embeddings, NoEmbeddingsError, "does not embed texts"),
    (web_page, EmbeddingError, "A web page answered"),
    (garbled, GarbledAnswerError, "incomplete or garbled"),
    (lambda _: Reply(200, b""), GarbledAnswerError, "incomplete or garbled"),
    (elsewhere("https://example.org/"), EmbeddingError, "sends us elsewhere"),
    (lambda _: Reply(200, b"[1, 2]"), EmbeddingError, "other than a list of vectors"),
    (lambda _: Reply(200, b'{"data": [1, 2]}'), EmbeddingError, "other than a list of vectors"),
    (spoiled(lambda rows: rows.pop()), EmbeddingError, "gave 1 vectors for 2 texts"),
    (spoiled(lambda rows: rows.clear()), EmbeddingError, "gave 0 vectors for 2 texts"),
    (spoiled(lambda rows: rows.append(rows[0])), EmbeddingError, "gave 3 vectors for 2 texts"),
    (spoiled(lambda rows: rows[1].update(index=0)), EmbeddingError, "which vector belongs to which text"),
    (spoiled(lambda rows: rows[1].update(index="1")), EmbeddingError, "which vector belongs to which text"),
    (spoiled(lambda rows: rows[0].pop("embedding")), EmbeddingError, "other than vectors|no plain list"),
    (set_first([0.1] * 7), EmbeddingError, "other than vectors"),
    (set_first([]), EmbeddingError, "other than vectors"),
    (spoiled(lambda rows: [row.update(embedding=[0.1] * 7) for row in rows]), EmbeddingError, "7 numbers"),
    (set_first("AAAA"), EmbeddingError, "other than vectors"),
]

PERHAPS_OVER_A_TEXT = [
    (status(400, "maximum context length is 512"), TextsRefusedError, "refused the texts"),
    (status(413, "batch size 2 > maximum allowed batch size 1"), TextsRefusedError, "refused the texts"),
    (status(422, "unprocessable"), TextsRefusedError, "refused the texts"),
    (lambda _: too_large(508, 64), TextsRefusedError, "refused the texts as too long"),
    (status(500, "boom"), ServerFailedError, "failed"),
    (lambda _: Reply(500, b"[" * 300_000), ServerFailedError, "failed"),
    (set_first([math.nan] * 8), InvalidVectorError, "no valid numbers"),
    (set_first([math.inf] * 8), InvalidVectorError, "no valid numbers"),
    (set_first([None] * 8), InvalidVectorError, "no valid numbers"),
    (set_first([0.0] * 8), InvalidVectorError, "vector of zeros"),
]


@pytest.mark.parametrize(("fault", "kind", "words"), WHATEVER_THE_TEXTS + PERHAPS_OVER_A_TEXT)
def test_every_failure_has_its_own_words_and_a_hint(
    server: EmbeddingServer,
    plain: Embedder,
    pauses: Pauses,
    fault: Fault,
    kind: type[EmbeddingError],
    words: str,
) -> None:
    server.misbehave(fault, times=9)
    with pytest.raises(kind, match=rf"^(?!Text).*{words}") as caught:
        plain.embed_texts(["a", "b"])
    assert caught.value.hint
    assert (
        "unchanged" not in caught.value.message
    )  # the texts may be those of a document that was taken in just now
    assert KEY not in caught.value.message + caught.value.hint
    assert pauses.seconds == []


@pytest.mark.parametrize(("fault", "kind"), [case[:2] for case in WHATEVER_THE_TEXTS])
def test_no_culprit_is_searched_for_where_no_text_is_to_blame(
    server: EmbeddingServer, plain: Embedder, fault: Fault, kind: type[EmbeddingError]
) -> None:
    server.misbehave(fault, times=9)
    with pytest.raises(kind):
        plain.embed_texts(["a", "b"])
    assert len(server.embedding_requests) == 1


@pytest.mark.parametrize(("fault", "words"), [case[::2] for case in PERHAPS_OVER_A_TEXT])
def test_the_culprit_is_named_by_place_and_beginning(
    server: EmbeddingServer, plain: Embedder, fault: Fault, words: str
) -> None:
    server.fail_over("evil", fault)
    with pytest.raises(
        TextsRefusedError, match=rf"^Text 3 of 4 \(“evil text”\) cannot be embedded.*{words}"
    ) as caught:
        plain.embed_texts(["a", "b", "evil text", "d"])
    assert not caught.value.transient
    assert server.embedded_texts.count("evil text") == 3  # with a neighbour, alone, and once more to be sure


@pytest.fixture
def llama() -> Iterator[LlamaServer]:
    with LlamaServer({"plain": 8}) as running:
        yield running


@pytest.fixture
def by_llama(opened: Open, llama: LlamaServer) -> Embedder:
    known = {"model": "plain", "dimensions": 8, "tokenizer": "bert-base-uncased", "max_tokens": 256}
    return opened(base_url=llama.url, **known)


def test_a_text_beyond_the_servers_batch_is_named_with_what_helps_and_the_others_are_not_to_blame(
    by_llama: Embedder, llama: LlamaServer
) -> None:
    by_llama.embed_texts(["a"])
    llama.batch = 64
    with pytest.raises(TextsRefusedError, match=r"^Text 2 of 3 .*cannot be embedded.*too long") as caught:
        by_llama.embed_texts(["a", "word " * 70, "c"])
    assert "(72 tokens) is too large to process" in caught.value.hint
    for remedy in ("-ub", "EMBEDDING_MAX_TOKENS", "webrag space move"):
        assert remedy in caught.value.hint


def test_a_server_whose_batch_is_smaller_than_the_window_is_refused_before_any_text(
    by_llama: Embedder, llama: LlamaServer
) -> None:
    llama.batch = 128
    with pytest.raises(EmbeddingError, match="counts on plain reading 256") as caught:
        by_llama.embed_texts(["word " * 200])
    assert not caught.value.transient
    assert caught.value.hint.count("larger context") == 1
    assert "EMBEDDING_MAX_TOKENS" in caught.value.hint


def test_a_server_that_loads_its_model_is_waited_for_and_it_is_said(
    server: EmbeddingServer, plain: Embedder, pauses: Pauses
) -> None:
    server.misbehave(loading, times=2)
    assert plain.embed_texts(["a"])
    assert pauses.seconds == [0.5, 1.0]
    server.misbehave(loading, times=9)
    with pytest.raises(ServerBusyError, match="is still loading its model") as caught:
        plain.embed_texts(["b"])
    assert "Loading model" in caught.value.hint


def test_texts_that_fail_only_together_are_embedded_apart(server: EmbeddingServer, plain: Embedder) -> None:
    server.misbehave(status(413, "batch size 2 > maximum allowed batch size 1"))
    assert plain.embed_texts(["a", "b"]) == [pytest.approx(hashed_vector(text, 8)) for text in "ab"]
    assert [len(request.payload["input"]) for request in server.embedding_requests] == [2, 1, 1]


@pytest.mark.parametrize(
    ("fault", "transient"),
    [
        (status(401, "key"), False),
        (status(404, "model"), False),
        (status(400, "bad"), False),
        (out_of_credit, False),
        (no_embeddings, False),
        (lambda _: too_large(508, 64), False),
        (loading, True),
        (web_page, False),
        (elsewhere("https://example.org/"), False),
        (spoiled(lambda rows: rows.pop()), False),
        (set_first([math.nan] * 8), False),
        (status(429, "slow down"), True),
        (status(503, "server busy", native=True), True),
        (status(502, "bad gateway"), True),
        (status(500, "boom"), True),
        (garbled, True),
        (cut_body, True),
        (dropped, True),
    ],
)
def test_what_may_go_well_later_is_marked_so(
    server: EmbeddingServer, plain: Embedder, fault: Fault, transient: bool
) -> None:
    server.misbehave(fault, times=9)
    with pytest.raises(EmbeddingError) as caught:
        plain.embed_texts(["a", "b"])
    assert caught.value.transient is transient


@pytest.mark.parametrize("native", [True, False])
def test_servers_own_words_are_passed_on_without_the_key(
    server: EmbeddingServer, plain: Embedder, native: bool
) -> None:
    server.misbehave(status(400, f"input is too long,\n {KEY}!", native=native))
    with pytest.raises(EmbeddingError) as caught:
        plain.embed_query("a")
    assert "The server says: input is too long, •••!" in caught.value.hint


@pytest.mark.parametrize(
    "fault",
    [
        status(429, "slow down"),
        status(503, "server busy", native=True),
        status(502, "bad gateway"),
        status(504, "gateway timeout"),
        dropped,
        cut_body,
    ],
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
    plain.embed_texts(["a"])
    assert pauses.seconds == [7.0]


def test_the_wait_may_be_a_date(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server.misbehave(status(503, "busy", retry_after=date))
    plain.embed_texts(["a"])
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


def test_a_question_waits_only_a_little(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    server.misbehave(status(429, "slow down", retry_after="5"))
    plain.embed_query("a")
    assert pauses.seconds == [5.0]
    server.misbehave(status(429, "slow down", retry_after="6"))
    with pytest.raises(ServerBusyError):
        plain.embed_query("a")
    assert pauses.seconds == [5.0]


def test_one_failing_batch_fails_the_call_and_cancels_the_rest(server: EmbeddingServer, opened: Open) -> None:
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=1, max_workers=2)
    embedder.embed_texts(["x"])
    server.fail_over("text", status(400, "bad input"))
    with pytest.raises(EmbeddingError, match=r"Text \d of 50 .*refused the texts"):
        embedder.embed_texts([f"text {number}" for number in range(50)])
    assert len(server.embedding_requests) < 50
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("embedding")]


def test_silence_ends_with_the_timeout(server: EmbeddingServer, opened: Open) -> None:
    server.misbehave(silence)
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", timeout=0.2)
    with pytest.raises(ServerSilentError, match=r"did not answer within 0\.2 seconds"):
        embedder.embed_query("a")


@pytest.mark.parametrize("connected", [True, False])
def test_cancelling_ends_a_request_under_way(server: EmbeddingServer, opened: Open, connected: bool) -> None:
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", timeout=60)
    if connected:
        embedder.embed_query("a")
    server.received.clear()
    server.misbehave(silence)
    cancel = CancelToken()
    with ThreadPoolExecutor(1) as threads:
        question = threads.submit(embedder.embed_query, "b", cancel=cancel)
        while not server.received:
            time.sleep(0.01)
        cancel.cancel()
        with pytest.raises(Cancelled):
            question.result(5)


def test_an_answer_drop_by_drop_ends_too(server: EmbeddingServer, opened: Open) -> None:
    server.misbehave(lambda answer: Reply(200, json.dumps(answer).encode(), drip=True))
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", timeout=0.5)
    with pytest.raises(ServerSilentError, match=r"did not answer within 0\.5 seconds"):
        embedder.embed_query("a")


def test_nobody_there_is_said(opened: Open) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        embedder = opened("ollama", base_url=address)
        with pytest.raises(
            ServerUnreachableError, match=f"No embedding server answers at http://{address}"
        ) as caught:
            embedder.embed_query("a")
    assert caught.value.transient
    assert "ollama serve" in caught.value.hint


def test_ollamas_remedies_are_named_for_ollama_only(
    server: EmbeddingServer, opened: Open, plain: Embedder
) -> None:
    server.misbehave(status(404, 'The model "plain" does not exist'))
    with pytest.raises(ModelMissingError) as caught:
        plain.embed_query("a")
    assert caught.value.hint.startswith(
        'The server says: The model "plain" does not exist. Check EMBEDDING_MODEL'
    )
    away = opened(base_url="http://127.0.0.1:1", model="plain", dimensions=8, tokenizer="bert-base-uncased")
    with pytest.raises(ServerUnreachableError) as silent:
        away.embed_query("a")
    for reported in (caught.value, silent.value):
        assert "ollama" not in reported.hint.lower()


def test_unknown_model_is_explained_with_the_remedy(server: EmbeddingServer, opened: Open) -> None:
    del server.models["nomic-embed-text"]
    with pytest.raises(ModelMissingError) as caught:
        opened("ollama").embed_query("a")
    assert "ollama pull" in caught.value.hint
    assert "model 'nomic-embed-text' not found" in caught.value.hint
