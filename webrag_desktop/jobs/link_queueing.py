"""Putting links into the queue that a program follows by itself."""

from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.errors import InputError
from webrag_desktop.ingestion.addresses import parse_source, url_key
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.models.queue import Priority
from webrag_desktop.models.sources import FollowedWithin
from webrag_desktop.progress import FINAL_STATES
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs


class QueuedLink(NamedTuple):
    """The source that answers to a link, and whether it came into the library by it."""

    source_id: UUID
    added: bool


@lru_cache(maxsize=8192)  # each round of an expansion asks about the links of all pages again
def address_of_link(url: str) -> str | None:
    """The web address that a link leads to, without its fragment; None where it leads to nothing that is fetched."""
    try:
        kind, address = parse_source(url.partition("#")[0])
    except InputError:
        return None
    return address if kind == "url" else None


def queue_link(
    conn: Connection,
    url: str,
    *,
    depth: int,
    followed: FollowedWithin,
    lies: AddressClass,
    priority: Priority,
) -> QueuedLink | None:
    """Have the page at ``url`` (of :func:`address_of_link`) fetched: a new one, or one that is there looked at again.

    Redirects may lead as far as ``followed`` says; a new page may lie in the internet, or where ``lies`` says.
    None where it was removed in this very moment.
    """
    key = url_key(url)
    added = sources.add_source(conn, "url", url, key, depth=depth, followed=(followed, lies))
    owner = added or sources.owner_of(conn, key)
    if owner is None or (state := sources.lock_source(conn, owner)) is None:
        return None
    if added is None:
        sources.come_nearer(conn, owner, depth)
        if state in FINAL_STATES:
            sources.set_state(conn, owner, "queued")
    jobs.enqueue(conn, owner, priority=priority, wish="added" if added else "refreshed", for_runs=True)
    return QueuedLink(owner, added is not None)
