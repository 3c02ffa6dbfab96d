"""Which files the library knows, and as what they were read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webrag_desktop.progress import SourceState
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.sources import key_hash


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A known address: how far its source is, the bytes of what was read last, and when that was found so."""

    state: SourceState
    size: int | None
    read_at: datetime | None


def kept_files(conn: Connection, url_keys: Sequence[str]) -> dict[str, KeptFile]:
    """What is known of those of these address keys that some source answers to."""
    by_hash = {key_hash(key): key for key in url_keys}
    rows = conn.execute(
        """
        SELECT a.key_hash, s.state, c.body_bytes, greatest(s.checked_at, c.fetched_at)
          FROM source_addresses a JOIN sources s ON s.id = a.source_id
          LEFT JOIN LATERAL (SELECT body_bytes, fetched_at FROM captures
                              WHERE source_id = s.id ORDER BY number DESC LIMIT 1) c ON true
         WHERE a.key_hash = ANY(%s)
        """,
        [list(by_hash)],
    )
    return {by_hash[bytes(hashed)]: KeptFile(state, size, read_at) for hashed, state, size, read_at in rows}
