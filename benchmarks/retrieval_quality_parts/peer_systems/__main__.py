"""Answer jobs, one JSON object a line on standard input.

``{"system", "documents", "questions", "language", "depth"}`` is answered by ``{"found"}`` or, where the system's
packages are missing, ``{"absent"}``. Before that, ``{"embed": [texts]}`` may ask for vectors, which come as
``{"vectors": [base64 of float32, …]}``. ``{"words", "asked", "k1", "b"}`` is answered by ``{"scores"}`` of bm25s.
"""

import base64
import contextlib
import importlib
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.retrieval_quality_parts.peer_systems.jobs import Job

_OUT = sys.stdout
_KEPT: dict[str, list[float]] = {}


def use_packed_vocabularies() -> None:
    """Let tiktoken find its vocabularies where LlamaIndex packs them, instead of downloading them."""
    found = importlib.util.find_spec("llama_index")
    for folder in (found and found.submodule_search_locations) or ():
        packed = Path(folder, "core", "_static", "tiktoken_cache")
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(packed))


def embed(texts: list[str]) -> list[list[float]]:
    """Vectors of texts, each asked for once."""
    wanted = [text for text in dict.fromkeys(texts) if text not in _KEPT]
    if wanted:
        _send({"embed": wanted})
        packed = json.loads(sys.stdin.readline())["vectors"]
        for text, one in zip(wanted, packed, strict=True):
            _KEPT[text] = np.frombuffer(base64.b64decode(one), dtype=np.float32).astype(float).tolist()
    return [_KEPT[text] for text in texts]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What one system finds, or how bm25s scores."""
    try:
        if "words" in request:
            return {"scores": _system("word_scores").word_scores(request)}
        systems = _system("registry")
    except ImportError as error:
        return {"absent": str(error)}
    job = Job(request["documents"], tuple(request["questions"]), request["language"], request["depth"])
    return {"found": systems.SYSTEMS[request["system"]](job, embed)}


def _system(module: str) -> Any:
    return importlib.import_module(f"benchmarks.retrieval_quality_parts.peer_systems.{module}")


def _send(message: dict[str, Any]) -> None:
    _OUT.write(json.dumps(message) + "\n")
    _OUT.flush()


if __name__ == "__main__":
    use_packed_vocabularies()
    with contextlib.redirect_stdout(sys.stderr):  # libraries may print
        for line in sys.stdin:
            _send(answer(json.loads(line)))
