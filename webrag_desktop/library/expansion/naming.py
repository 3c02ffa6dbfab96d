"""Runs as they are named: by their ids, or by the first characters of those."""

from uuid import UUID

from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import expansions as stored
from webrag_desktop.storage.library.expansions import Kind

FEWEST_CHARS = 4
_NAMES: dict[Kind, tuple[str, str]] = {"question": ("expansion", "expand"), "site": ("capture", "capture")}


def id_of(conn: Connection, kind: Kind, reference: str) -> UUID:
    """The id of the run of a kind that ``reference`` names.

    Raises:
        NotFoundError: there is none.
        InputError: several begin so.
    """
    wanted = reference.strip().lower()
    found = stored.ids_beginning_with(conn, kind, wanted) if len(wanted) >= FEWEST_CHARS else []
    if not found:
        raise unknown(kind, reference)
    if len(found) > 1:
        raise InputError(f"Several {_NAMES[kind][0]}s begin with {reference}.", "Give more of the id.")
    return found[0]


def unknown(kind: Kind, reference: str) -> NotFoundError:
    """The error where no run of a kind is so named."""
    name, command = _NAMES[kind]
    return NotFoundError(
        f"There is no {name} {reference}.", f"`webrag {command} --list` lists them; give an id from it."
    )
