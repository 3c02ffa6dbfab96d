"""What the documents of a library are and come from, with counts: what a search can be restricted to."""

from dataclasses import dataclass

from webrag_desktop.storage.database import Connection

Counted = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Facets:
    """Values with how many documents have each, most first: sites by host, document types, languages by code.

    A language is the one a document states, else the one that its text was found to be in, without its region.
    """

    sites: Counted
    doc_types: Counted
    languages: Counted


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
