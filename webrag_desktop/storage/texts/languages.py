"""Which languages the texts of a library are in, for texts that do not show their own."""

from uuid import UUID

from webrag_desktop.storage.database import Connection


def usual_languages(conn: Connection, site: str | None, document_id: UUID) -> list[str]:
    """The search language of most other documents of the site, then that of most of the library, where there is one.

    Documents without stemming tell nothing.
    """
    sites = [None] if site is None else [site, None]
    rows = [conn.execute(_USUAL, {"id": document_id, "site": one}).fetchone() for one in sites]
    return [row[0] for row in rows if row is not None]


_USUAL = """
    SELECT search_language FROM documents
     WHERE search_language <> 'simple' AND id <> %(id)s AND (%(site)s::text IS NULL OR site = %(site)s)
     GROUP BY search_language ORDER BY count(*) DESC, search_language LIMIT 1
"""
