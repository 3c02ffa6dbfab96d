"""The vectors of a document's texts: taken where they are known, else embedded in batches that are kept one by one."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeVar
from uuid import UUID

from webrag_desktop.embedding.base import BulkEmbedder, Embedder
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import space_tables

FIRST_BATCH = 32  # the first; the embedded model, which takes one text at a time, gains nothing by more
LARGEST_BATCH = 512  # what is kept in one transaction, and lost by a crash, at most
WANTED_SECONDS = 1.5  # of work that a crash or a pause may cost
_GROWTH = 4.0
# Of the next document, embedded while the present one is written: two seconds of two cores.
AHEAD_TEXTS = 128

T = TypeVar("T")
Report = Callable[[Literal["chunking", "embedding"], int | None, int | None], None]
Guard = Callable[[Connection], None]


class AdaptiveBatches:
    """Cuts work into batches that adapt their size: a fast server is given several hundred texts at once."""

    def __init__(self, *, adapts: bool) -> None:
        """Begin small; stay so where a model does not ``adapt``."""
        self._adapts = adapts
        self.size = FIRST_BATCH

    def cut(self, items: Sequence[T]) -> Iterator[Sequence[T]]:
        """The items in order, in batches of the size that is right when each is requested."""
        start = 0
        while start < len(items):
            batch = items[start : start + self.size]
            start += len(batch)
            yield batch

    def took(self, items: int, seconds: float) -> None:
        """Learn from one batch how many items fit into the wanted time."""
        if not self._adapts:
            return
        fitting = items * WANTED_SECONDS / max(seconds, 1e-3)
        bounded = min(max(fitting, self.size / _GROWTH), self.size * _GROWTH)
        self.size = int(min(max(bounded, 1), LARGEST_BATCH))


@dataclass(frozen=True, slots=True)
class BegunTexts:
    """Texts that are being embedded, by their hashes, and what waits for their vectors."""

    keys: Sequence[bytes]
    vectors: Callable[[], list[list[float]]]

    def by_key(self) -> dict[bytes, Sequence[float]]:
        """The vectors by their texts' hashes, once they are there."""
        return dict(zip(self.keys, self.vectors(), strict=True))


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Vectors in one embedding space. ``embedder`` must be the space's own model."""

    database: Database
    space: StoredSpace
    embedder: Embedder

    def embed(
        self,
        source_id: UUID,
        texts: Mapping[bytes, str],
        report: Report,
        cancel: CancelToken,
        guard: Guard,
        *,
        also_known_in: StoredSpace | None = None,
        begun: BegunTexts | None = None,
    ) -> dict[bytes, Sequence[float]]:
        """Vectors of texts by their hashes; what is known already, here or in a space of the same model, is taken.

        While a batch is embedded the one before is kept, where the embedder can work ahead; the last of such a one
        is not, since it lands at once. ``begun`` is what :meth:`begin_ahead` gave for these texts. ``guard`` is called
        first in every transaction.

        Raises:
            EmbeddingError: the model failed; what was embedded until then is kept for the next time.
            Cancelled: ``cancel`` was set; as for EmbeddingError.
        """
        with self.database.connection() as conn:
            known: dict[bytes, Sequence[float]] = dict(space_tables.known_vectors(conn, self.space, texts))
            if also_known_in is not None:
                elsewhere = texts.keys() - known.keys()
                known |= space_tables.known_vectors(conn, also_known_in, elsewhere)
        under_way = deque([begun] if begun is not None and begun.keys else [])
        skipped = known.keys() | (begun.keys if begun is not None else ())
        missing = [key for key in texts if key not in skipped]
        if under_way or missing:
            report("embedding", len(known), len(texts))
        batches = AdaptiveBatches(adapts=not self._ahead and self.embedder.model.backend != "embedded")
        for keys in batches.cut(missing):
            cancel.raise_if_cancelled()
            started = time.monotonic()
            under_way.append(self._begin({key: texts[key] for key in keys}, cancel))
            batches.took(len(keys), time.monotonic() - started)
            if len(under_way) > self._ahead:
                known |= self._kept(under_way.popleft(), source_id, guard)
                if len(known) < len(texts):
                    report("embedding", len(known), len(texts))
        while len(under_way) > self._ahead:
            known |= self._kept(under_way.popleft(), source_id, guard)
            report("embedding", len(known), len(texts))
        while under_way:
            known |= under_way.popleft().by_key()
        return known

    def begin_ahead(self, texts: Mapping[bytes, str], cancel: CancelToken) -> BegunTexts | None:
        """Begin with the first texts that have no vector yet, behind all that is embedded for others.

        None where the embedder cannot work ahead.
        """
        if not isinstance(self.embedder, BulkEmbedder):
            return None
        with self.database.connection() as conn:
            known = space_tables.known_vectors(conn, self.space, texts)
        fresh = islice((key for key in texts if key not in known), AHEAD_TEXTS)
        return self._begin({key: texts[key] for key in fresh}, cancel, ahead=True)

    @property
    def _ahead(self) -> int:
        """How many batches may be under way when another one is begun."""
        return 1 if isinstance(self.embedder, BulkEmbedder) else 0

    def _begin(self, texts: Mapping[bytes, str], cancel: CancelToken, *, ahead: bool = False) -> BegunTexts:
        """Embed them, or begin to."""
        keys, given = list(texts), list(texts.values())
        if isinstance(self.embedder, BulkEmbedder):
            return BegunTexts(keys, self.embedder.begin_texts(given, cancel=cancel, ahead=ahead))
        vectors = self.embedder.embed_texts(given, cancel=cancel)
        return BegunTexts(keys, lambda: vectors)

    def _kept(self, begun: BegunTexts, source_id: UUID, guard: Guard) -> dict[bytes, Sequence[float]]:
        """The vectors, once they are there, kept for the next time."""
        fresh = begun.by_key()
        with self.database.connection() as conn:
            guard(conn)
            space_tables.cache_vectors(conn, self.space, source_id, fresh)
        return fresh
