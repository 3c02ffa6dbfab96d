"""Giving a document the addresses that its page answers to, or joining it to the document that has them."""

from uuid import UUID

from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.reading_process.verifying import Addresses
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.captures import StoredCapture
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.queue.jobs import Job


def settle_addresses(
    conn: Connection, job: Job, stored: StoredCapture, addresses: Addresses, *, has_text: bool
) -> bool:
    """Give the source the addresses its page answers to; False where it was joined to the source that has one already.

    A source with a text is never joined: a login page, to which all of a site may lead one day, must not
    swallow what was read before, with its captures and what was cited.

    Raises:
        FetchError: a source with a text has come to lead to where another one is.
    """
    for url, kind in addresses:
        owner = sources.claim_address(conn, job.source_id, url, url_key(url), kind)
        if owner == job.source_id:
            continue
        if has_text:
            _keep_apart(url, stored)
        elif _joined(conn, job, owner, stored):
            return False
    return True


def _keep_apart(url: str, stored: StoredCapture) -> None:
    """Go on beside the source that has this address; raises when it is where the page itself was found."""
    if url_key(url) == url_key(stored.capture.final_url):
        raise fetch_errors.leads_elsewhere(url)


def _joined(conn: Connection, job: Job, owner: UUID, stored: StoredCapture) -> bool:
    """Join the source to ``owner``, which may be glad of the capture; False when that one is gone."""
    state = sources.lock_source(conn, owner)
    if state is None:
        return False
    if state in ("queued", "failed", "cancelled"):
        captures.move_capture(conn, stored.id, owner)
        if stored.capture.reached:
            sources.note_reached(conn, owner, stored.capture.reached[-1])
        sources.set_state(conn, owner, "queued")
        jobs.enqueue(conn, owner, stored.id, priority=job.priority, wish="joined")
    sources.merge_source(conn, job.source_id, owner)
    return True
