"""The columns of ``documents`` that hold a document's metadata, one for each field, as parts of statements."""

from collections.abc import Iterable

from psycopg import sql

from webrag_desktop.models.metadata import FLAG_FIELDS, METADATA_FIELDS

_OF_TEXT = frozenset(
    ("title", "doc_type")
)  # set when another text is shown, not when the same one is read again


def _selected(name: str) -> str:
    if name == "title":
        return "coalesce(s.user_title, d.title) AS title"
    return f"coalesce(d.{name}, false) AS {name}" if name in FLAG_FIELDS else f"d.{name}"


def _listed(parts: Iterable[str]) -> sql.SQL:
    return sql.SQL(", ".join(parts))  # made of names of fields alone


SELECTED = _listed(map(_selected, METADATA_FIELDS))
"""Of ``documents d``, possibly absent, and ``sources s``."""
COLUMNS = _listed(METADATA_FIELDS)
PARAMETERS = _listed(f"%({name})s" for name in METADATA_FIELDS)
EXCLUDED = _listed(f"{name} = excluded.{name}" for name in METADATA_FIELDS)
"""For ``ON CONFLICT DO UPDATE SET``."""
RENEWED = _listed(f"{name} = %({name})s" for name in METADATA_FIELDS if name not in _OF_TEXT)
"""What is set when the same text is read again."""
COMPARED = _listed(f"d.{name}" for name in METADATA_FIELDS if name != "doc_type")
"""What shows that reading a capture again found something else about the same text."""
