"""Asks other systems the same questions, with vectors of the same model, in an environment of their own."""

import base64
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece
from benchmarks.retrieval_quality_parts.metrics import DEEP, Ranking
from benchmarks.retrieval_quality_parts.vectors import trimmed
from webrag_desktop.embedding.base import Embedder, Tokenizer

REQUIREMENTS = Path(__file__).with_name("peers-requirements.txt")
_REPOSITORY = Path(__file__).parents[2]
_CHUNKS_OF_AN_ANSWER = 40

TITLES: Mapping[str, str] = {
    "bm25s-200": "bm25s, stemmed, recursive 200 tokens",
    "bm25s-400": "bm25s, stemmed, recursive 400 tokens",
    "bm25s-whole": "bm25s, stemmed, whole documents",
    "dense-200": "LangChain recursive 200 tokens, dense",
    "dense-whole": "dense, whole documents (256 tokens)",
    "convex-200": "convex fusion .5 of bm25s and dense, recursive 200 tokens",
    "convex-whole": "convex fusion .5 of bm25s and dense, whole documents",
    "parent-documents": "LangChain ParentDocumentRetriever (2000 / 400 characters)",
    "auto-merging": "LlamaIndex AutoMerging (2048 / 512 / 128 tokens)",
}
ABSENT = {"txtai hybrid": "its packages need torch, whose builds for graphics cards take gigabytes"}
_FOR_SPANS = tuple(name for name in TITLES if not name.endswith("-whole"))
_FOR_DOCUMENTS = ("bm25s-200", "bm25s-whole", "dense-whole", "convex-whole")


class PeersMissing(Exception):
    """A system is not installed, or its process failed."""


def usual_peers(data: EvaluationSet) -> tuple[str, ...]:
    """The systems that a set is asked of unless others are named."""
    return _FOR_DOCUMENTS if data.task == "documents" else _FOR_SPANS


@contextmanager
def peers(python: Path, embedder: Embedder, tokenizer: Tokenizer) -> Iterator["Peers"]:
    """The other systems, in one process for all questions."""
    command = [str(python), "-W", "ignore", "-m", "benchmarks.retrieval_quality_parts.peer_systems"]
    with (
        suppress(BrokenPipeError),  # closing the input of a process that failed, as was reported
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_REPOSITORY, encoding="utf-8"
        ) as process,
    ):
        yield Peers(process, embedder, tokenizer)


class Peers:
    """Other systems that wait for questions."""

    def __init__(self, process: subprocess.Popen[str], embedder: Embedder, tokenizer: Tokenizer) -> None:
        self._process = process
        self._embedder = embedder
        self._tokenizer = tokenizer

    def rankings(self, system: str, data: EvaluationSet) -> list[Ranking]:
        """Every question's answer by one system.

        Raises:
            PeersMissing: the system is not installed or failed.
        """
        job = {
            "system": system,
            "documents": data.documents,
            "questions": [question.text for question in data.questions],
            "language": data.language,
            "depth": DEEP if data.task == "documents" else _CHUNKS_OF_AN_ANSWER,
        }
        answer = self._asked(job)
        while "embed" in answer:
            answer = self._asked({"vectors": self._vectors(answer["embed"])})
        return [Ranking.of_chunks([Piece(*one) for one in found]) for found in answer["found"]]

    def word_scores(
        self, words: Sequence[Sequence[str]], asked: Sequence[Sequence[str]], k1: float, b: float
    ) -> npt.NDArray[np.float64]:
        """What bm25s scores: for each question that ``asked`` words, every passage of ``words``.

        Raises:
            PeersMissing: it is not installed or failed.
        """
        answer = self._asked({"words": words, "asked": asked, "k1": k1, "b": b})
        return np.array(answer["scores"], dtype=np.float64)

    def _asked(self, message: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # the missing answer tells as much
            print(json.dumps(message), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise PeersMissing("the process of the peers ended; what it said stands above")
        answer: dict[str, Any] = json.loads(line)
        if "absent" in answer:
            raise PeersMissing(answer["absent"])
        return answer

    def _vectors(self, texts: list[str]) -> list[str]:
        readable = [trimmed(text, self._tokenizer) for text in texts]
        vectors = np.asarray(self._embedder.embed_texts(readable), dtype=np.float32)
        return [base64.b64encode(vector.tobytes()).decode("ascii") for vector in vectors]
