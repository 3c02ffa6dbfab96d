"""The embedded model with every vector kept in a file, so that a second run embeds nothing."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken

TRAINED_TOKENS = 256  # what others give this model at most
_BATCH = 32  # texts between two commits


class KeptVectors:
    """An :class:`~webrag_desktop.embedding.base.Embedder` that asks the real one only for texts it never saw."""

    def __init__(self, real: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(real.model.model_dump_json().encode()).hexdigest()[:16]
        self._real = real
        self._file = sqlite3.connect(folder / f"vectors-{name}.sqlite", timeout=60)
        self._file.execute("PRAGMA journal_mode = wal")  # a commit need not wait for the disk
        self._file.execute("PRAGMA synchronous = normal")
        self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        self.embedded = 0

    @property
    def model(self) -> EmbeddingModel:
        """The real one's identity."""
        return self._real.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """Vectors of passages, in order."""
        distinct = list(dict.fromkeys(texts))
        found = {text: known for text in distinct if (known := self._known("text", text)) is not None}
        missing = [text for text in distinct if text not in found]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            vectors = self._real.embed_texts(batch, cancel=cancel)
            for text, vector in zip(batch, vectors, strict=True):
                found[text] = self._keep("text", text, vector)
            self._file.commit()
        return [found[text] for text in texts]

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """The vector of a question."""
        known = self._known("question", text)
        if known is None:
            known = self._keep("question", text, self._real.embed_query(text, cancel=cancel))
            self._file.commit()
        return known

    def close(self) -> None:
        """Close the file and the real one."""
        self._file.close()
        self._real.close()

    def _known(self, kind: str, text: str) -> list[float] | None:
        row = self._file.execute("SELECT vector FROM vectors WHERE key = ?", [_key(kind, text)]).fetchone()
        return None if row is None else _unpacked(row[0])

    def _keep(self, kind: str, text: str, vector: Sequence[float]) -> list[float]:
        packed = np.asarray(vector, dtype=np.float32).tobytes()
        self._file.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", [_key(kind, text), packed])
        self.embedded += 1
        return _unpacked(packed)  # as the next run will have it


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode()).digest()


def _unpacked(packed: bytes) -> list[float]:
    values: list[float] = np.frombuffer(packed, dtype=np.float32).astype(np.float64).tolist()
    return values


def trimmed(text: str, tokenizer: Tokenizer, tokens: int = TRAINED_TOKENS) -> str:
    """The start of a text that a model reading ``tokens`` tokens sees; what is blank becomes a full stop."""
    starts = tokenizer.token_starts(text)
    room = tokens - tokenizer.special_tokens
    kept = text if len(starts) <= room else text[: starts[room]]
    return kept if kept.strip() else "."
