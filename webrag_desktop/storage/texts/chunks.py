"""Writing chunks: copied in binary form, then inserted by one statement that also makes their words searchable."""

from collections.abc import Mapping, Sequence

from psycopg import sql

from webrag_desktop.storage.database import Connection

# The values of a row, by the names of :func:`documents.chunk_columns`, and the columns that they are written to.
_COLUMNS = (
    ("id", "uuid", "id"),
    ("document", "uuid", "document_id"),
    ("version", "uuid", "version_id"),
    ("parent", "uuid", "parent_id"),
    ("chunking", "text", "chunking_id"),
    ("level", "text", "chunk_level"),
    ("index", "int4", "chunk_index"),
    ("heading", "text", "section_heading"),
    ("path", "text[]", "heading_path"),
    ("anchor", "text", "anchor"),
    ("page", "int4", "page"),
    ("text", "text", "chunk_text"),
    ("html", "text", "html_text"),
    ("has_table", "bool", "has_table"),
    ("has_code", "bool", "has_code"),
    ("has_math", "bool", "has_math"),
    ("has_definition_list", "bool", "has_definition_list"),
    ("has_admonition", "bool", "has_admonition"),
    ("has_steps", "bool", "has_steps"),
    ("char_start", "int4", "char_start"),
    ("char_end", "int4", "char_end"),
    ("token_start", "int4", "token_start"),
    ("token_end", "int4", "token_end"),
    ("html_tokens", "int4", "html_tokens"),
    ("places", "jsonb", "places"),
    ("sentences", "bytea", "sentences"),
    ("source_url", "text", "source_url"),
    ("language", "text", "search_language"),
)
_FOR_THE_WORDS = (("context", "text"), ("terms", "text[]"))
_NAMES = [name for name, _type, _column in _COLUMNS] + [name for name, _type in _FOR_THE_WORDS]
_TYPES = [type_ for _name, type_, _column in _COLUMNS] + [type_ for _name, type_ in _FOR_THE_WORDS]
_TABLE = sql.Identifier("webrag_arriving_chunks")


def _names(names: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


# Private to the connection, without log or indexes; emptied at the end of each transaction.
_MAKE_ROOM = sql.SQL("CREATE TEMPORARY TABLE IF NOT EXISTS {} ({}) ON COMMIT DELETE ROWS").format(
    _TABLE,
    sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(type_))
        for name, type_ in zip(_NAMES, _TYPES, strict=True)
    ),
)
_COPY = sql.SQL("COPY {} ({}) FROM STDIN WITH (FORMAT BINARY)").format(_TABLE, _names(_NAMES))
_PUT_IN_PLACE = sql.SQL(
    """
    WITH arriving AS (DELETE FROM {} RETURNING *)
    INSERT INTO chunks ({}, search_vector)
    SELECT {}, CASE WHEN level = 'child' THEN webrag_search_vector(language, context, text, terms) END
      FROM arriving
    """
).format(
    _TABLE,
    _names([column for _name, _type, column in _COLUMNS]),
    _names([name for name, _type, _column in _COLUMNS]),
)


def insert_chunks(conn: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Write chunks, parents and children together; call it in the transaction that makes them visible."""
    conn.execute(_MAKE_ROOM)
    with conn.cursor() as cursor:
        with cursor.copy(_COPY) as copy:
            copy.set_types(_TYPES)
            for row in rows:
                copy.write_row([row[name] for name in _NAMES])
        cursor.execute(_PUT_IN_PLACE)
