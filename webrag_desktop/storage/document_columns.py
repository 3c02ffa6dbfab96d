"""Columns of a document: its metadata, as parts of statements, and the runs of its plain-text projection.

Runs are stored as a list, or packed where the list would be too long.
"""

import base64
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain

from psycopg import sql
from psycopg.types.json import Jsonb

from webrag_desktop.models.metadata import FLAG_FIELDS, METADATA_FIELDS

Run = tuple[int, int, int]

# The server needs 0.6 kB of memory for each listed run while it stores them: 1.5 GB for a table of 900,000 cells.
MOST_LISTED = 100_000


def stored_map(runs: Sequence[Run]) -> Jsonb:
    """The runs as ``plain_map`` holds them; see :func:`runs_of`."""
    if len(runs) <= MOST_LISTED:
        return Jsonb(runs)
    import numpy as np  # long to import, and few texts have so many

    steps = np.diff(np.array(runs, dtype="<i4"), axis=0, prepend=np.zeros((1, 3), "<i4"))
    return Jsonb(base64.b64encode(zlib.compress(steps.T.tobytes(), 1)).decode("ascii"))


def runs_of(stored: object) -> tuple[Run, ...]:
    """The runs that ``plain_map`` holds.

    Many are stored as a text instead of a list: the base64 form of zlib-compressed differences between each run and
    the one before, as little-endian 32-bit numbers, first those of all plain starts, then of the markdown starts, then
    of the lengths.

    Raises:
        ValueError: it holds none.
    """
    if isinstance(stored, str):
        return _unpacked(stored)
    if not isinstance(stored, list) or not {*map(type, stored)} <= {list} or not {*map(len, stored)} <= {3}:
        raise ValueError("no list of runs")
    return tuple(map(tuple, stored))


def is_map_of(runs: Sequence[Run], text: str) -> bool:
    """Whether these runs cover a plain text from its first character to its last, in order, as every projection does.

    Runs that do not are damaged. Values that are merely wrong are not recognised without the markdown.
    """
    if {*map(type, chain.from_iterable(runs))} - {int}:
        return False
    at = above = 0
    for plain, source, length in runs:
        if plain != at or source < above or length < 0:
            return False
        at, above = at + length, source
    return at == len(text)


def _unpacked(stored: str) -> tuple[Run, ...]:
    import numpy as np

    try:
        steps = np.frombuffer(zlib.decompress(base64.b64decode(stored, validate=True)), dtype="<i4")
    except zlib.error as error:
        raise ValueError("not packed as it should be") from error
    plain, source, lengths = np.cumsum(steps.reshape(3, -1), axis=1, dtype=np.int32).tolist()
    return tuple(zip(plain, source, lengths, strict=True))


_OF_TEXT = frozenset(
    ("title", "doc_type")
)  # set when another text is shown, not when the same one is read again


_OF_REMOVED = frozenset(("title", "doc_type", "published_time", "published_guessed", "authors"))


def _selected(name: str) -> str:
    return "coalesce(s.user_title, d.title) AS title" if name == "title" else f"d.{name}"


# What is empty rather than absent.
_EMPTY = {"authors": "'{}'", "fact_sources": "'{}'"}


def _shown(name: str) -> str:
    known = [f"d.{name}", *([f"r.{name}"] if name in _OF_REMOVED else [])]
    if name == "title":
        known.insert(0, "s.user_title")
    if name in FLAG_FIELDS:
        known.append("false")
    if name in _EMPTY:
        known.append(_EMPTY[name])
    return f"coalesce({', '.join(known)}) AS {name}"


def _listed(parts: Iterable[str]) -> sql.SQL:
    return sql.SQL(", ".join(parts))  # made of names of fields alone


SELECTED = _listed(map(_selected, METADATA_FIELDS))
"""Of ``documents d`` and ``sources s``."""
SHOWN = _listed(map(_shown, METADATA_FIELDS))
"""Of ``documents d`` and ``removed_documents r``, one of them or both absent, and ``sources s``."""
_DERIVED = ("stated_facts", "author_names")  # from these and from what the user set
_WRITTEN = (*METADATA_FIELDS, *_DERIVED)
COLUMNS = _listed(_WRITTEN)
PARAMETERS = _listed(f"%({name})s" for name in _WRITTEN)
EXCLUDED = _listed(f"{name} = excluded.{name}" for name in _WRITTEN)
"""For ``ON CONFLICT DO UPDATE SET``."""
RENEWED = _listed(f"{name} = %({name})s" for name in _WRITTEN if name not in _OF_TEXT)
"""What is set when the same text is read again."""
COMPARED = _listed(f"d.{name}" for name in METADATA_FIELDS if name != "doc_type")
"""What shows that reading a capture again found something else about the same text."""
