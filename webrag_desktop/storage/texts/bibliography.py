"""Who wrote a document and where it appeared, as it is stored: what was read, with what the user set in its place.

The columns of ``documents`` hold what counts. What the user set is kept in ``sources.user_facts``, so that a text that
is read again is given it again; what the document says instead is kept beside it, in ``stated_facts``.
"""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from webrag_desktop.models.metadata import FACT_NAMES, DocumentMetadata, FactName, metadata_values
from webrag_desktop.models.queue import SourceChanged
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce
from webrag_desktop.text.dates import publication_time
from webrag_desktop.text.folding import name_words

_GUESSED = {"published_time": "published_guessed", "modified_time": "modified_guessed"}


def document_columns(conn: Connection, document_id: UUID, document: DocumentMetadata) -> dict[str, object]:
    """The columns of a document's metadata, by parameter, as a text is published: with what the user set."""
    return _columns(metadata_values(document), _user_facts(conn, document_id))


def _columns(stated: Mapping[str, Any], user: Mapping[FactName, Any]) -> dict[str, object]:
    """What is stored of ``stated``, what the document says, and of what the user set in its place."""
    values, sources = dict(stated), dict(stated["fact_sources"])
    replaced: dict[str, dict[str, Any]] = {}
    for name, value in user.items():
        replaced[name] = {"value": _plain(stated[name]), "source": sources.pop(name, None)}
        values[name] = value if name != "authors" else value or []
        if value:
            sources[name] = "user"
        if name in _GUESSED:
            replaced[name]["guessed"] = stated[_GUESSED[name]]
            values[_GUESSED[name]] = False
    authors = [*values["authors"]]
    return values | {
        "authors": authors,
        "author_names": "\n".join(filter(None, (" ".join(name_words(name)) for name in authors))),
        "fact_sources": Jsonb(sources),
        "stated_facts": Jsonb(replaced),
    }


def _plain(value: object) -> object:
    return [*value] if isinstance(value, tuple | list) else value


def published_columns(columns: Mapping[str, object]) -> dict[str, object]:
    """When a document was published as searches compare it, and how exactly that is known."""
    written = columns["published_time"]
    published = publication_time(written if isinstance(written, str) else None)
    return {
        "published_at": published[0] if published else None,
        "published_precision": published[1] if published else None,
    }


def _user_facts(conn: Connection, source_id: UUID) -> dict[FactName, Any]:
    """What the user set of a source, which stays so until the transaction ends."""
    row = conn.execute("SELECT user_facts FROM sources WHERE id = %s FOR UPDATE", [source_id]).fetchone()
    return row[0] if row else {}


def set_facts(
    conn: Connection, source_id: UUID, facts: Mapping[FactName, Any], forget: Collection[FactName] = ()
) -> bool:
    """Set facts of a source, None for “there is none”, and let what the document says count again for others.

    Returns whether there is such a source.
    """
    user = {name: _plain(value) for name, value in {**_user_facts(conn, source_id), **facts}.items()}
    user = {name: value for name, value in user.items() if name not in forget}
    row = conn.execute(
        "UPDATE sources SET user_facts = %s WHERE id = %s RETURNING state", [Jsonb(user), source_id]
    ).fetchone()
    if row is None:
        return False
    found = conn.execute(_STORED, [source_id]).fetchone()
    if found is not None:
        columns = _columns(_as_stated(dict(zip(_COLUMN_NAMES, found, strict=True))), user)
        conn.execute(_SET, {**columns, **published_columns(columns), "id": source_id})
    announce(conn, SourceChanged(source_id, row[0]))
    return True


def titles(conn: Connection, source_id: UUID) -> tuple[str | None, str | None]:
    """The title that the user gave a source, and the one that its document states; each None where there is none."""
    row = conn.execute(
        """
        SELECT s.user_title, coalesce(d.title, r.title)
          FROM sources s LEFT JOIN documents d ON d.id = s.id LEFT JOIN removed_documents r ON r.id = s.id
         WHERE s.id = %s
        """,
        [source_id],
    ).fetchone()
    return row or (None, None)


def set_title(conn: Connection, source_id: UUID, title: str | None) -> bool:
    """Give a source a title, or let the document's count again; returns whether there is such a source."""
    row = conn.execute(
        "UPDATE sources SET user_title = %s WHERE id = %s RETURNING state", [title, source_id]
    ).fetchone()
    if row is not None:
        announce(conn, SourceChanged(source_id, row[0]))
    return row is not None


def take_over(conn: Connection, duplicate: UUID, kept: UUID) -> None:
    """Set what the user set of ``duplicate`` and not of ``kept``, which turned out to be the same page."""
    title = titles(conn, duplicate)[0]
    if title is not None and titles(conn, kept)[0] is None:
        set_title(conn, kept, title)
    of_both = {**_user_facts(conn, duplicate), **(own := _user_facts(conn, kept))}
    if of_both != own:
        set_facts(conn, kept, of_both)


def _as_stated(stored: dict[str, Any]) -> dict[str, Any]:
    """What the document says, from what is stored."""
    sources = dict(stored["fact_sources"])
    for name, one in stored["stated_facts"].items():
        stored[name] = one["value"] if name != "authors" else one["value"] or []
        sources.pop(name, None)
        if one["source"] is not None:
            sources[name] = one["source"]
        if name in _GUESSED:
            stored[_GUESSED[name]] = one["guessed"]
    return stored | {"fact_sources": sources}


_COLUMN_NAMES = (*FACT_NAMES, *_GUESSED.values(), "fact_sources", "stated_facts")
_STORED = sql.SQL("SELECT {} FROM documents WHERE id = %s").format(
    sql.SQL(", ").join(map(sql.Identifier, _COLUMN_NAMES))
)
_SET = sql.SQL("UPDATE documents SET {} WHERE id = %(id)s").format(
    sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name))
        for name in (*_COLUMN_NAMES, "author_names", "published_at", "published_precision")
    )
)
