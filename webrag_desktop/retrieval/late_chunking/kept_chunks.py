"""Chunks of one text with their vectors, and the form in which the cache keeps them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webrag_desktop.models.documents import ChunkSpan
from webrag_desktop.retrieval.late_chunking.models import LateItem
from webrag_desktop.storage.searching.chunk_cache import CachedChunks

FORMAT = b"1"  # of rows; raise it whenever the same row would be read differently
_STORED = np.dtype("<f4")

Vector = NDArray[np.float32]


@dataclass(slots=True)
class KeptChunks:
    """The chunks of a text, and the vectors of the first of them: of all, once it is ``whole``."""

    item: LateItem
    spans: Sequence[ChunkSpan]
    vectors: list[Vector] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every chunk has its vector."""
        return len(self.vectors) == len(self.spans)


@dataclass(frozen=True, slots=True)
class Sealing:
    """Tells rows that were made of just this text, by this chunker, in this space, from all others."""

    chunker: str
    fingerprint: str
    dimensions: int

    def row(self, kept: KeptChunks) -> CachedChunks:
        """The row that holds these chunks."""
        spans = _written(kept.spans)
        vectors = b"".join(vector.astype(_STORED).tobytes() for vector in kept.vectors)
        item = kept.item
        seal = self._seal(item, spans, vectors)
        return CachedChunks(item.item_id, item.content_hash, self.chunker, spans, vectors, seal)

    def opened(self, row: CachedChunks, item: LateItem) -> KeptChunks | None:
        """What a row holds; None where it is damaged, or was made of anything else."""
        if row.seal != self._seal(item, row.spans, row.vectors):
            return None
        vectors = np.frombuffer(row.vectors, dtype=_STORED).astype(np.float32).reshape(-1, self.dimensions)
        return KeptChunks(item, _read(row.spans), list(vectors))

    def _seal(self, item: LateItem, spans: str, vectors: bytes) -> bytes:
        """sha256 over what the chunks were made from and what they are, each part behind its length."""
        blocks = (block.model_dump_json() for block in item.blocks)
        texts = (
            item.content_hash,
            item.title or "",
            item.markdown,
            *blocks,
            self.chunker,
            self.fingerprint,
            spans,
        )
        digest = hashlib.sha256(FORMAT)
        for part in (item.item_id.bytes, *(text.encode() for text in texts), vectors):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
        return digest.digest()


def _written(spans: Sequence[ChunkSpan]) -> str:
    paths: dict[tuple[str, ...], int] = {}
    rows = [
        (
            one.start,
            one.end,
            one.token_count,
            paths.setdefault(one.heading_path, len(paths)),
            one.anchor,
            one.page,
        )
        for one in spans
    ]
    return json.dumps({"paths": list(paths), "spans": rows}, separators=(",", ":"))


def _read(written: str) -> tuple[ChunkSpan, ...]:
    content: dict[str, Any] = json.loads(written)
    paths = [tuple(path) for path in content["paths"]]
    return tuple(
        ChunkSpan(start, end, tokens, paths[path], anchor, page)
        for start, end, tokens, path, anchor, page in content["spans"]
    )
