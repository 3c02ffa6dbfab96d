"""What a search is restricted to, compiled once for every statement that must keep to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Self
from uuid import UUID

from psycopg import sql

from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.text.printable import UNSTORABLE


class Site(NamedTuple):
    """A host in lower case, as stored (without ``www.``), with all hosts below it; with a ``port``, there only."""

    host: str
    port: int | None = None


class Moment(NamedTuple):
    """A bound in time; ``day`` is what a date without a time of day is compared with."""

    instant: datetime
    day: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Values to restrict a search by: all that are given must hold, of several values one.

    None restricts nothing, no values at all let nothing through (of ``except_ids``, which must not be met: everything).
    Ranges begin with their first moment and end before the second; depths include both. Names are compared without
    regard to case, and ``flags`` are columns. ``authors`` are the folded words of names: one author must have all of
    one name's. The names of ``sections`` may lack the number that their heading begins with. ``modules`` are sites or
    collections, ``content_types`` types of documents or flags: either will do.
    """

    source_urls: Sequence[str] | None = None
    document_ids: Sequence[UUID] | None = None
    except_ids: Sequence[UUID] | None = None
    sites: Sequence[Site] | None = None
    collections: Sequence[str] | None = None
    modules: tuple[Sequence[Site], Sequence[str]] | None = None
    tags: Sequence[str] | None = None
    authors: Sequence[Sequence[str]] | None = None
    doc_types: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    published: tuple[Moment | None, Moment | None] = (None, None)
    fetched: tuple[Moment | None, Moment | None] = (None, None)
    depth: tuple[int | None, int | None] = (None, None)
    sections: Sequence[str] | None = None
    flags: Sequence[str] | None = None
    content_types: tuple[Sequence[str], Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class Restriction:
    """Conditions with their ``parameters``: ``documents`` on documents ``d``, ``parents`` on their parent chunks ``p``.

    ``parents`` is None where all parents of these documents are meant.
    """

    documents: sql.Composable
    parents: sql.Composable | None
    parameters: dict[str, object]

    @classmethod
    def to(cls, *criteria: Criteria) -> Self | None:
        """The restriction to what meets all of the criteria; None, for the whole library, where there are none.

        Values that cannot be stored (they hold NUL or a lone surrogate) match nothing.
        """
        compiler = _Compiler()
        documents = [condition for one in criteria for condition in compiler.documents(one)]
        parents = [condition for one in criteria for condition in compiler.parents(one)]
        if not documents and not parents:
            return None
        return cls(_all(documents), _all(parents) if parents else None, compiler.parameters)

    @property
    def children(self) -> sql.Composed:
        """The condition on child chunks ``c``."""
        if self.parents is None:
            return _CHILDREN_OF_DOCUMENTS.format(documents=self.documents)
        return _CHILDREN_OF_PARENTS.format(documents=self.documents, parents=self.parents)


_CHILDREN_OF_DOCUMENTS = sql.SQL("c.document_id IN (SELECT d.id FROM documents d WHERE {documents})")
_CHILDREN_OF_PARENTS = sql.SQL(
    """
    c.parent_id IN (
        SELECT p.id FROM chunks p JOIN documents d ON d.id = p.document_id
         WHERE p.chunk_level = 'parent' AND {documents} AND {parents})
    """
)


def _all(conditions: Sequence[sql.Composable]) -> sql.Composable:
    return sql.SQL(" AND ").join(conditions) if conditions else sql.SQL("true")


def _any(conditions: Sequence[sql.Composable]) -> sql.Composed:
    return (
        sql.SQL("({})").format(sql.SQL(" OR ").join(conditions)) if conditions else sql.SQL("false").format()
    )


@dataclass(frozen=True, slots=True)
class _Compiler:
    """Makes conditions; every value becomes a parameter."""

    parameters: dict[str, object] = field(default_factory=dict)

    def _by_id(self, criteria: Criteria) -> Iterator[sql.Composable]:
        if criteria.document_ids is not None:
            yield sql.SQL("d.id = ANY({}::uuid[])").format(self._value(list(criteria.document_ids)))
        if criteria.except_ids is not None:
            yield sql.SQL("d.id <> ALL({}::uuid[])").format(self._value(list(criteria.except_ids)))

    def documents(self, criteria: Criteria) -> Iterator[sql.Composable]:
        """What the documents ``d`` have to meet."""
        if criteria.source_urls is not None:
            yield _IS_ONE_OF.format(sql.SQL("d.source_url"), self._texts(criteria.source_urls))
        yield from self._by_id(criteria)
        if criteria.sites is not None:
            yield self._sites(criteria.sites)
        if criteria.collections is not None:
            yield _IN_COLLECTION.format(self._texts(criteria.collections))
        if criteria.modules is not None:
            sites, collections = criteria.modules
            yield _any([self._sites(sites), _IN_COLLECTION.format(self._texts(collections))])
        if criteria.tags is not None:
            yield _TAGGED.format(self._texts(criteria.tags))
        if criteria.authors is not None:
            yield _any([_WRITTEN_BY.format(words=self._texts(words)) for words in criteria.authors])
        if criteria.doc_types is not None:
            yield _IS_ONE_OF.format(sql.SQL("d.doc_type"), self._texts(criteria.doc_types))
        if criteria.languages is not None:
            yield _IN_LANGUAGE.format(self._texts(criteria.languages))
        yield from self._ranges(criteria)
        if criteria.content_types is not None and not criteria.content_types[1]:
            yield _IS_ONE_OF.format(sql.SQL("d.doc_type"), self._texts(criteria.content_types[0]))

    def parents(self, criteria: Criteria) -> Iterator[sql.Composable]:
        """What the parents ``p`` have to meet, beside their documents ``d``."""
        if criteria.flags is not None:
            yield _any(_flags(criteria.flags))
        if criteria.content_types is not None and criteria.content_types[1]:
            doc_types, flags = criteria.content_types
            of_type = _IS_ONE_OF.format(sql.SQL("d.doc_type"), self._texts(doc_types))
            yield _any([of_type, *_flags(flags)])
        if criteria.sections is not None:
            yield _in_section(self._texts(criteria.sections))

    def _ranges(self, criteria: Criteria) -> Iterator[sql.Composable]:
        for bound, comparison in zip(criteria.published, _PUBLISHED, strict=True):
            if bound is not None:
                yield comparison.format(instant=self._value(bound.instant), day=self._value(bound.day))
        for bound, comparison in zip(criteria.fetched, _FETCHED, strict=True):
            if bound is not None:
                yield comparison.format(self._value(bound.instant))
        for depth, comparison in zip(criteria.depth, _DEPTH, strict=True):
            if depth is not None:
                yield comparison.format(self._value(depth))

    def _sites(self, sites: Sequence[Site]) -> sql.Composable:
        storable = [site for site in sites if not UNSTORABLE.search(site.host)]
        hosts, ports = [site.host for site in storable], [site.port for site in storable]
        return _OF_SITE.format(hosts=self._value(hosts), ports=self._value(ports))

    def _texts(self, values: Sequence[str]) -> sql.Placeholder:
        return self._value([value for value in values if not UNSTORABLE.search(value)])

    def _value(self, value: object) -> sql.Placeholder:
        name = f"restricted_{len(self.parameters)}"
        self.parameters[name] = value
        return sql.Placeholder(name)


def _flags(names: Sequence[str]) -> list[sql.Composable]:
    return [_FLAGS[name] for name in names]


_FLAGS: dict[str, sql.Composable] = {
    name: sql.SQL("p.{}").format(sql.Identifier(name)) for name in ContentFlags.model_fields
}
_IS_ONE_OF = sql.SQL("{} = ANY({}::text[])")
_TAGGED = sql.SQL(
    """
    d.id IN (SELECT s.id FROM sources s CROSS JOIN unnest(s.tags) tag
              WHERE lower(tag) IN (SELECT lower(t) FROM unnest({}::text[]) t))
    """
)
# The first condition is what the index answers; the second is that one author has all of the words.
_WRITTEN_BY = sql.SQL(
    """
    (d.author_names <> '' AND string_to_array(translate(d.author_names, E'\\n', ' '), ' ') @> {words}::text[]
     AND cardinality({words}::text[]) > 0
     AND EXISTS (SELECT FROM unnest(string_to_array(d.author_names, E'\\n')) AS a (name)
                  WHERE string_to_array(a.name, ' ') @> {words}::text[]))
    """
)
_IN_COLLECTION = sql.SQL(
    """
    d.id IN (WITH RECURSIVE inside AS (
                 SELECT k.id FROM collections k WHERE lower(k.name) IN (SELECT lower(t) FROM unnest({}::text[]) t)
                 UNION SELECT k.id FROM collections k JOIN inside ON k.parent_id = inside.id)
             SELECT m.source_id FROM source_collections m JOIN inside ON m.collection_id = inside.id)
    """
)
# An address that names no port has its scheme's own.
_OF_SITE = sql.SQL(
    """
    EXISTS (
        SELECT 1 FROM unnest({hosts}::text[], {ports}::bigint[]) AS w (host, port)
         WHERE (d.site = w.host OR right(d.site, length(w.host) + 1) = '.' || w.host)
           AND (w.port IS NULL OR w.port = coalesce(
                substring(d.source_url FROM '^[a-z]+://[^/?#]*:([0-9]{{1,5}})(?:[/?#]|$)')::bigint,
                CASE WHEN starts_with(d.source_url, 'https:') THEN 443 ELSE 80 END)))
    """
)
# The language a document states, else the one its text was found to be in; "en" is also "en-GB".
_IN_LANGUAGE = sql.SQL(
    """
    EXISTS (
        SELECT 1 FROM unnest({}::text[]) AS w (tag),
                      replace(lower(coalesce(d.language, nullif(d.search_language, 'simple'))), '_', '-') AS own
         WHERE own = w.tag OR starts_with(own, w.tag || '-'))
    """
)
_BOUND = "CASE WHEN d.published_precision = 'time' THEN {instant}::timestamptz ELSE {day}::timestamptz END"
_PUBLISHED = (sql.SQL(f"d.published_at >= {_BOUND}"), sql.SQL(f"d.published_at < {_BOUND}"))
_FETCHED = (sql.SQL("d.fetched_at >= {}::timestamptz"), sql.SQL("d.fetched_at < {}::timestamptz"))
_DEPTH = (sql.SQL("d.depth >= {}::bigint"), sql.SQL("d.depth <= {}::bigint"))
# What may stand before the words of a heading: 5.6. or 5.6, § 7, 3), A.1, B., IV.
_NUMBERING = sql.Literal(
    r"^\s*(?:§\s*)?(?:[0-9]{1,3}(?:\.[0-9]{1,3})*[.):]?|[A-Z](?:\.[0-9]{1,3})+[.):]?|(?:[A-Z]|[IVXLC]+)[.):])"
    r"[\s\u00a0]+"
)
_NAMED = sql.SQL(
    """
    ARRAY[lower({heading}), lower(regexp_replace({heading}, {numbering}, ''))]
    && ARRAY(SELECT lower(t) FROM unnest({sections}::text[]) t)
    """
)
# The headings it stands under, and all that stand in it, which its children know.
_IN_SECTION = sql.SQL(
    """
    (EXISTS (SELECT 1 FROM unnest(p.heading_path || p.section_heading) AS h (heading) WHERE {above})
     OR EXISTS (SELECT 1 FROM chunks k CROSS JOIN jsonb_array_elements(k.places) AS place
                 WHERE k.parent_id = p.id AND {within}))
    """
)


def _in_section(sections: sql.Placeholder) -> sql.Composed:
    above, within = (
        _NAMED.format(heading=sql.SQL(heading), numbering=_NUMBERING, sections=sections)
        for heading in ("h.heading", "(place->>2)")
    )
    return _IN_SECTION.format(above=above, within=within)
