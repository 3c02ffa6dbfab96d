"""The shapes of most ``--json`` documents; ``docs/cli.md`` explains each field.

``webrag search --json`` prints :class:`~webrag_desktop.retrieval.contracts.results.RetrievalResult` itself,
``webrag ground --json`` :class:`~webrag_desktop.retrieval.contracts.answers.GroundedResponse`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import Field

from webrag_desktop.cli.output import sentences
from webrag_desktop.cli.shapes.space import MoveReport
from webrag_desktop.cli.shapes.stack import StackReport
from webrag_desktop.cli.shapes.upkeep import Concerned, RepairItem
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.chunks import ChunkRow
from webrag_desktop.models.documents import ChunkLevel, SourceKind
from webrag_desktop.models.growth.site_captures import SiteCapture
from webrag_desktop.models.labels import Labels
from webrag_desktop.models.queue import Priority, WaitsFor
from webrag_desktop.models.rereading import Rereading, RereadOutcome
from webrag_desktop.models.settings import GivenSetting
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import SourceState

Level = Literal["asked", "many", "behind"]
Outcome = Literal[
    "added", "changed", "unchanged", "present", "failed", "cancelled", "queued", "kept", "removed"
]


def level_name(priority: int) -> Level:
    """The name of a level of the queue."""
    names: dict[Priority, Level] = {
        Priority.ASKED: "asked",
        Priority.MANY: "many",
        Priority.BEHIND: "behind",
    }
    return names[Priority(priority)]


class Document(FrozenModel):
    """An element of ``list``. From ``title`` on, what only the text can tell is null until there is one."""

    id: UUID
    source_url: str
    url: str
    kind: SourceKind
    state: SourceState
    reason: str | None
    hint: str | None
    progress_done: int | None
    progress_total: int | None
    searchable: bool
    added_at: datetime
    title: str | None
    description: str | None
    language: str | None
    doc_type: str | None
    published_time: str | None
    published_guessed: bool
    modified_time: str | None
    modified_guessed: bool
    saved_from: str | None
    page_count: int | None
    content_hash: str | None
    fetched_at: datetime | None
    indexed_at: datetime | None
    checked_at: datetime | None
    waits_until: datetime | None
    waits_for: WaitsFor | None
    priority: Level | None
    depth: int
    parent_chunks: int
    child_chunks: int
    tokens: int
    tags: tuple[str, ...]
    collections: tuple[str, ...]

    @classmethod
    def of(cls, source: SourceRow, labels: Labels) -> Self:
        """The document of a source; its given address stands in while nothing was fetched."""
        return cls.model_validate(_document_fields(source, labels))


class DocumentText(Document):
    """The document of ``show``; ``version_id`` and ``markdown`` are null while there is no text."""

    version_id: UUID | None
    markdown: str | None

    @classmethod
    def with_text(
        cls, source: SourceRow, labels: Labels, version_id: UUID | None, markdown: str | None
    ) -> Self:
        """The document of a source with the text it shows."""
        text = {"version_id": version_id, "markdown": markdown}
        return cls.model_validate(_document_fields(source, labels) | text)


def _document_fields(source: SourceRow, labels: Labels) -> dict[str, object]:
    taken = {name: getattr(source, name, None) for name in Document.model_fields}
    return taken | {
        "source_url": source.source_url or source.url,
        "reason": sentences(source.state_reason) or None,
        "hint": source.state_hint,
        "priority": None if source.priority is None else level_name(source.priority),
        "tags": labels.tags,
        "collections": labels.collections,
    }


class ChunkOfDocument(FrozenModel):
    """An element of ``chunks``: ``chunk_text`` is ``markdown[char_start:char_end]`` of ``show``."""

    id: UUID
    document_id: UUID
    parent_id: UUID | None
    chunk_level: ChunkLevel
    chunk_index: int
    section_heading: str | None
    heading_path: tuple[str, ...]
    anchor: str | None
    page: int | None
    chunk_text: str
    html_text: str | None
    has_table: bool
    has_code: bool
    has_math: bool
    has_definition_list: bool
    has_admonition: bool
    has_steps: bool
    char_start: int
    char_end: int
    token_start: int
    token_end: int
    embedded: bool
    source_url: str
    fetched_at: datetime | None

    @classmethod
    def of(cls, source: SourceRow, chunk: ChunkRow) -> Self:
        """A stored chunk of a document."""
        taken = {name: getattr(chunk, name, None) for name in cls.model_fields}
        owner = {
            "document_id": source.id,
            "source_url": source.source_url or source.url,
            "fetched_at": source.fetched_at,
        }
        return cls.model_validate(taken | owner)


class ReportItem(FrozenModel):
    """What became of one thing that was given; ``id`` is null where it did not get into the library."""

    given: str
    outcome: Outcome
    id: UUID | None = None
    source_url: str | None = None
    title: str | None = None
    state: SourceState | None = None
    reason: str | None = None
    hint: str | None = None


class ReportCounts(FrozenModel):
    """How many items had which outcome."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    present: int = 0
    failed: int = 0
    cancelled: int = 0
    queued: int = 0
    kept: int = 0
    removed: int = 0


class Report(FrozenModel):
    """The document of ``add``, ``retry``, ``refresh``, ``work``, ``cancel`` and ``remove``."""

    items: tuple[ReportItem, ...]
    counts: ReportCounts
    captures: tuple[SiteCapture, ...] = ()

    @classmethod
    def of(cls, items: list[ReportItem], captures: Sequence[SiteCapture] = ()) -> Self:
        """A report with its items counted; the ``captures`` are those by which links of pages are followed."""
        outcomes = [item.outcome for item in items]
        counted = {name: outcomes.count(name) for name in ReportCounts.model_fields}  # type: ignore[arg-type]
        return cls(items=tuple(items), counts=ReportCounts(**counted), captures=tuple(captures))


class RereadItem(FrozenModel):
    """What reading a kept copy again brought, or would bring; of titles and characters the ones before come first."""

    id: UUID
    source_url: str
    outcome: RereadOutcome
    titles: tuple[str | None, str | None]
    characters: tuple[int | None, int | None]
    reason: str | None
    hint: str | None

    @classmethod
    def of(cls, one: Rereading) -> Self:
        """The item about one document."""
        return cls(
            id=one.id,
            source_url=one.address,
            outcome=one.outcome,
            titles=one.titles,
            characters=one.characters,
            reason=sentences(one.reason) or None,
            hint=one.hint,
        )


class RereadCounts(FrozenModel):
    """How many documents had which outcome."""

    changed: int = 0
    renewed: int = 0
    same: int = 0
    kept: int = 0
    queued: int = 0
    failed: int = 0
    nothing_kept: int = 0
    gone: int = 0


class RereadReport(FrozenModel):
    """The document of ``reextract``; with ``dry_run`` nothing was done."""

    dry_run: bool
    items: tuple[RereadItem, ...]
    counts: RereadCounts


class EmbeddingReport(FrozenModel):
    """The embedding model: the library's, or the one a new library would get (``settled`` is then false).

    ``chunking`` is how texts are cut for it: rules, sizes and tokenizer in one word.
    All of it is null where there is a library that cannot be asked.
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


class LibraryFigures(FrozenModel):
    """The library in numbers; ``states`` counts everything that was given by its state."""

    documents: int
    parent_chunks: int
    child_chunks: int
    tokens: int
    states: dict[SourceState, int]


class QueueReport(FrozenModel):
    """Open work; ``kept`` counts what waits outside the database until it answers again.

    ``paused``: the user paused indexing (false while that is unknown). ``postponed`` are among the waiting, the first
    of them due at ``next_at``; ``levels`` counts what is open by how urgent it is, null while that is unknown.
    ``problem`` and ``remedy`` say why the last worker ended where the next one would end the same, null where nothing
    is open or a worker is at it.
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

    ``settings`` are those that are given, ``warnings`` what is to be said of the settings file and the environment.
    ``move`` is a move to another embedding space that is under way or rests, null where there is none. ``captures`` are
    the captures of sites that go on.
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


class CheckResult(FrozenModel):
    """One promise and whether it holds; ``examples`` names some of the ``broken`` rows, in these ``documents``.

    ``commands`` are what mends some of them where ``doctor --repair`` can do nothing more.
    """

    check: str
    promise: str
    ok: bool
    broken: int
    examples: tuple[str, ...]
    documents: tuple[Concerned, ...]
    commands: tuple[str, ...]


class DoctorReport(FrozenModel):
    """The document of ``doctor``: the surroundings first, then what was repaired, then the library's promises.

    With ``deep`` all texts were looked at closely.
    ``read_by_older`` counts documents read by an older version of the reader, which is no damage.
    """

    ok: bool
    stack: StackReport
    embedding: EmbeddingReport
    deep: bool
    repairs: tuple[RepairItem, ...]
    checks: tuple[CheckResult, ...]
    read_by_older: int


class ErrorDetail(FrozenModel):
    """What happened, what to do, and the exit code."""

    message: str
    hint: str
    exit_code: int


class ErrorReport(FrozenModel):
    """The document of a command that could not do its work."""

    error: ErrorDetail
