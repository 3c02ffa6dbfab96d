"""The bare tags of the containers that give a block its meaning, as the page has them and sanitised."""

from functools import lru_cache
from typing import NamedTuple

from turbohtml import Element

from webrag_desktop.ingestion.sanitizing import sanitize

# Browsers move out of a table what is no cell, and drop cells outside one.
_OF_TABLES = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"})


class _Tags(NamedTuple):
    """What stands before and after a block, as the page has it and sanitised."""

    before: str = ""
    after: str = ""
    safe_before: str = ""
    safe_after: str = ""


class Surroundings:
    """Writes blocks inside the tags of their containers; addresses of files stay only in ``local`` documents."""

    def __init__(self, local: bool) -> None:
        """Nothing is known yet of any container."""
        self._local = local
        self._known: dict[Element, _Tags] = {}
        self._latest: tuple[tuple[Element, ...], _Tags] = ((), _Tags())

    def written(self, around: tuple[Element, ...], html: str) -> str:
        """A block's HTML inside the tags of its containers, of which the outermost is the first."""
        tags = self._tags(around)
        return tags.before + html + tags.after

    def safe(self, around: tuple[Element, ...], html: str) -> str:
        """A block's sanitised HTML inside the sanitised tags of its containers."""
        tags = self._tags(around)
        return tags.safe_before + html + tags.safe_after

    def _tags(self, around: tuple[Element, ...]) -> _Tags:
        if around != self._latest[0]:  # blocks beside each other have the same containers
            self._latest = (around, self._joined(around))
        return self._latest[1]

    def _joined(self, around: tuple[Element, ...]) -> _Tags:
        joined = _Tags()
        for container in reversed(around):
            own = self._known.get(container)
            if own is None:
                own = self._known[container] = _tags_of(container, self._local)
            joined = _Tags(
                own.before + joined.before,
                joined.after + own.after,
                own.safe_before + joined.safe_before,
                joined.safe_after + own.safe_after,
            )
        return joined


def _tags_of(container: Element, local: bool) -> _Tags:
    tag = "div" if container.tag in _OF_TABLES else container.tag  # around a block they only lay it out
    stated = {name: container.attr(name) for name in ("class", "href", "role")}
    html = Element(tag, {name: value for name, value in stated.items() if value}).html
    after = f"</{tag}>"
    safe = _safe_tag(html, local)
    kept = safe.endswith(after)
    before = safe.removesuffix(after) if kept else ""
    return _Tags(html.removesuffix(after), after, before, after if kept else "")


@lru_cache(maxsize=1000)
def _safe_tag(html: str, local: bool) -> str:
    return sanitize(html, local=local)
