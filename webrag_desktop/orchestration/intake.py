"""Accept what the user gives: durable at once, worked on later."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from webrag_desktop.errors import DatabaseConflictError
from webrag_desktop.ingestion.addresses import file_path, parse_source, url_key
from webrag_desktop.ingestion.fetch import FetchOptions
from webrag_desktop.ingestion.files import read_file
from webrag_desktop.storage import captures, jobs, queue_control, sources
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spool import Spool, SpooledIntake

Verdict = Literal["added", "present", "retried", "changed"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of one thing the user gave.

    ``added`` is new; ``present`` was there already; ``retried`` had failed or been cancelled and is tried again;
    ``changed`` is a file whose content differs from what was read before.
    """

    given: str
    source_id: UUID
    verdict: Verdict


def read_intake(given: str, options: FetchOptions) -> SpooledIntake:
    """Understand an address or path, reading a file now, since it may be gone later.

    Raises:
        InputError: ``given`` is neither an address nor a file.
        IngestionError: the file cannot be read.
    """
    kind, address = parse_source(given)
    capture = read_file(file_path(address), options) if kind == "file" else None
    url = capture.url if capture else address
    return SpooledIntake(kind=kind, url=url, url_key=url_key(url), capture=capture)


def accept(conn: Connection, given: str, intake: SpooledIntake) -> Accepted:
    """Take one thing in: once the caller's transaction commits, it is never lost."""
    added = sources.add_source(conn, intake.kind, intake.url, intake.url_key)
    owner = added or sources.owner_of(conn, intake.url_key)
    if owner is None:
        raise _removed_meanwhile()
    verdict: Verdict = "added" if added else _verdict_on_known(conn, owner, intake)
    if verdict == "present":
        return Accepted(given, owner, verdict)
    sources.set_state(conn, owner, "queued")
    capture_id = captures.save_capture(conn, owner, intake.capture).id if intake.capture else None
    jobs.enqueue(conn, owner, capture_id)
    return Accepted(given, owner, verdict)


def _verdict_on_known(conn: Connection, owner: UUID, intake: SpooledIntake) -> Verdict:
    state = sources.lock_source(conn, owner)
    if state is None:
        raise _removed_meanwhile()
    retried = state in ("failed", "cancelled")
    if intake.capture is not None:
        latest = captures.latest_capture(conn, owner)
        if latest is not None and latest.fetched_at > intake.capture.fetched_at:
            return "present"  # it waited in the spool while a newer one came in
        if latest is not None and latest.raw_hash == captures.raw_hash_of(intake.capture):
            if state == "ready" and queue_control.last_was_cancelled(conn, owner):
                return "changed"  # it differs from what is shown: the user stopped the reading of it
            return "retried" if retried else "present"
        return "changed"
    return "retried" if retried else "present"


def _removed_meanwhile() -> DatabaseConflictError:
    return DatabaseConflictError("This was removed in the very moment of adding it.", "Add it again.")


def accept_spooled(database: Database, spool: Spool) -> int:
    """Take in what waited while the database was down; returns how many."""
    taken = 0
    for path, intake in spool.waiting():
        with database.connection() as conn:
            accept(conn, intake.url, intake)
        path.unlink(missing_ok=True)
        taken += 1
    return taken
