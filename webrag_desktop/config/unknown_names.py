"""Names that look like those of settings and are none, since a slip would otherwise do nothing and say nothing."""

from collections.abc import Iterable
from typing import NamedTuple

# By difflib's measure: a slip in a short name; in a long one also a word that is missing.
_ALIKE = 0.85


# docker-compose.yml reads these from the environment, or from a file of that name, itself.
_OF_COMPOSE = frozenset(("WEBRAG_DB_PASSWORD", "WEBRAG_DB_PORT", "WEBRAG_OLLAMA_PORT"))


class UnknownName(NamedTuple):
    """A name that no setting has, and the setting that is most likely meant, if any is."""

    name: str
    nearest: str | None


def unknown_in_file(written: Iterable[str], settings: Iterable[str]) -> list[UnknownName]:
    """Those of a settings file that begin like a setting, or read nearly like one."""
    known = frozenset(settings)
    beginnings = {_beginning(name) for name in known}
    found = [UnknownName(name, _nearest(name, known)) for name in written if _is_unknown(name, known)]
    return [one for one in found if one.nearest or _beginning(one.name) in beginnings]


def unknown_in_environment(exported: Iterable[str], settings: Iterable[str]) -> list[UnknownName]:
    """Those of the environment that read nearly like a setting; it holds many that belong to other programs.

    So does what goes on behind the name of a setting, such as ``CHAT_MODEL_NAME``, and what begins with another word,
    such as ``CHATGPT_API_KEY``.
    """
    known = frozenset(settings)
    longer = tuple(f"{name}_" for name in known)
    names = [name for name in exported if _is_unknown(name, known) and not name.startswith(longer)]
    found = [UnknownName(name, _nearest(name, known)) for name in names]
    return [one for one in found if one.nearest and _begins_alike(one.name, one.nearest)]


def _begins_alike(name: str, other: str) -> bool:
    from difflib import get_close_matches

    return bool(get_close_matches(_beginning(name), [_beginning(other)], cutoff=_ALIKE))


def _beginning(name: str) -> str:
    return name.partition("_")[0]


def _is_unknown(name: str, known: frozenset[str]) -> bool:
    return name not in known and name not in _OF_COMPOSE


def _nearest(name: str, known: frozenset[str]) -> str | None:
    # Slips in the first two letters are rare, and comparing everything with everything would be felt at each start.
    candidates = sorted(one for one in known if one[:2] == name[:2])
    if not candidates:
        return None
    from difflib import get_close_matches  # most users have no such name

    return next(iter(get_close_matches(name, candidates, n=1, cutoff=_ALIKE)), None)
