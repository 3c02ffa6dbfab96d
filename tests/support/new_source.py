"""A source that is certainly new."""

from uuid import UUID

from webrag_desktop.models.sources import SourceKind
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources


def new_source(conn: Connection, kind: SourceKind, url: str, url_key: str, *, depth: int = 0) -> UUID:
    """Add a source whose address nobody else answers to."""
    source_id = sources.add_source(conn, kind, url, url_key, depth=depth)
    assert source_id is not None
    return source_id
