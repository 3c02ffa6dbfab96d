"""The files that show captured pages as they looked: each body once, by its hash; which page refers to which."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from psycopg.rows import class_row

from webrag_desktop.models.subresources import (
    AbsentSubresource,
    KeptSubresources,
    StoredBody,
    SubresourceKind,
)
from webrag_desktop.storage.captures.captures import is_sound, packed, unpacked
from webrag_desktop.storage.database import Connection

if TYPE_CHECKING:  # of pydantic, which no command needs that only asks whether there is work
    from webrag_desktop.models.markup import Reference

_REUSED_WITHIN = (
    "1 day"  # in which a file of the same address is not fetched again for another page of its site
)


@dataclass(frozen=True, slots=True)
class KnownSubresource:
    """What became of one address of a page: kept under a hash, or absent. ``final_url`` is where redirects led."""

    url: str
    kind: SubresourceKind
    sha256: bytes | None
    media_type: str | None
    final_url: str | None
    body_bytes: int


def keep(
    conn: Connection, capture_id: UUID, reference: "Reference", stored: StoredBody, final_url: str
) -> bytes:
    """Keep a file of a page, which came from ``final_url``; returns its hash. No body is stored twice.

    One that is damaged is put back.
    """
    sha256 = hashlib.sha256(stored.body).digest()
    there = conn.execute(
        "SELECT body_zstd FROM subresource_bodies WHERE sha256 = %s FOR KEY SHARE", [sha256]
    ).fetchone()
    if there is None:
        conn.execute(
            """
            INSERT INTO subresource_bodies (sha256, body_zstd, body_bytes) VALUES (%s, %s, %s)
            ON CONFLICT DO NOTHING
            """,
            [sha256, packed(stored.body), len(stored.body)],
        )
    elif not is_sound(there[0], sha256):
        conn.execute(
            "UPDATE subresource_bodies SET body_zstd = %s, body_bytes = %s WHERE sha256 = %s",
            [packed(stored.body), len(stored.body), sha256],
        )
    refer(conn, capture_id, reference, sha256, stored.media_type, final_url)
    return sha256


def refer(
    conn: Connection, capture_id: UUID, reference: "Reference", sha256: bytes, media_type: str, final_url: str
) -> None:
    """Note that an address of a page is kept under a hash that is there."""
    _note(conn, capture_id, reference, sha256=sha256, media_type=media_type, final_url=final_url)


def note_absent(
    conn: Connection, capture_id: UUID, reference: "Reference", reason: str, *, transient: bool = False
) -> None:
    """Note why a file of a page is not kept, and whether it may be had at another time."""
    _note(conn, capture_id, reference, absent=reason, transient=transient)


def forget_transient(conn: Connection, capture_id: UUID) -> None:
    """Forget the files of a page that are absent and may be had at another time, so that they are fetched then."""
    conn.execute("DELETE FROM subresources WHERE capture_id = %s AND transient", [capture_id])


def _note(
    conn: Connection,
    capture_id: UUID,
    reference: "Reference",
    *,
    sha256: bytes | None = None,
    media_type: str | None = None,
    final_url: str | None = None,
    absent: str | None = None,
    transient: bool = False,
) -> None:
    conn.execute(
        """
        INSERT INTO subresources (capture_id, number, url, kind, sha256, media_type, final_url, absent,
                                  transient)
        SELECT %(capture)s, coalesce(max(number), 0) + 1, %(url)s, %(kind)s, %(sha256)s, %(type)s,
               %(final)s, %(absent)s,
               %(transient)s
          FROM subresources WHERE capture_id = %(capture)s
        """,
        {
            "capture": capture_id,
            "url": reference.url,
            "kind": reference.kind,
            "sha256": sha256,
            "type": media_type,
            "final": final_url,
            "absent": absent,
            "transient": transient,
        },
    )


def lately_kept(conn: Connection, capture_id: UUID, url: str) -> tuple[bytes, str, str] | None:
    """What the same address gave another page of the same site within a day, locked: hash, media type, last address."""
    return conn.execute(
        """
        SELECT b.sha256, r.media_type, r.final_url
          FROM subresources r JOIN captures c ON c.id = r.capture_id JOIN subresource_bodies b USING (sha256)
         WHERE md5(r.url) = md5(%(url)s) AND r.url = %(url)s
           AND r.fetched_at > clock_timestamp() - %(within)s::interval
           AND webrag_host(c.final_url) = (SELECT webrag_host(final_url) FROM captures WHERE id = %(capture)s)
         ORDER BY r.fetched_at DESC, r.capture_id LIMIT 1 FOR KEY SHARE OF b
        """,
        {"url": url, "capture": capture_id, "within": _REUSED_WITHIN},
    ).fetchone()


def known(conn: Connection, capture_id: UUID) -> dict[str, KnownSubresource]:
    """What became of the addresses of a page so far."""
    with conn.cursor(row_factory=class_row(KnownSubresource)) as cursor:
        rows = cursor.execute(
            """
            SELECT r.url, r.kind, r.sha256, r.media_type, r.final_url, coalesce(b.body_bytes, 0) AS body_bytes
              FROM subresources r LEFT JOIN subresource_bodies b USING (sha256)
             WHERE r.capture_id = %s ORDER BY r.number
            """,
            [capture_id],
        ).fetchall()
    return {row.url: row for row in rows}


def body(conn: Connection, sha256: bytes) -> bytes | None:
    """A stored body; None where there is none of that hash.

    Raises:
        IngestionError: it is damaged.
    """
    row = conn.execute("SELECT body_zstd FROM subresource_bodies WHERE sha256 = %s", [sha256]).fetchone()
    return unpacked(row[0]) if row else None


def files_of(conn: Connection, capture_id: UUID) -> list[tuple[str, str, str, bytes]]:
    """What is kept of a page: address, where that led, media type, and the body as it is stored."""
    return conn.execute(
        """
        SELECT r.url, r.final_url, r.media_type, b.body_zstd
          FROM subresources r JOIN subresource_bodies b USING (sha256)
         WHERE r.capture_id = %s ORDER BY r.number
        """,
        [capture_id],
    ).fetchall()


def page_to_show(conn: Connection, source_id: UUID) -> UUID | None:
    """The newest capture of a page whose files were asked for, else the newest; None where nothing is captured."""
    row = conn.execute(
        """
        SELECT c.id FROM captures c LEFT JOIN page_looks l ON l.capture_id = c.id
         WHERE c.source_id = %s ORDER BY l.capture_id IS NULL, c.number DESC LIMIT 1
        """,
        [source_id],
    ).fetchone()
    return row[0] if row else None


def summary(conn: Connection, source_id: UUID) -> KeptSubresources | None:
    """What is kept of the files of a page; None where none were ever asked for."""
    row = conn.execute(
        """
        SELECT c.id, c.fetched_at, l.finished_at IS NULL, l.left_out, l.left_out_reason
          FROM page_looks l JOIN captures c ON c.id = l.capture_id
         WHERE c.source_id = %s ORDER BY c.number DESC LIMIT 1
        """,
        [source_id],
    ).fetchone()
    return None if row is None else _summary(conn, *row)


def _summary(
    conn: Connection, capture_id: UUID, fetched_at: datetime, is_open: bool, left_out: int, reason: str | None
) -> KeptSubresources:
    counted = conn.execute(
        """
        SELECT count(*), coalesce(sum(b.body_bytes), 0)::bigint
          FROM subresources r JOIN subresource_bodies b USING (sha256) WHERE r.capture_id = %s
        """,
        [capture_id],
    ).fetchone()
    assert counted is not None  # an aggregate always gives a row
    with conn.cursor(row_factory=class_row(AbsentSubresource)) as cursor:
        absent = cursor.execute(
            """
            SELECT url, absent AS reason, transient FROM subresources
             WHERE capture_id = %s AND absent IS NOT NULL ORDER BY number
            """,
            [capture_id],
        ).fetchall()
    number, size = counted
    return KeptSubresources(capture_id, fetched_at, is_open, number, size, tuple(absent), left_out, reason)
