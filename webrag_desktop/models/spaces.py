"""Embedding models, embedding spaces, and moves from one space to another."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from webrag_desktop.errors import (
    WebragError,
)
from webrag_desktop.models.base import FrozenModel

COMMON_FLOOR: Final = 0.3  # of the model by which whatever weighs a cosine was fitted


class EmbeddingModel(FrozenModel):
    """What makes two vectors comparable, as far as the model goes.

    ``dimensions`` is the vector length; ``max_tokens`` the longest input the model takes, special tokens
    included; ``similarity_floor`` the cosine below which a passage is noise for this model.
    """

    backend: str
    model: str
    dimensions: int
    document_prefix: str = ""
    query_prefix: str = ""
    tokenizer: str
    max_tokens: int
    similarity_floor: float | None = None

    def nearness(self, cosine: float) -> float:
        """A cosine between two of its vectors on one scale for all models: 1 for the same, the floor always at .3.

        Models differ in how near two texts are that have nothing in common, and the floor is where that ends. On this
        scale 99.9 % of such pairs are below .32 with each model that was measured (0045).
        """
        floor = COMMON_FLOOR if self.similarity_floor is None else self.similarity_floor
        if floor == COMMON_FLOOR or floor >= 1.0:
            return cosine
        return min(1.0, max(0.0, 1.0 - (1.0 - cosine) * (1.0 - COMMON_FLOOR) / (1.0 - floor)))


class EmbeddingSpace(FrozenModel):
    """An embedding model plus how texts are cut and headed before it sees them.

    Vectors of different spaces are never mixed. ``header_tokens`` is the most tokens of ``title › heading
    path`` put before a chunk's text when it is embedded; the stored text is untouched.
    """

    model: EmbeddingModel
    chunking_id: str
    header_tokens: int = 32
    storage: Literal["vector", "halfvec"] = "vector"

    @property
    def fingerprint(self) -> str:
        """Identity of the space: sha256 over everything that changes vectors."""
        identity = self.model_dump(exclude={"model": {"similarity_floor"}})
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


MoveState = Literal["moving", "paused", "waiting", "tidying", "done", "cancelled"]


@dataclass(frozen=True, slots=True)
class StoredSpace:
    """A space laid out in the database; ``table`` holds (chunk_id, document_id, text_hash, embedding)."""

    id: int
    table: str
    space: EmbeddingSpace


@dataclass(frozen=True, slots=True)
class SpaceMove:
    """A move of the library from ``origin`` to ``space``; ``target`` is None once that was dropped.

    ``failures`` counts in a row; ``waits_until`` is a time to come, ``problem`` and ``hint`` say why; an ended move
    has none of them.
    """

    id: int
    origin: EmbeddingSpace
    space: EmbeddingSpace
    target: StoredSpace | None
    paused: bool
    failures: int
    waits_until: datetime | None
    problem: str | None
    hint: str | None
    added_at: datetime
    swapped_at: datetime | None
    cancelled_at: datetime | None
    tidied_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether it is neither through nor cancelled."""
        return self.swapped_at is None and self.cancelled_at is None

    @property
    def state(self) -> MoveState:
        """Its state; ``tidying`` follows the swap, while the old vectors are being dropped."""
        if self.cancelled_at is not None:
            return "cancelled"
        if self.swapped_at is not None:
            return "tidying" if self.tidied_at is None else "done"
        if self.paused:
            return "paused"
        return "waiting" if self.waits_until is not None else "moving"


@dataclass(frozen=True, slots=True)
class MoveProgress:
    """How many of the library's documents are in the new space."""

    documents_done: int
    documents: int


@dataclass(frozen=True, slots=True)
class MoveCost:
    """What it would take to move a library to a model called ``wanted``: about so many ``chunks`` to embed, at ``rate``
    a second as measured just now (None where the model does not work, and ``problem`` says why), and so many ``bytes``
    beside the present vectors until the end. ``wanted`` is empty where nobody can tell what the settings name."""

    present: str
    wanted: str
    chunks: int = 0
    rate: float | None = None
    bytes: int = 0
    problem: str = ""

    @property
    def seconds(self) -> float | None:
        """How long it takes about, with nothing else to do."""
        return self.chunks / self.rate if self.rate else None


@dataclass(frozen=True, slots=True)
class FetchedWeights:
    """Weights of an embedded ``model`` from its publisher: what EMBEDDING_MODEL calls the ``form`` made of them.

    ``weights`` says in words where they come from, ``new`` whether they were fetched just now.
    """

    model: str
    form: str
    weights: str
    new: bool


@dataclass(frozen=True, slots=True)
class SpacesAtHand:
    """The space that the library is in, the one that the settings ask for, and the last move.

    ``active`` is None before the first document; ``wanted`` is None where ``problem`` says why it is unknown.
    Beside a ``wanted`` model that is the active one, ``problem`` says why its server cannot be asked with these
    settings. ``progress`` is that of a move under way. ``awaited`` is the tokenizer, named by the settings and not on
    this computer, that :meth:`MoveControl.begin` downloads first, ``downloaded_from`` the address that it comes from.
    """

    active: EmbeddingSpace | None
    wanted: EmbeddingSpace | None
    problem: WebragError | None
    move: SpaceMove | None
    progress: MoveProgress | None
    awaited: str | None = None
    downloaded_from: str = ""

    @property
    def matches(self) -> bool:
        """Whether the library uses the space that the settings name."""
        if self.active is None or self.wanted is None:
            return self.active is None
        return self.active.fingerprint == self.wanted.fingerprint
