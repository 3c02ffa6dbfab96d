"""The links of the texts that documents show, asked in both directions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.sources import key_hash

if TYPE_CHECKING:
    from webrag_desktop.models.documents import Link, NormalizedDocument
    from webrag_desktop.models.links import GraphNode


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A link, its page, the key of its address, and the source with that address, if any."""

    source_id: UUID
    link: "Link"
    url_key: str
    document_id: UUID | None


def short_key(url_key: str) -> int:
    """The key of an address in the table of links: the first eight bytes of its sha256, as a signed number."""
    return int.from_bytes(key_hash(url_key)[:8], "big", signed=True)


def write_links(
    conn: Connection, document_id: UUID, document: "NormalizedDocument", url_keys: Sequence[str]
) -> None:
    """Replace the stored links of a document by those of the text that it shows.

    ``url_keys`` belong to ``document.links`` one to one. Nothing is written where nothing differs.
    """
    keyed = list(zip(document.links, url_keys, strict=True))
    keys: dict[str, set[int]] = {"content": set(), "navigation": set()}
    for link, key in keyed:
        keys[link.place].add(short_key(key))
    conn.execute(
        """
        INSERT INTO page_links AS p (document_id, links, content_keys, navigation_keys, left_out)
        VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (document_id) DO UPDATE
           SET links = excluded.links, content_keys = excluded.content_keys,
               navigation_keys = excluded.navigation_keys, left_out = excluded.left_out
         WHERE (p.links, p.content_keys, p.navigation_keys, p.left_out)
               IS DISTINCT FROM (excluded.links, excluded.content_keys, excluded.navigation_keys, excluded.left_out)
        """,
        [
            document_id,
            Jsonb([_written(link, key) for link, key in keyed]),
            sorted(keys["content"]),
            sorted(keys["navigation"] - keys["content"]),
            document.links_left_out,
        ],
    )


def _written(link: "Link", key: str) -> dict[str, Any]:
    row = link.model_dump(mode="json", exclude_defaults=True)
    return row if key == link.url else {**row, "key": key}


def links_of(conn: Connection, document_id: UUID) -> list[StoredLink]:
    """The links of the text that a document shows, in the order of the page: content, then navigation."""
    rows = conn.execute(
        """
        SELECT p.document_id, l.link, (SELECT s.id FROM sources s WHERE s.id = a.source_id AND s.removed_at IS NULL)
          FROM page_links p CROSS JOIN LATERAL jsonb_array_elements(p.links) WITH ORDINALITY AS l (link, place)
          LEFT JOIN source_addresses a
                 ON a.key_hash = sha256(convert_to(coalesce(l.link->>'key', l.link->>'url'), 'UTF8'))
         WHERE p.document_id = %s ORDER BY l.place
        """,
        [document_id],
    )
    return [_link(*row) for row in rows]


def links_to(conn: Connection, document_id: UUID, most: int) -> list[StoredLink]:
    """Links of other documents to any address of a document; at most so many, those in a text first.

    Of pages that link to it equally they come in the order of adding, each with its links as they stand there.
    """
    rows = conn.execute(
        """
        WITH wanted AS (
            SELECT array_agg(webrag_short_key(key_hash)) AS short, array_agg(url_key) AS keys
              FROM source_addresses WHERE source_id = %(id)s),
        pages AS (
            SELECT p.document_id, p.links, p.content_keys && w.short AS by_text, s.added_at
              FROM wanted w, page_links p JOIN sources s ON s.id = p.document_id
             WHERE (p.content_keys && w.short OR p.navigation_keys && w.short) AND p.document_id <> %(id)s
             ORDER BY by_text DESC, s.added_at, s.id LIMIT %(most)s)
        SELECT p.document_id, l.link, %(id)s::uuid
          FROM pages p CROSS JOIN wanted w
          CROSS JOIN LATERAL jsonb_array_elements(p.links) WITH ORDINALITY AS l (link, place)
         WHERE coalesce(l.link->>'key', l.link->>'url') = ANY (w.keys)
         ORDER BY coalesce(l.link->>'place', 'content'), p.added_at, p.document_id, l.place LIMIT %(most)s
        """,
        {"id": document_id, "most": most},
    )
    return [_link(*row) for row in rows]


def _link(source_id: UUID, stored: dict[str, Any], document_id: UUID | None) -> StoredLink:
    from webrag_desktop.models.documents import Link

    key = stored.pop("key", None)
    link = Link.model_validate(stored)
    return StoredLink(source_id, link, key or link.url, document_id)


def left_out(conn: Connection, document_id: UUID) -> int:
    """How many links of a page were not stored because there were too many."""
    row = conn.execute("SELECT left_out FROM page_links WHERE document_id = %s", [document_id]).fetchone()
    return row[0] if row else 0


def edges(conn: Connection, *, navigation: bool) -> list[tuple[UUID, UUID]]:
    """Which documents with a text link to which others, each pair once, by ids; those of navigation if asked for."""
    return conn.execute(
        """
        WITH known AS (
            SELECT a.source_id, webrag_short_key(a.key_hash) AS short
              FROM source_addresses a JOIN documents d ON d.id = a.source_id),
        linked AS (
            SELECT p.document_id, k.short FROM page_links p CROSS JOIN LATERAL unnest(
                p.content_keys || CASE WHEN %s THEN p.navigation_keys ELSE '{}' END) AS k (short))
        SELECT DISTINCT l.document_id, k.source_id FROM linked l JOIN known k ON k.short = l.short
         WHERE l.document_id <> k.source_id ORDER BY 1, 2
        """,
        [navigation],
    ).fetchall()


def graph_nodes(conn: Connection, document_ids: Sequence[UUID]) -> "list[GraphNode]":
    """Those of these documents that have a text, as the graph shows them, by depth and address."""
    from webrag_desktop.models.links import GraphNode

    with conn.cursor(row_factory=class_row(GraphNode)) as cursor:
        return cursor.execute(
            """
            SELECT d.id AS document_id, coalesce(s.user_title, d.title) AS title, d.description,
                   d.source_url AS url, d.depth
              FROM documents d JOIN sources s ON s.id = d.id
             WHERE d.id = ANY(%s) ORDER BY d.depth, d.source_url COLLATE "C", d.id
            """,
            [list(document_ids)],
        ).fetchall()
