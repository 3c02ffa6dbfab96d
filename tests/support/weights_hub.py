"""A model's weights as HuggingFace's hub gives them: the hub redirects to a store, which knows ranges."""

import hashlib
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from tests.support.embedding_server import HttpServer, Received, Reply
from webrag_desktop.embedding.fused.granite import smoothing_factors
from webrag_desktop.embedding.fused.graph import shipped_granite_file
from webrag_desktop.embedding.fused.onnx_format import LAYERS, WIDTH, read_model, tensor_array

_RANGE = re.compile(r"bytes=(\d+)-")


class _Site:
    """One of the two servers; each of ``replies`` takes the place of a good answer, and may look at that."""

    def __init__(self, answer: Callable[[Received], Reply]) -> None:
        self._good = answer
        self.received: list[Received] = []
        self.replies: deque[Callable[[Reply], Reply]] = deque()
        self.released = threading.Event()
        self._http = HttpServer(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def begins(self) -> list[int]:
        """From which byte on each request asked."""
        found = [_RANGE.fullmatch(one.headers.get("range", "")) for one in self.received]
        return [int(one.group(1)) if one else 0 for one in found]

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.close_connections()
        self._http.server_close()

    def reply(self, request: Received) -> Reply:
        """The answer to one request."""
        self.received.append(request)
        good = self._good(request)
        return self.replies.popleft()(good) if self.replies else good


class WeightsHub:
    """Gives ``content`` at ``place`` until the ``with`` block ends.

    ``hub`` answers at the address of the file with a redirect that names sum and size, as it does for large files;
    ``store`` is where that leads. ``stated`` is the sum that the hub names; without ``ranges`` the store knows none.
    """

    def __init__(self, place: str, content: bytes) -> None:
        self.place = place
        self.content = content
        self.stated = hashlib.sha256(content).hexdigest()
        self.ranges = True
        self.hub = _Site(self._redirect)
        self.store = _Site(self._stored)

    @property
    def address(self) -> str:
        """Where the hub has the file."""
        return f"{self.hub.url}{self.place}"

    def __enter__(self) -> Self:
        self.hub.start()
        self.store.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hub.stop()
        self.store.stop()

    def _redirect(self, request: Received) -> Reply:
        if request.path != self.place:
            return hub_error(404, "EntryNotFound")
        headers = {
            "Location": f"{self.store.url}/xet/{self.stated}?X-Amz-Expires=3600&response-content-type=*",
            "X-Linked-Size": str(len(self.content)),
            "X-Linked-ETag": f'"{self.stated}"',
            "X-Repo-Commit": self.place.split("/resolve/")[1].split("/")[0],
            "Content-Type": "text/plain; charset=utf-8",
        }
        return Reply(302, b"Found. Redirecting", headers)

    def _stored(self, request: Received) -> Reply:
        headers = {
            "Content-Type": "application/octet-stream",
            "ETag": f'"{hashlib.sha256(self.content).hexdigest()}"',
            "Accept-Ranges": "bytes" if self.ranges else "none",
        }
        begin = _RANGE.fullmatch(request.headers.get("range", ""))
        if begin is None or not self.ranges:
            return Reply(200, self.content, headers)
        first, size = int(begin.group(1)), len(self.content)
        if first >= size:
            return Reply(416, b"", {"Content-Range": f"bytes */{size}"})
        return Reply(
            206, self.content[first:], headers | {"Content-Range": f"bytes {first}-{size - 1}/{size}"}
        )


def hub_error(number: int, code: str) -> Reply:
    """What the hub answers where it does not give the file."""
    headers = {"X-Error-Code": code, "X-Error-Message": code, "Content-Type": "application/json"}
    return Reply(number, json.dumps({"error": code}).encode(), headers)


def granite_safetensors() -> bytes:
    """The model of the shipped graph as its publisher writes it: RoBERTa's names, outputs × inputs."""
    graph = read_model(shipped_granite_file().read_bytes()).graph
    kept = {tensor.name: tensor_array(tensor) for tensor in graph.initializer}
    factors = smoothing_factors()
    words = kept["words"] * kept["word_scales"]
    given: dict[str, Any] = {
        "embeddings.word_embeddings.weight": words.reshape(len(words), WIDTH),
        "embeddings.position_embeddings.weight": np.pad(kept["places"], ((2, 0), (0, 0))),
        "embeddings.token_type_embeddings.weight": np.zeros((1, WIDTH), np.float32),
        **_norm(kept, "embedded", "embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        own = f"encoder.layer.{layer}"
        before, widening = factors[2 * layer], factors[2 * layer + 1]
        names = [f"projected_{layer}"] if layer < LAYERS - 1 else ["queries_5", "projected_5"]
        three = np.concatenate([_map(kept, name) for name in names], axis=1) / before[:, None]
        biases = np.concatenate([kept[f"{name}_bias"] for name in names])
        for place, part in enumerate(("query", "key", "value")):
            columns = slice(place * WIDTH, (place + 1) * WIDTH)
            given[f"{own}.attention.self.{part}.weight"] = three[:, columns].T
            given[f"{own}.attention.self.{part}.bias"] = biases[columns]
        for name, part, smoothing in (
            (f"mixed_{layer}", "attention.output.dense", None),
            (f"widened_{layer}", "intermediate.dense", widening),
            (f"narrowed_{layer}", "output.dense", None),
        ):
            exact = _map(kept, name)
            given[f"{own}.{part}.weight"] = (exact if smoothing is None else exact / smoothing[:, None]).T
            given[f"{own}.{part}.bias"] = kept[f"{name}_bias"]
        given |= _norm(kept, f"attended_{layer}", f"{own}.attention.output.LayerNorm")
        given |= _norm(kept, f"fed_{layer}", f"{own}.output.LayerNorm")
    return safetensors(given)


def _map(kept: dict[str, Any], name: str) -> Any:
    return kept[f"{name}_weight"] * kept[f"{name}_scale"]


def _norm(kept: dict[str, Any], ours: str, theirs: str) -> dict[str, Any]:
    return {f"{theirs}.weight": kept[f"{ours}_gain"], f"{theirs}.bias": kept[f"{ours}_shift"]}


def safetensors(tensors: dict[str, Any], kind: str = "F16") -> bytes:
    """A file of safetensors, its numbers of the ``kind`` F16, BF16 or F32."""
    head: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    parts, at = [], 0
    for name, numbers in tensors.items():
        exact = np.ascontiguousarray(numbers, np.float32)
        if kind == "BF16":
            raw = ((exact.view(np.uint32) + 0x8000) >> 16).astype("<u2").tobytes()
        else:
            raw = exact.astype({"F16": "<f2", "F32": "<f4"}[kind]).tobytes()
        head[name] = {"dtype": kind, "shape": list(exact.shape), "data_offsets": [at, at + len(raw)]}
        parts.append(raw)
        at += len(raw)
    written = json.dumps(head).encode()
    return len(written).to_bytes(8, "little") + written + b"".join(parts)
