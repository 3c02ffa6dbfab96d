"""What the documents of a library are and come from, with counts: what a search can be restricted to."""

from webrag_desktop.models.sources import Facets
from webrag_desktop.storage.database import Connection


def read_facets(conn: Connection) -> Facets:
    """The facets of all documents that have a text."""
    found: dict[str, list[tuple[str, int]]] = {"site": [], "type": [], "language": []}
    for facet, value, documents in conn.execute(_COUNT):
        found[facet].append((value, documents))
    return Facets(tuple(found["site"]), tuple(found["type"]), tuple(found["language"]))


_COUNT = """
    SELECT facet, value, count(*)
      FROM documents d CROSS JOIN LATERAL (VALUES
           ('site', d.site),
           ('type', d.doc_type),
           ('language', split_part(
               replace(lower(coalesce(d.language, nullif(d.search_language, 'simple'))), '_', '-'), '-', 1))
           ) AS facets (facet, value)
     WHERE value <> ''
     GROUP BY facet, value ORDER BY facet, count(*) DESC, value COLLATE "C"
"""
