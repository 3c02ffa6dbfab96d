"""Which document a damaged row belongs to: people and commands know documents, not rows."""

from collections.abc import Iterable
from contextlib import suppress
from uuid import UUID

from webrag_desktop.models.checks import ConcernedDocument
from webrag_desktop.storage.database import Connection


def concerned_documents(conn: Connection, names: Iterable[str]) -> dict[str, ConcernedDocument]:
    """The documents of rows that are named by their ids: documents, versions, chunks, captures, citations.

    What names no such row, a table for instance, is left out.
    """
    ids = []
    for name in names:
        with suppress(ValueError):
            ids.append(UUID(name))
    rows = conn.execute(
        """
        WITH named AS (SELECT unnest(%s::uuid[]) AS id),
        owned AS (
            SELECT id, id AS source_id FROM named
            UNION SELECT id, v.document_id FROM named JOIN document_versions v USING (id)
            UNION SELECT id, c.document_id FROM named JOIN chunks c USING (id)
            UNION SELECT id, c.source_id FROM named JOIN captures c USING (id)
            UNION SELECT id, c.document_id FROM named JOIN citations c USING (id))
        SELECT o.id::text, s.id, coalesce(s.user_title, d.title),
               coalesce(d.source_url, (SELECT a.url FROM source_addresses a
                                        WHERE a.source_id = s.id AND a.kind = 'given' ORDER BY a.id LIMIT 1))
          FROM owned o JOIN sources s ON s.id = o.source_id LEFT JOIN documents d ON d.id = s.id
        """,
        [ids],
    )
    return {name: ConcernedDocument(*facts) for name, *facts in rows}
