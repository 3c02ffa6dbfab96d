"""The shape of the ``--json`` document of ``webrag space``; ``docs/cli.md`` explains each field."""

from datetime import datetime
from typing import TYPE_CHECKING, Self

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.spaces import MoveState

if TYPE_CHECKING:
    from webrag_desktop.models.spaces import EmbeddingSpace, MoveProgress, SpaceMove, SpacesAtHand


class SpaceShape(FrozenModel):
    """An embedding space: a model and how texts are cut for it (rules, sizes and tokenizer in one word)."""

    backend: str
    model: str
    dimensions: int
    chunking: str

    @classmethod
    def of(cls, space: "EmbeddingSpace") -> Self:
        """The shape of a space."""
        model = space.model
        return cls(
            backend=model.backend, model=model.model, dimensions=model.dimensions, chunking=space.chunking_id
        )


class MoveReport(FrozenModel):
    """The last move; ``documents`` and ``documents_done`` are null once it ended.

    ``problem`` and ``remedy`` say what the last failure was, as long as it was not overcome.
    """

    origin: SpaceShape
    target: SpaceShape
    state: MoveState
    documents_done: int | None
    documents: int | None
    waits_until: datetime | None
    problem: str | None
    remedy: str | None
    added_at: datetime
    swapped_at: datetime | None
    cancelled_at: datetime | None

    @classmethod
    def of(cls, move: "SpaceMove", progress: "MoveProgress | None") -> Self:
        """The report on a move."""
        return cls(
            origin=SpaceShape.of(move.origin),
            target=SpaceShape.of(move.space),
            state=move.state,
            documents_done=progress.documents_done if progress else None,
            documents=progress.documents if progress else None,
            waits_until=move.waits_until,
            problem=move.problem,
            remedy=move.hint,
            added_at=move.added_at,
            swapped_at=move.swapped_at,
            cancelled_at=move.cancelled_at,
        )


class SpaceReport(FrozenModel):
    """The document of ``space``: what the library has, what the settings ask for, and the last move.

    ``worker`` tells whether a worker runs, without which no move comes on, ``paused`` whether all indexing is.
    ``active`` and ``wanted`` are null before the first document; ``wanted`` also where ``problem`` says why it cannot
    be told. Beside the same ``wanted``, ``problem`` says why the server of the model cannot be asked.
    """

    active: SpaceShape | None
    wanted: SpaceShape | None
    matches: bool
    problem: str | None
    remedy: str | None
    move: MoveReport | None
    worker: bool
    paused: bool

    @classmethod
    def of(cls, found: "SpacesAtHand", *, worker: bool, paused: bool) -> Self:
        """The report on how things stand."""
        active, wanted = (space and SpaceShape.of(space) for space in (found.active, found.wanted))
        return cls(
            active=active,
            wanted=wanted,
            matches=found.matches,
            problem=found.problem.message if found.problem else None,
            remedy=found.problem.hint if found.problem else None,
            move=MoveReport.of(found.move, found.progress) if found.move else None,
            worker=worker,
            paused=paused,
        )
