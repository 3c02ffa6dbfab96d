"""Facts of a document gathered from several places: the first place that states one counts, and is remembered."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webrag_desktop.ingestion.author_names import author_names
from webrag_desktop.ingestion.identifiers import arxiv_id_of, doi_of, isbn_of, licence_of
from webrag_desktop.models.metadata import FACT_NAMES, DocumentMetadata, FactName, FactSource

LONGEST_FACT = 300  # characters of a publisher, a journal or a licence
_LONGEST_NUMBER = 40  # characters of a volume, an issue or pages
_CLEANERS: dict[FactName, Callable[[str | None], str | None]] = {
    "doi": doi_of,
    "isbn": isbn_of,
    "arxiv_id": arxiv_id_of,
    "licence": licence_of,
}
_NUMBERS = frozenset(("volume", "issue", "pages"))


def clean_fact(name: FactName, stated: str | None) -> str | None:
    """A fact other than authors and times in the one form it is kept in; None where it is none."""
    cleaner = _CLEANERS.get(name)
    if cleaner is not None:
        return cleaner(stated)
    words = " ".join((stated or "").split()).strip(" ,;")
    if not words.isprintable() or len(words) > (_LONGEST_NUMBER if name in _NUMBERS else LONGEST_FACT):
        return None
    return words or None


@dataclass(slots=True)
class Facts:
    """What was found so far; places are asked in the order of their trust, so nothing that is known is replaced."""

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, FactSource] = field(default_factory=dict)

    def state(self, name: FactName, source: FactSource, *stated: str | None) -> None:
        """What a place states of a fact other than authors: the first of these that is one."""
        if name not in self.values:
            self._keep(name, source, next(filter(None, (clean_fact(name, one) for one in stated)), None))

    def state_authors(
        self, source: FactSource, stated: Iterable[str | None], *, inverted: bool = False
    ) -> None:
        """The authors that a place states, in order; see :func:`.author_names.author_names`."""
        if "authors" not in self.values:
            self._keep("authors", source, author_names(filter(None, stated), inverted=inverted))

    def state_time(self, name: FactName, source: FactSource | None, time: str | None) -> None:
        """A time that was read already, as it is kept."""
        if source is not None and name not in self.values:
            self._keep(name, source, time)

    def _keep(self, name: FactName, source: FactSource, value: Sequence[str] | str | None) -> None:
        if value:
            self.values[name] = value
            self.sources[name] = source

    def added_to(self, metadata: DocumentMetadata) -> DocumentMetadata:
        """The metadata with these facts and where they were read."""
        return replace(metadata, **self.values, fact_sources={**metadata.fact_sources, **self.sources})


def with_known_sources(metadata: DocumentMetadata) -> DocumentMetadata:
    """The metadata with sources of what it holds alone; a guessed time has no other source."""
    sources: dict[str, FactSource] = {
        name: source
        for name, source in metadata.fact_sources.items()
        if getattr(metadata, name) and name in FACT_NAMES
    }
    for name in ("published", "modified"):
        if getattr(metadata, f"{name}_guessed"):
            sources[f"{name}_time"] = "guess"
    return replace(metadata, fact_sources=sources)
