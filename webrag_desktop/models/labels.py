"""Tags and collections."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from webrag_desktop.errors import InputError

LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of tags and collections, each once: two that differ in case alone are one."""

    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    @classmethod
    def of(cls, tags: Iterable[str] = (), collections: Iterable[str] = ()) -> Self:
        """Labels as they are stored: on one line, without white space around them.

        Raises:
            InputError: one of them is empty, too long, or holds what cannot be stored.
        """
        return cls(_once(tags), _once(collections))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.tags or self.collections)


NO_LABELS = Labels()


def _once(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        text = " ".join(name.split())
        if not text or len(text) > LONGEST_LABEL or not text.isprintable():
            raise InputError(
                f"“{name}” cannot be the name of a tag or collection.".encode(errors="replace").decode(),
                f"Give 1 to {LONGEST_LABEL} characters, without control characters.",
            )
        found.setdefault(text.lower(), text)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A tag or collection, and how many documents have it."""

    name: str
    documents: int
