"""A stand-in embedding server on loopback that speaks OpenAI's and Ollama's protocols and can misbehave.

    with EmbeddingServer({"nomic-embed-text": 768}) as server:
        server.misbehave(status(503, "server busy"), times=2)
        ... EmbeddingOptions(backend="ollama", base_url=server.url)
        assert server.embedded_texts == [...]

A fault takes the place of the next good answers to one path; it may look at the good answer and spoil it.
"""

import hashlib
import json
import re
import select
import socket
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.embedding.server_check import ANOTHER_TEXT, KNOWN_TEXT

Json = dict[str, Any]
VectorFunction = Callable[[str, int], list[float]]
EMBEDDING_PATHS = ("/v1/embeddings", "/api/embed")


@dataclass(frozen=True)
class Reply:
    """What goes over the wire.

    ``cut`` sends half of the body, ``drop`` nothing at all, ``hold`` waits first, ``drip`` sends a byte at a time for
    as long as somebody listens. ``stream`` goes out instead of a body, a part at a time, as it is made.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    cut: bool = False
    drop: bool = False
    hold: bool = False
    drip: bool = False
    stream: "Callable[[Line], Iterator[bytes]] | None" = None


class BreakOff(Exception):
    """The connection ends in the middle of a stream."""


class Line:
    """The connection that a stream goes over, as seen from the server."""

    def __init__(self, connection: socket.socket, released: threading.Event) -> None:
        self._connection = connection
        self._released = released

    def wait(self, moment: threading.Event) -> None:
        """Wait for the moment; raises BreakOff once the client has left, or the server ends."""
        while not moment.wait(0.01):
            if self._released.is_set() or self.client_left():
                raise BreakOff

    def client_left(self) -> bool:
        """Whether the client has ended the connection."""
        readable, _, _ = select.select([self._connection], [], [], 0)
        try:
            return bool(readable) and self._connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True


Fault = Callable[[Json], Reply]
DROPS = 3  # bytes after which a reply that drips counts as begun


@dataclass(frozen=True)
class Received:
    """One request as it came in; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    payload: Json


def hashed_vector(text: str, dimensions: int) -> list[float]:
    """A unit vector from the text's words: the more words two texts share, the closer they are."""
    words = re.findall(r"\w+", text.lower()) or [text]
    total: npt.NDArray[np.float64] = np.sum([_word_vector(word, dimensions) for word in words], axis=0)
    vector: list[float] = (total / np.linalg.norm(total)).tolist()
    return vector


@cache
def _word_vector(word: str, dimensions: int) -> npt.NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    return np.random.default_rng(seed).standard_normal(dimensions)


class EmbeddingServer:
    """Offers ``models`` (name to vector length) until the ``with`` block ends.

    ``key``: requests without it get 401. ``window``: longer texts are cut to so many words without a word, as
    Ollama does, unless its own interface is told not to. ``vector`` computes an answer's vectors. ``reducible``
    models obey ``dimensions``; the others refuse it. Tokens are counted by ``tokenizer``, else as
    ``bert-base-uncased`` does.
    """

    def __init__(
        self,
        models: Mapping[str, int] | None = None,
        *,
        key: str | None = None,
        window: int | None = None,
        vector: VectorFunction = hashed_vector,
        reducible: frozenset[str] = frozenset({"text-embedding-3-small", "text-embedding-3-large"}),
        version: str = "0.12.6",
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.models = dict(models if models is not None else {"nomic-embed-text": 768})
        self.key = key
        self.window = window
        self.vector = vector
        self.reducible = reducible
        self.version = version
        self.tokenizer = tokenizer or open_tokenizer("bert-base-uncased")
        self.received: list[Received] = []
        self.released = threading.Event()
        self._faults: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._lasting: dict[str, Fault] = {}
        self._lock = threading.Lock()
        self._http = HttpServer(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The address, without ``/v1``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def embedding_requests(self) -> list[Received]:
        """The requests for vectors, in order of arrival, without those that only check the server."""
        requests = [request for request in self.received if request.path in EMBEDDING_PATHS]
        return [request for request in requests if not _only_checks(request.payload)]

    @property
    def embedded_texts(self) -> list[str]:
        """Every text that was sent to be embedded, prefixes included."""
        return [text for request in self.embedding_requests for text in inputs_of(request.payload)]

    def misbehave(self, fault: Fault, *, times: int = 1, path: str | None = None) -> None:
        """Answer the next ``times`` requests to ``path``, else for vectors by either protocol, with the fault."""
        self._faults[path or "vectors"].extend([fault] * times)

    def recover(self) -> None:
        """Misbehave no more."""
        self._faults.clear()

    def fail_over(self, text: str, fault: Fault) -> None:
        """Answer every request for vectors that holds ``text`` with the fault."""
        self._lasting[text] = fault

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.close_connections()
        self._http.server_close()

    def reply(self, request: Received) -> Reply:
        """The answer to one request."""
        with self._lock:
            self.received.append(request)
            fault = self._fault(request)
        good = self._good_reply(request)
        return fault(json.loads(good.body)) if fault else good

    def _fault(self, request: Received) -> Fault | None:
        asks_for_vectors = request.path in EMBEDDING_PATHS
        faults = self._faults[request.path] or self._faults["vectors" if asks_for_vectors else request.path]
        if faults:
            return faults.popleft()
        held = " ".join(inputs_of(request.payload)) if asks_for_vectors else ""
        return next((fault for text, fault in self._lasting.items() if text in held), None)

    def _good_reply(self, request: Received) -> Reply:
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            return error_reply(401, "Incorrect API key provided.", code="invalid_api_key")
        match request.method, request.path:
            case "GET", "/api/version":
                return json_reply({"version": self.version})
            case "GET", "/api/tags":
                return json_reply({"models": [self._tag(name) for name in self.models]})
            case "POST", "/api/show":
                return self._show(request.payload)
            case "GET", "/v1/models":
                data = [{"id": name, "object": "model"} for name in self.models]
                return json_reply({"object": "list", "data": data})
            case "POST", "/v1/embeddings":
                return self._embeddings(request.payload)
            case "POST", "/api/embed":
                return self._embed(request.payload)
        return Reply(404, b"404 page not found", {"Content-Type": "text/plain"})

    def _tag(self, name: str) -> Json:
        tagged = name if ":" in name else f"{name}:latest"
        return {"name": tagged, "model": tagged, "size": 274302450, "details": {"family": "nomic-bert"}}

    def _show(self, payload: Json) -> Reply:
        name = str(payload.get("model", "")).removesuffix(":latest")
        if name not in self.models:
            return json_reply({"error": f"model '{name}' not found"}, status=404)
        info = {"nomic-bert.context_length": 2048, "nomic-bert.embedding_length": self.models[name]}
        return json_reply({"model_info": info, "capabilities": ["embedding"]})

    def _embeddings(self, payload: Json) -> Reply:
        name = str(payload.get("model", "")).removesuffix(":latest")
        if name not in self.models:
            return error_reply(404, f'model "{name}" not found, try pulling it first', kind="not_found_error")
        texts = inputs_of(payload)
        if not texts or not all(texts) or len(texts) > 2048:
            return error_reply(400, "'$.input' is invalid.")
        if "dimensions" in payload and name not in self.reducible:
            return error_reply(400, "This model does not support specifying dimensions.")
        seen, vectors = self._vectors(name, payload)
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(vectors)
        ]
        tokens = self._token_count(seen)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return json_reply({"object": "list", "model": name, "data": data, "usage": usage})

    def _embed(self, payload: Json) -> Reply:
        name = str(payload.get("model", "")).removesuffix(":latest")
        if name not in self.models:
            return json_reply({"error": f"model '{name}' not found"}, status=404)
        too_long = self.window is not None and any(
            len(text.split()) > self.window for text in inputs_of(payload)
        )
        if too_long and payload.get("truncate") is False:
            return json_reply({"error": "the input length exceeds the context length"}, status=400)
        seen, vectors = self._vectors(name, payload)
        return json_reply(
            {"model": name, "embeddings": vectors, "prompt_eval_count": self._token_count(seen)}
        )

    def _vectors(self, name: str, payload: Json) -> tuple[list[str], list[list[float]]]:
        """What was read of each input, and the vectors of that."""
        seen = [
            text if self.window is None else " ".join(text.split()[: self.window])
            for text in inputs_of(payload)
        ]
        dimensions = int(payload.get("dimensions", self.models[name]))
        return seen, [self.vector(text, dimensions) for text in seen]

    def _token_count(self, texts: list[str]) -> int:
        return token_count(texts, self.tokenizer)


def token_count(texts: list[str], tokenizer: Tokenizer | None = None) -> int:
    """How many tokens texts have, special ones included; of nomic-embed-text's unless another tokenizer is given."""
    counting = tokenizer or open_tokenizer("bert-base-uncased")
    return sum(counting.count(text) + counting.special_tokens for text in texts)


def _only_checks(payload: Json) -> bool:
    """Whether a request is the program's look at the server rather than work."""
    inputs = inputs_of(payload)  # none of a request that was cancelled before its body came
    return bool(inputs) and inputs[-1].endswith((KNOWN_TEXT, ANOTHER_TEXT))


def json_reply(answer: Json, *, status: int = 200) -> Reply:
    """A JSON answer."""
    return Reply(status, json.dumps(answer).encode())


def error_reply(
    number: int, message: str, *, kind: str = "invalid_request_error", code: str | None = None
) -> Reply:
    """An error as OpenAI, and Ollama under ``/v1``, word it."""
    error = {"message": message, "type": kind, "param": None, "code": code}
    return json_reply({"error": error}, status=number)


def status(number: int, message: str = "", *, native: bool = False, **headers: str) -> Fault:
    """An error status; ``native`` words it as Ollama's own interface does. ``retry_after="2"`` is a header."""
    good = json_reply({"error": message}, status=number) if native else error_reply(number, message)
    extra = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return lambda _: Reply(number, good.body, {**good.headers, **extra})


def out_of_credit(_: Json) -> Reply:
    """OpenAI's 429 that no waiting cures."""
    return error_reply(
        429, "You exceeded your current quota.", kind="insufficient_quota", code="insufficient_quota"
    )


def web_page(_: Json) -> Reply:
    """A login page or a router's start page."""
    return Reply(200, b"<!DOCTYPE html><html><body>Welcome</body></html>", {"Content-Type": "text/html"})


def garbled(_: Json) -> Reply:
    """A complete body that is no JSON."""
    return Reply(200, b'{"object": "list", "data": [')


def cut_body(answer: Json) -> Reply:
    """Half of the promised bytes, then the end."""
    return Reply(200, json.dumps(answer).encode(), cut=True)


def dropped(_: Json) -> Reply:
    """The connection ends without an answer."""
    return Reply(drop=True)


def silence(_: Json) -> Reply:
    """No answer for as long as the server runs."""
    return Reply(hold=True, drop=True)


def elsewhere(address: str) -> Fault:
    """A redirect."""
    return lambda _: Reply(307, b"", {"Location": address})


def spoiled(change: Callable[[list[Json]], object]) -> Fault:
    """The good answer after ``change`` had its way with the list of its rows."""

    def spoil(answer: Json) -> Reply:
        change(answer["data"])
        return json_reply(answer)

    return spoil


def inputs_of(payload: Json) -> list[str]:
    given = payload.get("input", [])
    return [given] if isinstance(given, str) else list(given)


class Answering(Protocol):
    """Whoever answers requests; ``released`` ends what it holds back."""

    released: threading.Event

    def reply(self, request: Received) -> Reply:
        """The answer to one request."""


class HttpServer(ThreadingHTTPServer):
    """Knows its open connections, so that the end does not depend on clients closing theirs.

    ``dripped`` tells that a reply which drips has begun, ``left`` that a client went before the end of a stream.
    """

    daemon_threads = False

    def __init__(self, owner: Answering) -> None:
        self.owner = owner
        self.dripped = threading.Event()
        self.left = threading.Event()
        self._connections: list[socket.socket] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.append(connection)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle of an answer is no error of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close_connections(self) -> None:
        for connection in self._connections:
            if connection.fileno() != -1:
                end_of_stream(connection)


def end_of_stream(connection: socket.socket) -> None:
    """End both directions; a peer that already left is as good."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits for an acknowledgement of its headers
    server: HttpServer

    def do_GET(self) -> None:
        self._answer({})

    def do_HEAD(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self._answer(json.loads(self.rfile.read(length) or b"{}"))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Keep the test output clean."""

    def _answer(self, payload: Json) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner = self.server.owner
        reply = owner.reply(Received(self.command, self.path, headers, payload))
        if reply.hold:
            owner.released.wait()
        self.close_connection = reply.drop or reply.cut
        if reply.stream is not None:
            self._stream(reply, reply.stream)
        elif not reply.drop:
            self._write(reply)

    def _stream(self, reply: Reply, parts: Callable[[Line], Iterator[bytes]]) -> None:
        """In chunks; what breaks off has no last one."""
        line = Line(self.connection, self.server.owner.released)
        self.send_response(reply.status)
        for name, value in (*reply.headers.items(), ("Transfer-Encoding", "chunked")):
            self.send_header(name, value)
        self.end_headers()
        try:
            for part in parts(line):
                if line.client_left():
                    raise BreakOff
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
        except (BreakOff, OSError):
            self.close_connection = True
            if line.client_left():
                self.server.left.set()

    def _write(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if reply.drip:
            self._drip(reply.body)
        elif self.command != "HEAD":
            self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)

    def _drip(self, body: bytes) -> None:
        for place in range(len(body)):
            try:
                self.wfile.write(body[place : place + 1])
            except OSError:  # the client has left
                return
            if place == DROPS - 1:
                self.server.dripped.set()
            if self.server.owner.released.wait(0.1):
                return
