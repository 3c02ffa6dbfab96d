"""Looking whether documents changed where they came from: pages are fetched again, files are read again."""

from collections.abc import Sequence
from uuid import UUID

from webrag_desktop.errors import WebragError
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.library.intake import accept, read_intake
from webrag_desktop.models.intake import Refreshed, hint_beside_text
from webrag_desktop.models.queue import Priority, priority_of
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES, CancelToken
from webrag_desktop.storage.captures import page_looks
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs, queue_control

REFRESHED_AT_ONCE = 200  # pages per transaction


def refresh(
    database: Database,
    source_ids: Sequence[UUID],
    options: FetchOptions,
    cancel: CancelToken | None = None,
    priority: Priority | None = None,
    *,
    subresources: bool | None = None,
) -> Refreshed:
    """Queue pages to be fetched again, and read files again where they still are.

    A few overtake what lies in the queue, many wait for all that is asked for meanwhile, unless ``priority`` says how
    urgent this is. ``subresources`` is as for :meth:`.Documents.refresh`.

    Raises:
        Cancelled: the token was set; what was queued before stays queued.
    """
    cancel = cancel or CancelToken()
    priority = priority_of(len(source_ids), Priority.BEHIND) if priority is None else priority
    with database.connection() as conn:
        if subresources is not None:
            page_looks.wish(conn, source_ids, subresources)
        rows = list(sources.get_sources(conn, source_ids).values())
    queued: list[UUID] = []
    unchanged: list[UUID] = []
    unreadable: list[tuple[UUID, WebragError]] = []
    pages = [row.id for row in rows if row.kind == "url"]
    for start in range(0, len(pages), REFRESHED_AT_ONCE):
        cancel.raise_if_cancelled()
        with database.connection() as conn:
            queued += _queue_pages(conn, pages[start : start + REFRESHED_AT_ONCE], priority)
    for row in rows:
        if row.kind != "file":
            continue
        cancel.raise_if_cancelled()
        try:
            changed = _read_again(database, row, options, priority)
        except WebragError as error:
            unreadable.append((row.id, error))
            _note_unreadable(database, row.id, error)
        else:
            (queued if changed else unchanged).append(row.id)
    return Refreshed(tuple(queued), tuple(unchanged), tuple(unreadable))


def _queue_pages(conn: Connection, ids: Sequence[UUID], priority: Priority) -> list[UUID]:
    """Queue those of these pages that are there; what is open already is fetched, once more if it was before."""
    states = {source_id: sources.lock_source(conn, source_id) for source_id in sorted(ids)}
    ended = [source_id for source_id in ids if states[source_id] in FINAL_STATES]
    sources.set_states(conn, ended, "queued")
    for source_id in ended:
        jobs.enqueue(conn, source_id, priority=priority, wish="refreshed")
    jobs.hasten(conn, ids, priority)
    jobs.fetch_again(conn, [source_id for source_id in ids if source_id not in ended])
    return [source_id for source_id in ids if states[source_id] is not None]


def _note_unreadable(database: Database, source_id: UUID, error: WebragError) -> None:
    """Note of a file why it was not read again, and keep that in its history; what failed has a reason of its own."""
    hint = hint_beside_text(error)
    with database.connection() as conn:
        if sources.lock_source(conn, source_id) != "ready":
            return
        sources.set_state(conn, source_id, "ready", reason=error.message, hint=hint)
        # That the user stopped the last reading is what its last work tells; see `accept`.
        if not queue_control.last_was_cancelled(conn, source_id):
            jobs.note_failure(conn, source_id, error.message, hint, wish="refreshed")


def _read_again(database: Database, row: SourceRow, options: FetchOptions, priority: Priority) -> bool:
    """Take in what a file holds now; False when that is what is stored, or the document is gone.

    Raises what :func:`~webrag_desktop.library.intake.read_intake` raises.
    """
    intake = read_intake(row.url, options)
    with database.connection() as conn:
        if sources.lock_source(conn, row.id) is None:
            return False
        return accept(conn, row.url, intake, priority, "refreshed").verdict != "present"
