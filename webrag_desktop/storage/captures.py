"""Raw responses, compressed, kept so that nothing needs to be fetched twice."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

import zstandard
from psycopg.types.json import Jsonb

from webrag_desktop.models import Capture
from webrag_desktop.storage.database import Connection

COMPRESSION_LEVEL = 6


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """A capture with its identity; ``raw_hash`` is sha256 of the body."""

    id: UUID
    raw_hash: bytes
    capture: Capture


def save_capture(conn: Connection, source_id: UUID, capture: Capture) -> StoredCapture:
    """Keep a raw response. Once committed the source is accepted for good."""
    stored = StoredCapture(uuid4(), raw_hash_of(capture), capture)
    conn.execute(
        """
        INSERT INTO captures (id, source_id, url, final_url, redirects, status_code, headers, filename,
                              body_zstd, body_sha256, body_bytes, fetched_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        [
            stored.id,
            source_id,
            capture.url,
            capture.final_url,
            list(capture.redirects),
            capture.status_code,
            Jsonb(_without_nul(capture.headers)),
            capture.filename,
            zstandard.ZstdCompressor(level=COMPRESSION_LEVEL).compress(capture.body),
            stored.raw_hash,
            len(capture.body),
            capture.fetched_at,
        ],
    )
    return stored


def _without_nul(headers: tuple[tuple[str, str], ...]) -> list[list[str]]:
    # PostgreSQL's text and jsonb refuse NUL; a header that holds one is broken anyway.
    return [[name.replace("\0", ""), value.replace("\0", "")] for name, value in headers]


def latest_capture(
    conn: Connection, source_id: UUID, *, since: datetime | None = None
) -> StoredCapture | None:
    """The newest capture of a source, or None; with ``since``, only one captured at or after that time."""
    row = conn.execute(
        """
        SELECT id, body_sha256, url, final_url, redirects, status_code, headers, filename, body_zstd, fetched_at
          FROM captures
         WHERE source_id = %s AND captured_at >= coalesce(%s, '-infinity'::timestamptz)
         ORDER BY captured_at DESC, id
         LIMIT 1
        """,
        [source_id, since],
    ).fetchone()
    if row is None:
        return None
    capture_id, raw_hash, url, final_url, redirects, status_code, headers, filename, body, fetched_at = row
    capture = Capture(
        url=url,
        final_url=final_url,
        redirects=tuple(redirects),
        status_code=status_code,
        headers=tuple((name, value) for name, value in headers),
        body=zstandard.ZstdDecompressor().decompress(body),
        fetched_at=fetched_at,
        filename=filename,
    )
    return StoredCapture(capture_id, bytes(raw_hash), capture)


def latest_raw_hash(conn: Connection, source_id: UUID) -> bytes | None:
    """sha256 of the newest captured body, without reading the body."""
    row = conn.execute(
        "SELECT body_sha256 FROM captures WHERE source_id = %s ORDER BY captured_at DESC, id LIMIT 1",
        [source_id],
    ).fetchone()
    return bytes(row[0]) if row else None


def raw_hash_of(capture: Capture) -> bytes:
    """sha256 of a captured body, as :func:`latest_raw_hash` gives it."""
    return hashlib.sha256(capture.body).digest()
