"""The ``--json`` documents about work, the stack and the library's state; ``docs/cli.md`` explains each.

``webrag search --json`` prints :class:`~webrag_desktop.retrieval.contracts.results.RetrievalResult` itself,
``webrag ground --json`` :class:`~webrag_desktop.retrieval.contracts.answers.GroundedResponse`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self, get_args
from uuid import UUID

from pydantic import Field

from webrag_desktop.cli.output import sentences
from webrag_desktop.cli.shapes.derived import Shape, derived
from webrag_desktop.cli.shapes.documents import Level
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.links import SiteCapture
from webrag_desktop.models.settings import GivenSetting, SettingPlace
from webrag_desktop.models.sources import CorpusFigures
from webrag_desktop.models.spaces import (
    EmbeddingSpace,
    FetchedWeights,
    MoveProgress,
    MoveState,
    SpaceMove,
    SpacesAtHand,
)
from webrag_desktop.models.stack import (
    ChatStatus,
    PartStatus,
    StackKind,
    StackStatus,
)
from webrag_desktop.models.versions import Rereading
from webrag_desktop.progress import SourceState

Outcome = Literal[
    "added",
    "changed",
    "unchanged",
    "present",
    "restored",
    "failed",
    "cancelled",
    "queued",
    "kept",
    "removed",
    "deleted",
]


# -- What became of what was given -----------------------------------------------------------------------------------


class ReportItem(FrozenModel):
    """What became of one of the given; ``id`` is null where it did not get into the library."""

    given: str
    outcome: Outcome
    id: UUID | None = None
    source_url: str | None = None
    title: str | None = None
    state: SourceState | None = None
    reason: str | None = None
    hint: str | None = None


class Report(FrozenModel):
    """The document of ``add``, ``retry``, ``refresh``, ``work``, ``cancel``, ``remove`` and what ``bin`` does."""

    items: tuple[ReportItem, ...]
    counts: dict[Outcome, int]
    captures: tuple[SiteCapture, ...] = ()

    @classmethod
    def of(cls, items: list[ReportItem], captures: Sequence[SiteCapture] = ()) -> Self:
        """A report with its items counted; the ``captures`` are those by which links of pages are followed."""
        outcomes = [item.outcome for item in items]
        counts: dict[Outcome, int] = {name: outcomes.count(name) for name in get_args(Outcome)}
        return cls(items=tuple(items), counts=counts, captures=tuple(captures))


@derived(Rereading, renamed={"address": "source_url"})
class RereadItem(Shape):
    """What reading a kept copy again brought, or would bring; of titles and characters the ones before come first."""

    @classmethod
    def about(cls, one: Rereading) -> Self:
        """The item about one document."""
        return cls.of(one, source_url=one.address, reason=sentences(one.reason) or None)


class RereadReport(FrozenModel):
    """The document of ``reextract``; with ``dry_run`` nothing was done."""

    dry_run: bool
    items: tuple[RereadItem, ...]
    counts: dict[str, int]


# -- The stack and the embedding space --------------------------------------------------------------------------------


class StackReport(FrozenModel):
    """The document of ``stack start|stop|status``; ``kept_running``: ``stack start`` keeps it running.

    ``warning`` says that others may read the data folder, and how to prevent that; null where none may.
    ``chat`` is the state of the chat model; null where it was not checked.
    """

    kind: StackKind
    kept_running: bool
    warning: str | None
    parts: tuple[PartStatus, ...]
    chat: ChatStatus | None

    @classmethod
    def of(
        cls,
        status: StackStatus,
        *,
        kept_running: bool,
        warning: str | None = None,
        chat: ChatStatus | None = None,
    ) -> Self:
        """The report on a stack."""
        return cls(
            kind=status.kind,
            kept_running=kept_running,
            warning=warning,
            parts=status.parts,
            chat=chat,
        )

    @property
    def well(self) -> bool:
        """Whether no part is missing or failing; a stopped one starts when needed, and nothing needs ``chat``."""
        return all(part.state in ("running", "stopped") for part in self.parts)


class SpaceShape(Shape):
    """An embedding space: a model and how texts are cut for it (rules, sizes and tokenizer in one word)."""

    backend: str
    model: str
    dimensions: int
    chunking: str

    @classmethod
    def space(cls, space: EmbeddingSpace) -> Self:
        """The shape of a space."""
        return cls.of(space.model, chunking=space.chunking_id)


class MoveReport(Shape):
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
    def moving(cls, move: SpaceMove, progress: MoveProgress | None) -> Self:
        """The report on a move."""
        return cls.of(
            move,
            origin=SpaceShape.space(move.origin),
            target=SpaceShape.space(move.space),
            documents_done=progress.documents_done if progress else None,
            documents=progress.documents if progress else None,
            remedy=move.hint,
        )


@derived(FetchedWeights)
class FetchedWeightsReport(Shape):
    """The document of ``space fetch``: what EMBEDDING_MODEL calls the ``form`` made of a publisher's weights.

    ``new`` tells whether they were fetched just now.
    """


class SpaceReport(Shape):
    """The document of ``space``: what the library has, what the settings ask for, and the last move.

    ``worker`` tells whether a worker runs, without which no move goes on, ``paused`` whether all indexing is.
    ``active`` and ``wanted`` are null before the first document; ``wanted`` also where ``problem`` says why it is not
    known. Beside the same ``wanted``, ``problem`` says why the server of the model cannot be used.
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
    def found(cls, found: SpacesAtHand, *, worker: bool, paused: bool) -> Self:
        """The report on the library's spaces."""
        active, wanted = (space and SpaceShape.space(space) for space in (found.active, found.wanted))
        return cls.of(
            found,
            active=active,
            wanted=wanted,
            problem=found.problem.message if found.problem else None,
            remedy=found.problem.hint if found.problem else None,
            move=MoveReport.moving(found.move, found.progress) if found.move else None,
            worker=worker,
            paused=paused,
        )


class EmbeddingReport(Shape):
    """The embedding model: the library's, or the one a new library would get (``settled`` is then false).

    ``chunking`` is how texts are cut for it: rules, sizes and tokenizer in one word. ``weights`` says where those of a
    model inside the program come from; null for others.
    All of it is null where there is a library that cannot be opened.
    """

    settled: bool | None
    ok: bool | None
    backend: str | None
    model: str | None
    dimensions: int | None
    chunking: str | None
    address: str | None
    reachable: bool | None
    model_present: bool | None
    version: str | None
    problem: str | None
    remedy: str | None
    note: str | None
    weights: str | None


@dataclass(frozen=True, slots=True)
class LibraryFigures(CorpusFigures):
    """The library in numbers; ``states`` counts everything that was given by its state."""

    states: dict[SourceState, int]


class QueueReport(FrozenModel):
    """Open work; ``kept`` counts what waits outside the database until it answers again.

    ``paused``: the user paused indexing (false while that is unknown). ``postponed`` are among the waiting, the first
    of them due at ``next_at``; ``levels`` counts what is open by how urgent it is, null while that is unknown.
    ``problem`` and ``remedy`` say why the last worker ended if the next one would end the same way; null where nothing
    is open or a worker runs.
    """

    waiting: int | None
    running: int | None
    postponed: int | None
    next_at: datetime | None
    levels: dict[Level, int] | None
    worker: bool
    paused: bool
    kept: int
    problem: str | None = None
    remedy: str | None = None


class StatusReport(FrozenModel):
    """The document of ``status``; ``library`` is null while the database does not run or cannot be opened.

    ``settings`` are those that are given, ``warnings`` are about the settings file and the environment. ``move`` is a
    move to another embedding space that is under way or paused, null where there is none. ``captures`` are the captures
    of sites that go on.
    ``problem`` and ``remedy`` say why a database that runs could not be opened.
    """

    home: str
    settings_file: str
    settings: list[GivenSetting]
    warnings: list[str]
    version: str
    stack: StackReport
    embedding: EmbeddingReport
    library: LibraryFigures | None
    queue: QueueReport
    move: MoveReport | None
    captures: list[SiteCapture] = Field(default_factory=list)
    problem: str | None
    remedy: str | None


# -- Errors ----------------------------------------------------------------------------------------------------------


class ListedSetting(FrozenModel):
    """A setting, and what is given; ``value`` is null where nothing is, and where it is, or may hold, a secret."""

    name: str
    value: str | None
    place: SettingPlace
    default: str
    description: str


class ErrorDetail(FrozenModel):
    """What happened, what to do, and the exit code."""

    message: str
    hint: str
    exit_code: int


class ErrorReport(FrozenModel):
    """The document of a command that could not do its work."""

    error: ErrorDetail
