"""What a search may be restricted to, as one typed model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal
from urllib.parse import urlsplit
from uuid import UUID

from webrag_desktop.errors import InputError
from webrag_desktop.ingestion.addresses import parse_source
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.models.formats import DOC_TYPES, DocType
from webrag_desktop.storage.searching.restriction import Criteria, Moment, Restriction, Site
from webrag_desktop.text.dates import read_date
from webrag_desktop.text.folding import name_words
from webrag_desktop.text.language import normal_tag

ContentFlag = Literal[
    "has_table", "has_code", "has_math", "has_definition_list", "has_admonition", "has_steps"
]
CONTENT_FLAGS = tuple(ContentFlags.model_fields)
_DEEPEST = 2**31 - 1  # that the database can hold


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """What to search: all that meets every field given here; of several values of one field any is enough.

    An empty field restricts nothing. Case does not count in names. What a document is decides over ``sites`` (a host
    with all hosts below it; with a port that port alone), ``collections``, ``tags``, ``authors`` (one of whom has all
    words of the name, in any order, whatever case and accents), ``doc_types``, ``languages`` (``en`` is also
    ``en-GB``; where a document states none, the one it was recognised as), ``documents`` (ids), ``except_documents``
    (ids of those that are left out), ``source_urls`` (as stored), depth (both ends included), and when it was published
    and fetched.

    ``content_flags`` and ``sections`` choose parts of documents: the parents, which are what a search answers with.
    A parent has a flag if anything in it does, whichever of its children was found. It is of a section if it is
    under a heading of that name, or contains such a heading; the number that a heading begins with (``5.6.``) need
    not be given.

    Ranges in time begin at ``…_from`` and end before ``…_to``; a date means the whole day, in the user's own time
    zone, so that a range to the 31st includes it. A publication date without a time of day is compared by the
    calendar, and with a moment's own date and time as they are written; where only a year or month is stated, its first
    day counts. What states no date is in no range.

    ``modules``, ``chapters`` and ``content_types`` are the names under which answers ask: sites or collections,
    sections, and flags (with or without ``has_``) or document types.

    Raises:
        InputError: a value that nothing can ever meet; only what cannot be stored matches nothing silently.
    """

    sites: Sequence[str] = ()
    collections: Sequence[str] = ()
    tags: Sequence[str] = ()
    authors: Sequence[str] = ()
    doc_types: Sequence[DocType] = ()
    content_flags: Sequence[ContentFlag] = ()
    languages: Sequence[str] = ()
    sections: Sequence[str] = ()
    published_from: date | datetime | None = None
    published_to: date | datetime | None = None
    fetched_from: date | datetime | None = None
    fetched_to: date | datetime | None = None
    min_depth: int | None = None
    max_depth: int | None = None
    documents: Sequence[UUID] = ()
    except_documents: Sequence[UUID] = ()
    source_urls: Sequence[str] = ()
    modules: Sequence[str] = ()
    chapters: Sequence[str] = ()
    content_types: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Copy lists and refuse what cannot be."""
        for one in fields(self):
            if isinstance(value := getattr(self, one.name), Iterable):
                object.__setattr__(self, one.name, _listed(one.name, value))
        for depth in (self.min_depth, self.max_depth):
            if depth is not None and type(depth) is not int:
                raise InputError(f"A depth of {depth!r} does not exist.", "Give a whole number.")
        _known("document type", self.doc_types, DOC_TYPES)
        _known("content flag", self.content_flags, CONTENT_FLAGS)
        _known("content type", map(_content_type, self.content_types), (*DOC_TYPES, *CONTENT_FLAGS))
        _check_range("publication", _moments(self.published_from, self.published_to))
        _check_range("fetching", _moments(self.fetched_from, self.fetched_to))
        _check_depth(self.min_depth, self.max_depth)
        for site in self.sites:
            read_site(site)

    def __bool__(self) -> bool:
        """Whether anything is restricted."""
        return any(getattr(self, one.name) not in (None, ()) for one in fields(self))

    def criteria(self) -> tuple[Criteria, Criteria]:
        """The same in terms of what is stored; both have to be met."""
        criteria = Criteria(
            source_urls=self.source_urls or None,
            document_ids=self.documents or None,
            except_ids=self.except_documents or None,
            sites=[read_site(site) for site in self.sites] or None,
            collections=self.collections or None,
            modules=(_sites_among(self.modules), self.modules) if self.modules else None,
            tags=self.tags or None,
            authors=[name_words(name) for name in self.authors] or None,
            doc_types=self.doc_types or None,
            languages=[normal_tag(tag) for tag in self.languages] or None,
            published=_moments(self.published_from, self.published_to),
            fetched=_moments(self.fetched_from, self.fetched_to),
            depth=(self.min_depth, None if self.max_depth is None else min(self.max_depth, _DEEPEST)),
            sections=self.sections or None,
            flags=self.content_flags or None,
            content_types=_by_kind(self.content_types) if self.content_types else None,
        )
        return criteria, Criteria(sections=self.chapters or None)


def restriction(
    filters: SearchFilters | None, source_urls: Sequence[str] | None = None
) -> Restriction | None:
    """The restriction of a search: the filters and, if any are given, the documents at these addresses."""
    criteria = filters.criteria() if filters else ()
    return Restriction.to(*criteria, Criteria(source_urls=source_urls or None))


def read_site(text: str) -> Site:
    """A site as a user names it: ``docs.python.org``, ``localhost:8000``, or an address on it.

    Raises:
        InputError: it names no host.
    """
    try:
        bare = (
            f"[{text.strip()}]"
            if text.count(":") > 1 and "//" not in text and "[" not in text
            else text.strip()
        )
        parts = urlsplit(bare if "//" in bare else f"//{bare}")
        host, port = parts.hostname, parts.port
        if host and not host.isascii() and host.isprintable():
            host = urlsplit(parse_source(f"http://{host}")[1]).hostname  # as addresses are stored
    except ValueError:  # InputError is one
        host = port = None
    if not host or any(map(str.isspace, host)):
        raise InputError(f"“{text}” is not a site.", "Give its host, such as docs.python.org.")
    return Site(host.removeprefix("www.") or host, port)


def _sites_among(names: Sequence[str]) -> list[Site]:
    sites = []
    for name in names:
        try:
            sites.append(read_site(name))
        except InputError:  # then it can only be a collection
            continue
    return sites


def _content_type(name: str) -> str:
    return f"has_{name}" if f"has_{name}" in CONTENT_FLAGS else name


def _by_kind(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Document types and flags."""
    called = [_content_type(name) for name in names]
    return [name for name in called if name in DOC_TYPES], [name for name in called if name in CONTENT_FLAGS]


def _listed(field: str, values: Iterable[object]) -> tuple[object, ...]:
    if isinstance(values, str):
        raise InputError(f"The filter {field} is a text.", "Give a list of values, if only of one.")
    listed = tuple(dict.fromkeys(values))
    wanted = UUID if field in _IDS else str
    if wrong := [value for value in listed if not isinstance(value, wanted)]:
        kind = "no id of a document" if wanted is UUID else "no text"
        raise InputError(
            f"A value of the filter {field}, {wrong[0]!r}, is {kind}.", "Leave it out, or change it."
        )
    if field != "source_urls" and any(isinstance(value, str) and not value.strip() for value in listed):
        raise InputError(f"A value of the filter {field} is empty.", "Leave it out to filter by nothing.")
    return listed


def _known(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise InputError(f"There is no {what} {name!r}.", f"Use one of these: {', '.join(known)}.")


def _check_range(what: str, bounds: tuple[Moment | None, Moment | None]) -> None:
    first, end = bounds
    if first and end and first.instant >= end.instant and first.day >= end.day:
        raise InputError(
            f"The range of {what} is empty: it does not end after it begins.",
            "Let “from” be the earlier one of both.",
        )


def _check_depth(least: int | None, most: int | None) -> None:
    if (least is not None and least < 0) or (most is not None and most < 0):
        raise InputError("A depth below 0 does not exist.", "0 is what was given; its links are at depth 1.")
    if least is not None and least > min(_DEEPEST, _DEEPEST if most is None else most):
        raise InputError("The range of depth ends before it begins.", "Let the smallest depth come first.")


def _moments(first: date | None, last: date | None) -> tuple[Moment | None, Moment | None]:
    try:
        return _moment(first), _moment(last, days=1)
    except (OverflowError, OSError, ValueError) as error:
        raise InputError("A date of the filters is out of range.", "Leave it out.") from error


def _moment(bound: date | None, days: int = 0) -> Moment | None:
    """A bound as an instant; a date gives the first moment of the day that many ``days`` later."""
    if bound is None:
        return None
    if isinstance(bound, datetime):
        instant = bound.astimezone(UTC)  # a time without a zone is the user's own
        return Moment(instant, bound.replace(tzinfo=UTC))
    midnight = datetime.combine(bound + timedelta(days), time())
    return Moment(midnight.astimezone(UTC), midnight.replace(tzinfo=UTC))


FILTERS = tuple(one.name for one in fields(SearchFilters))
_IDS = frozenset(("documents", "except_documents"))
_DATES = frozenset(name for name in FILTERS if name.endswith(("_from", "_to")))
_DEPTHS = frozenset(("min_depth", "max_depth"))


def read_filters(given: Mapping[str, Any]) -> SearchFilters:
    """The filters; a field that is None restricts nothing, dates and ids may be texts.

    Raises:
        InputError: there is no such filter, or a value that nothing can meet.
    """
    if unknown := [name for name in given if name not in FILTERS]:
        raise InputError(f"There is no filter {unknown[0]!r}.", f"These are known: {', '.join(FILTERS)}.")
    return SearchFilters(**{name: _value(name, value) for name, value in given.items() if value is not None})


def _value(name: str, value: Any) -> Any:
    if name in _DATES:
        return _date(name, value)
    if name in _DEPTHS:
        return _depth(name, value)
    if isinstance(value, str):
        return value  # refused by the model itself
    if not isinstance(value, list | tuple | set | frozenset):
        raise InputError(f"The filter {name} is {value!r}.", "Give a list of values, if only of one.")
    listed = sorted(value) if isinstance(value, set | frozenset) else value
    return [_id(one) for one in listed] if name in _IDS else listed


def _depth(name: str, value: Any) -> Any:
    if type(value) is not int:
        raise InputError(f"The filter {name} is {value!r}, which is no whole number.", "Give one, such as 2.")
    return value


def _date(name: str, value: Any) -> date:
    if isinstance(value, date):
        return value
    try:
        return read_date(str(value), last=name.endswith("_to"))
    except ValueError as error:
        raise InputError(
            f"The filter {name} is {value!r}, which is no date.", "Write it like 2024, 2024-05 or 2024-05-31."
        ) from error


def _id(value: Any) -> Any:
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError as error:
        raise InputError(
            f"A value of the filter documents, {value!r}, is no id of a document.",
            "`webrag list` shows them.",
        ) from error
