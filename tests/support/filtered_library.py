"""Random libraries with everything that can be filtered by, random filters, and what a filter means in plain Python."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.models.formats import DOC_TYPES
from webrag_desktop.models.sources import Labels
from webrag_desktop.retrieval.contracts.filters import CONTENT_FLAGS, SearchFilters
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.labels import add_labels

SITES = ("a.example", "docs.a.example", "b.example", "ba.example", None)
COLLECTIONS = ("Field Notes", "Theses", "Ärzte")
TAGS = ("Sea", "lab", "to read", "100%", "naïve")
LANGUAGES = (("en", "en"), ("en-GB", "en"), ("de", "de"), (None, "fr"), (None, "simple"))
HEADINGS = ("Low tide", "High Tide", "5.6. Methods", "Über uns", 'Quote " and \\ back')
NUMBERED = {"5.6. methods": "methods"}  # what else such a heading is called
WORDS = ("limpet", "barnacle", "kelp", "urchin")
_DAY = datetime(2024, 5, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Part:
    """A parent as it was written; ``headings`` are those above and in it, ``children`` the similarities in it."""

    id: UUID
    headings: frozenset[str]
    flags: frozenset[str]
    tokens: int
    children: frozenset[UUID]


@dataclass
class Facts:
    """A document as it was written."""

    id: UUID
    source_url: str
    site: str | None
    port: int
    collections: frozenset[str]
    tags: frozenset[str]
    doc_type: str
    language: str | None
    published: tuple[datetime, str] | None
    fetched_at: datetime
    depth: int
    parts: list[Part] = field(default_factory=list)


class FilteredLibrary:
    """Fills a library with ``count`` random documents."""

    def __init__(self, library: SyntheticLibrary, chance: random.Random, count: int) -> None:
        self._library = library
        self._chance = chance
        self.documents = [self._add(number) for number in range(count)]

    def _some(self, values: Sequence[str], most: int = 2) -> frozenset[str]:
        return frozenset(self._chance.sample(values, self._chance.randint(0, most)))

    def _add(self, number: int) -> Facts:
        chance = self._chance
        site, port = chance.choice(SITES), chance.choice((443, 8443))
        shown = f"{site}:{port}" if port != 443 else site
        url = f"https://{shown}/{number}?x=:80" if site else f"file:///home/ada/{number}.md"
        flags = [self._some(CONTENT_FLAGS) for _ in range(chance.randint(1, 4))]
        sections = [Section(self._passages(), flags=ContentFlags(**dict.fromkeys(f, True))) for f in flags]
        depth = chance.randint(0, 3)
        language, stemming = chance.choice(LANGUAGES)
        id_ = self._library.add(url, sections, depth=depth, language=stemming)
        precision = chance.choice((None, "year", "day", "time"))
        moment = _DAY + timedelta(hours=chance.randint(-2000, 2000))
        if precision == "year":
            moment = moment.replace(month=1, day=1)
        if precision in ("year", "day"):
            moment = moment.replace(hour=0)
        facts = Facts(
            id=id_,
            source_url=url,
            site=site,
            port=port,
            collections=self._some(COLLECTIONS),
            tags=self._some(TAGS),
            doc_type=chance.choice(DOC_TYPES),
            language=language or (stemming if stemming != "simple" else None),
            published=(moment, precision) if precision else None,
            fetched_at=_DAY + timedelta(hours=chance.randint(-2000, 2000)),
            depth=depth,
        )
        with self._library.database.connection() as conn:
            self._describe(conn, facts, language)
            facts.parts = [
                self._part(conn, row, held) for row, held in zip(_parents(conn, id_), flags, strict=True)
            ]
        return facts

    def _passages(self) -> list[Passage]:
        words = (" ".join(self._chance.choices(WORDS, k=self._chance.randint(1, 9))) for _ in range(4))
        return [
            Passage(text, self._chance.uniform(0.31, 0.99))
            for text in list(words)[: self._chance.randint(1, 4)]
        ]

    def _describe(self, conn: Connection, facts: Facts, language: str | None) -> None:
        published, precision = facts.published or (None, None)
        conn.execute(
            """
            UPDATE documents SET site = %s, doc_type = %s, language = %s, published_at = %s, published_precision = %s,
                                 fetched_at = %s WHERE id = %s
            """,
            [facts.site, facts.doc_type, language, published, precision, facts.fetched_at, facts.id],
        )
        add_labels(conn, [facts.id], Labels.of(facts.tags, facts.collections))

    def _part(self, conn: Connection, row: tuple[Any, ...], flags: frozenset[str]) -> Part:
        """Give a parent headings: one that it belongs to, some above it, and some in the middle of it."""
        id_, tokens, children = row
        path = sorted(self._some(HEADINGS))
        inner = sorted(self._some(HEADINGS, 1))
        own = self._chance.choice((None, *path)) if path else None
        conn.execute(
            "UPDATE chunks SET section_heading = %s, heading_path = %s WHERE id = %s", [own, path, id_]
        )
        places = [[0, None, None, None], *([5, "x", heading, None] for heading in inner)]
        conn.execute(
            "UPDATE chunks SET places = %s WHERE id = %s", [Jsonb(places), self._chance.choice(children)]
        )
        return Part(id_, frozenset(path + inner), flags, tokens, frozenset(children))


def _parents(conn: Connection, document_id: UUID) -> list[tuple[Any, ...]]:
    rows = conn.execute(
        """
        SELECT p.id, p.token_end - p.token_start,
               ARRAY(SELECT c.id FROM chunks c WHERE c.parent_id = p.id ORDER BY c.id)
          FROM chunks p WHERE p.document_id = %s AND p.chunk_level = 'parent' ORDER BY p.chunk_index
        """,
        [document_id],
    )
    return rows.fetchall()


def random_filters(chance: random.Random, documents: Sequence[Facts], number: int) -> SearchFilters:
    """Filters of up to three fields; the ``number``-th one has the ``number``-th of them, every twentieth none."""
    names = [*_FIELDS]
    chosen = [names[number % len(names)], *chance.sample(names, chance.choice((0, 0, 1, 2)))]
    wanted: dict[str, Any] = {}
    for name in chosen if number % 20 != 19 else ():
        wanted |= _FIELDS[name](chance, documents)
    return SearchFilters(**wanted)


def _moments(chance: random.Random, documents: Sequence[Facts], what: str) -> tuple[datetime, datetime]:
    """Two moments at which something happened to a document, so that the ends of ranges are met exactly."""
    if what == "published":
        all_of_them = {one.published[0] for one in documents if one.published}
    else:
        all_of_them = {one.fetched_at for one in documents}
    first, second = sorted(chance.sample(sorted(all_of_them), 2))
    return first, second


def _days(chance: random.Random, documents: Sequence[Facts], what: str) -> tuple[date, date]:
    first, second = _moments(chance, documents, what)
    local = [
        moment.date() if what == "published" else moment.astimezone().date() for moment in (first, second)
    ]
    return local[0], local[1]


def _cased(chance: random.Random, values: Sequence[str], most: int = 2) -> list[str]:
    return [chance.choice((v, v.upper(), v.lower())) for v in chance.sample(values, chance.randint(1, most))]


_PUBLISHED, _FETCHED = ("published_from", "published_to"), ("fetched_from", "fetched_to")
_FIELDS: dict[str, Any] = {
    "sites": lambda c, d: {
        "sites": _cased(c, ("a.example", "b.example", "a.example:8443", "www.ba.example:443", "q\0"))
    },
    "collections": lambda c, d: {"collections": _cased(c, (*COLLECTIONS, "none", "\ud800"))},
    "tags": lambda c, d: {"tags": _cased(c, (*TAGS, "%", "\0"))},
    "doc_types": lambda c, d: {"doc_types": c.sample(DOC_TYPES, c.randint(1, 3))},
    "content_flags": lambda c, d: {"content_flags": c.sample(CONTENT_FLAGS, c.randint(1, 3))},
    "languages": lambda c, d: {"languages": _cased(c, ("en", "en_GB", "de", "fr", "e"))},
    "sections": lambda c, d: {"sections": _cased(c, (*HEADINGS, "methods", "nu\0l"))},
    "published": lambda c, d: dict(zip(_PUBLISHED, _moments(c, d, "published"), strict=True)),
    "published days": lambda c, d: dict(zip(_PUBLISHED, _days(c, d, "published"), strict=True)),
    "fetched": lambda c, d: dict(zip(_FETCHED, _moments(c, d, "fetched"), strict=True)),
    "fetched days": lambda c, d: dict(zip(_FETCHED, _days(c, d, "fetched"), strict=True)),
    "depth": lambda c, d: {"min_depth": c.randint(0, 1), "max_depth": c.randint(1, 3)},
    "documents": lambda c, d: {"documents": [one.id for one in c.sample(d, c.randint(1, 3))]},
    "source_urls": lambda c, d: {"source_urls": [*(one.source_url for one in c.sample(d, 3)), "\0"]},
    "modules": lambda c, d: {"modules": _cased(c, ("b.example", "Theses", "Field Notes"))},
    "chapters": lambda c, d: {"chapters": _cased(c, HEADINGS)},
    "content_types": lambda c, d: {
        "content_types": c.sample(("pdf", "html", "code", "has_table", "steps"), 2)
    },
}


def meets(filters: SearchFilters, document: Facts, part: Part) -> bool:
    """What the filters mean."""
    if not all(holds(filters, document) for holds in _DOCUMENT_RULES):
        return False
    headings = {heading.lower() for heading in part.headings}
    headings |= {NUMBERED[heading] for heading in headings & NUMBERED.keys()}
    kinds = {document.doc_type, *part.flags, *(flag.removeprefix("has_") for flag in part.flags)}
    return (
        (not filters.content_flags or not part.flags.isdisjoint(filters.content_flags))
        and (not filters.sections or not headings.isdisjoint(map(str.lower, filters.sections)))
        and (not filters.chapters or not headings.isdisjoint(map(str.lower, filters.chapters)))
        and (not filters.content_types or not kinds.isdisjoint(filters.content_types))
    )


def _of_site(wanted: str, document: Facts) -> bool:
    host, _colon, port = wanted.lower().removeprefix("www.").partition(":")
    if document.site is None or (port and int(port) != document.port):
        return False
    return document.site == host or document.site.endswith("." + host)


def _shares(wanted: Sequence[str], own: frozenset[str]) -> bool:
    return not {name.lower() for name in wanted}.isdisjoint(name.lower() for name in own)


def _speaks(wanted: str, document: Facts) -> bool:
    tag = wanted.lower().replace("_", "-")
    own = (document.language or "").lower()
    return own == tag or own.startswith(tag + "-")


def _in_range(first: date | None, last: date | None, moment: datetime, *, calendar: bool) -> bool:
    """Days by the calendar of ``moment``, or by the local clock; of moments, the second is out of the range."""
    day = moment.date() if calendar else moment.astimezone().date()
    after = first is None or (moment >= first if isinstance(first, datetime) else day >= first)
    before = last is None or (moment < last if isinstance(last, datetime) else day <= last)
    return after and before


def _was_published(filters: SearchFilters, document: Facts) -> bool:
    if filters.published_from is None and filters.published_to is None:
        return True
    if document.published is None:
        return False
    moment, precision = document.published
    return _in_range(filters.published_from, filters.published_to, moment, calendar=precision != "time")


_DOCUMENT_RULES = (
    lambda f, d: not f.sites or any(_of_site(site, d) for site in f.sites),
    lambda f, d: not f.collections or _shares(f.collections, d.collections),
    lambda f, d: not f.tags or _shares(f.tags, d.tags),
    lambda f, d: not f.modules or _shares(f.modules, d.collections) or any(_of_site(m, d) for m in f.modules),
    lambda f, d: not f.doc_types or d.doc_type in f.doc_types,
    lambda f, d: not f.languages or any(_speaks(tag, d) for tag in f.languages),
    lambda f, d: not f.documents or d.id in f.documents,
    lambda f, d: not f.source_urls or d.source_url in f.source_urls,
    lambda f, d: f.min_depth is None or d.depth >= f.min_depth,
    lambda f, d: f.max_depth is None or d.depth <= f.max_depth,
    lambda f, d: _in_range(f.fetched_from, f.fetched_to, d.fetched_at, calendar=False),
    _was_published,
)
