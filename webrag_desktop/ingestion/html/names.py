"""Which classes and ids a page uses, so that only selectors that can match are looked for."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from turbohtml import Document

_NEGATED = re.compile(r":not\([^()]*(?:\([^()]*\))?[^()]*\)|\[[^\]]*\]")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PLAIN = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)
_QUOTED = re.compile(r"[\"\\]")
_ESCAPE = r"\\\g<0>"
_MOST_LIKE = 100  # selectors in one list, each of which costs time on every element of the page
_NAME = re.compile(r"([.#])([\w-]+)")


class PageNames:
    """The classes and ids of a page when it was parsed; what is removed later only makes them a superset."""

    def __init__(self, document: Document) -> None:
        self._classes: set[str] = set()
        for classes in _texts(document, "//@class"):
            self._classes.update(classes.split())
        self._known = {"." + name.lower() for name in self._classes}
        self._known.update("#" + name.strip().lower() for name in _texts(document, "//@id"))

    def __len__(self) -> int:
        return len(self._known)

    def any_class(self, is_sought: Callable[[str], bool]) -> bool:
        """Whether there is a class with a name that is sought."""
        return any(is_sought(name) for name in self._classes)

    def classes_where(self, is_sought: Callable[[str], bool]) -> str:
        """Selectors of the classes with names that are sought, as one list; of very many, only the first by name."""
        found = sorted(filter(is_sought, self._classes))[:_MOST_LIKE]
        return ",".join([f'[class~="{_QUOTED.sub(_ESCAPE, name)}"]' for name in found])

    def classes_like(self, pattern: re.Pattern[str]) -> str:
        """Selectors of the classes whose words ``pattern`` matches, as one list; empty when there are none.

        Of very many, as a hostile page has them, only the first by name are given. The pattern
        is given the words in lower case with hyphens between and around them: ``-edit-this-page-``.
        """
        found = {name for name in self._classes if pattern.search(_words(name)) and _PLAIN.fullmatch(name)}
        return ",".join("." + name for name in sorted(found)[:_MOST_LIKE])

    def narrowed(self, selectors: Iterable[str]) -> str:
        """The selectors that can match on this page, as one list; empty when none can.

        Each must be a compound or complex selector without a comma outside parentheses, and names inside
        ``:is()`` and ``:has()`` count as needed: write alternatives as selectors of their own.
        """
        return ",".join(selector for selector in selectors if self.has(selector))

    def has(self, selector: str) -> bool:
        """Whether every class and id that ``selector`` needs occurs on the page."""
        return _needed(selector) <= self._known


def _texts(document: Document, path: str) -> list[str]:
    found = document.xpath(path)
    return [str(value) for value in set(found)] if isinstance(found, list) else []


@lru_cache(maxsize=1000)
def _needed(selector: str) -> frozenset[str]:
    plain = _NEGATED.sub("", selector)
    return frozenset((sign + name).lower() for sign, name in _NAME.findall(plain))


@lru_cache(maxsize=10_000)
def _words(name: str) -> str:
    return "-" + "-".join(word.lower() for word in _WORD.findall(name)) + "-"
