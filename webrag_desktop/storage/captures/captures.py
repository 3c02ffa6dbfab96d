"""Raw responses, compressed, kept so that nothing needs to be fetched twice."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import zstandard
from psycopg.types.json import Jsonb

from webrag_desktop.errors import IngestionError
from webrag_desktop.storage.database import Connection

if TYPE_CHECKING:
    from webrag_desktop.models.documents import AddressClass, Capture

COMPRESSION_LEVEL = 6


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """A capture with its identity; ``raw_hash`` is sha256 of the body."""

    id: UUID
    raw_hash: bytes
    capture: "Capture"


def save_capture(conn: Connection, source_id: UUID, capture: "Capture") -> StoredCapture:
    """Store a raw response. Once committed, the source is durable."""
    stored = StoredCapture(uuid4(), raw_hash_of(capture), capture)
    note_checked(conn, source_id, capture.fetched_at)
    conn.execute(
        """
        INSERT INTO captures (id, source_id, url, final_url, redirects, status_code, headers, filename,
                              body_zstd, body_sha256, body_bytes, fetched_at, reached)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
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
            packed(capture.body),
            stored.raw_hash,
            len(capture.body),
            capture.fetched_at,
            list(capture.reached),
        ],
    )
    return stored


def put_back_body(conn: Connection, capture_id: UUID, body: bytes) -> None:
    """Replace the damaged body of a capture by the same body, received again."""
    row = conn.execute("SELECT body_zstd, body_sha256 FROM captures WHERE id = %s", [capture_id]).fetchone()
    if row is None or is_sound(row[0], bytes(row[1])):
        return
    conn.execute(
        "UPDATE captures SET body_zstd = %s, body_bytes = %s WHERE id = %s",
        [packed(body), len(body), capture_id],
    )


def packed(body: bytes) -> bytes:
    """A body as it is stored."""
    return zstandard.ZstdCompressor(level=COMPRESSION_LEVEL).compress(body)


def is_sound(packed_body: bytes, raw_hash: bytes) -> bool:
    """Whether a stored body is the one of that hash."""
    try:
        return hashlib.sha256(unpacked(packed_body)).digest() == raw_hash
    except IngestionError:
        return False


def _without_nul(headers: tuple[tuple[str, str], ...]) -> list[list[str]]:
    # PostgreSQL's text and jsonb refuse NUL; a header that holds one is broken anyway.
    return [[name.replace("\0", ""), value.replace("\0", "")] for name, value in headers]


def load_capture(conn: Connection, capture_id: UUID) -> StoredCapture | None:
    """A capture with its body, or None when it is gone."""
    row = conn.execute(
        """
        SELECT id, body_sha256, url, final_url, redirects, status_code, headers, filename, body_zstd, fetched_at,
               reached
          FROM captures WHERE id = %s
        """,
        [capture_id],
    ).fetchone()
    if row is None:
        return None
    from webrag_desktop.models.documents import Capture  # a window that starts needs none

    (
        stored_id,
        raw_hash,
        url,
        final_url,
        redirects,
        status_code,
        headers,
        filename,
        body,
        fetched_at,
        reached,
    ) = row
    capture = Capture(
        url=url,
        final_url=final_url,
        redirects=tuple(redirects),
        status_code=status_code,
        headers=tuple((name, value) for name, value in headers),
        body=unpacked(body),
        fetched_at=fetched_at,
        filename=filename,
        reached=tuple(reached),
    )
    return StoredCapture(stored_id, bytes(raw_hash), capture)


def unpacked(packed: bytes) -> bytes:
    """A stored body as it was received.

    Raises:
        IngestionError: what is stored cannot be unpacked.
    """
    try:
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise IngestionError(
            "The kept copy of this is damaged, so it cannot be read again. The text read from it stays.",
            "Checking for changes (`webrag refresh`) fetches the page, or reads the file, again.",
        ) from error


@dataclass(frozen=True, slots=True)
class LatestCapture:
    """What is known of a source's newest capture without reading its body."""

    id: UUID
    raw_hash: bytes
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class CaptureHead:
    """A capture without its body."""

    id: UUID
    raw_hash: bytes
    final_url: str
    redirects: tuple[str, ...]
    headers: tuple[tuple[str, str], ...]
    url: str
    reached: "tuple[AddressClass, ...]"


def latest_head(conn: Connection, source_id: UUID) -> CaptureHead | None:
    """The capture that came in last, without its body; None before the first."""
    row = conn.execute(
        """
        SELECT id, body_sha256, final_url, redirects, headers, url, reached FROM captures
         WHERE source_id = %s ORDER BY number DESC LIMIT 1
        """,
        [source_id],
    ).fetchone()
    if row is None:
        return None
    headers = tuple((name, value) for name, value in row[4])
    return CaptureHead(row[0], bytes(row[1]), row[2], tuple(row[3]), headers, row[5], tuple(row[6]))


def note_checked(conn: Connection, source_id: UUID, moment: datetime) -> None:
    """Record when the source was last found as it is stored, or was stored."""
    conn.execute(
        "UPDATE sources SET checked_at = greatest(checked_at, %s) WHERE id = %s", [moment, source_id]
    )


def renew_headers(conn: Connection, capture_id: UUID, capture: "Capture") -> None:
    """Store the headers and address with which the same body was received again, for the next request to the site."""
    conn.execute(
        "UPDATE captures SET headers = %s, reached = %s WHERE id = %s",
        [Jsonb(_without_nul(capture.headers)), list(capture.reached), capture_id],
    )


def latest_capture(conn: Connection, source_id: UUID) -> LatestCapture | None:
    """The capture that came in last, whatever the clock said; None before the first."""
    row = conn.execute(
        "SELECT id, body_sha256, fetched_at FROM captures WHERE source_id = %s ORDER BY number DESC LIMIT 1",
        [source_id],
    ).fetchone()
    return LatestCapture(row[0], bytes(row[1]), row[2]) if row else None


def move_capture(conn: Connection, capture_id: UUID, source_id: UUID) -> None:
    """Give a capture to another source."""
    conn.execute("UPDATE captures SET source_id = %s WHERE id = %s", [source_id, capture_id])


def raw_hash_of(capture: "Capture") -> bytes:
    """sha256 of a captured body, as :func:`latest_capture` gives it."""
    return hashlib.sha256(capture.body).digest()
