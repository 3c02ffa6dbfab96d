"""What a case of the corpus is: hostile bytes by a small generator, and what has to come of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.support.pages import Served
from webrag_desktop.errors import ExtractionError, FetchError, WebragError
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.reading_process.process import Reading

PAGE = "https://example.org/dir/page"
QUICK = FetchOptions(
    connect_seconds=2,
    read_seconds=0.4,
    total_seconds=1,
    retry_seconds=0,
    host_delay_seconds=0,
    max_bytes=200_000,
    max_redirects=3,
)


@dataclass(frozen=True)
class Gives:
    """A sound document comes of it: with these words in its text.

    ``without`` is nowhere in what is stored; ``not_in_html`` may stand in the text, as words.
    """

    words: tuple[str, ...]
    without: tuple[str, ...] = ()
    not_in_html: tuple[str, ...] = ()
    check: Callable[[Reading], bool] | None = None
    also: str = ""  # what `check` looks at, for readers

    def sentence(self) -> str:
        """The outcome in words."""
        parts = ["a document with " + _quoted(self.words) if self.words else "a sound document"]
        if self.without:
            parts.append("without " + _quoted(self.without))
        if self.not_in_html:
            parts.append("in its HTML no " + _quoted(self.not_in_html))
        return ", ".join([*parts, self.also] if self.also else parts)


@dataclass(frozen=True)
class Fails:
    """It is refused, for a reason that holds these words, and with a hint."""

    message: str
    family: type[WebragError] = ExtractionError

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.family.__name__}: “{self.message}”"


Outcome = Gives | Fails


@dataclass(frozen=True)
class BytesCase:
    """Bytes as they were captured, read by the reading process with its usual limits or these."""

    name: str
    what: str
    make: Callable[[], bytes]
    outcome: Outcome
    content_type: str = "text/html"
    url: str = PAGE
    filename: str | None = None
    memory_mb: int = 1024


@dataclass(frozen=True)
class SiteCase:
    """A site that answers as it pleases, at a public address unless ``start`` says other."""

    name: str
    what: str
    serve: Callable[[], Mapping[str, Served]]
    outcome: Outcome
    start: str = "http://public.test/a"
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: FetchOptions = QUICK


Case = BytesCase | SiteCase


def page(name: str, what: str, html: Callable[[], str] | str, outcome: Outcome) -> BytesCase:
    """A page in UTF-8."""

    def make() -> bytes:
        return (html if isinstance(html, str) else html()).encode()

    return BytesCase(name, what, make, outcome)


def documentation(name: str, what: str, body: Callable[[], str] | str, outcome: Outcome) -> BytesCase:
    """A page of documentation, all of whose content counts."""

    def make() -> str:
        return "<meta name=generator content=Sphinx>" + (body if isinstance(body, str) else body())

    return page(name, what, make, outcome)


def site(name: str, what: str, answer: Served, outcome: Outcome, **more: object) -> SiteCase:
    """A site with one page."""
    return SiteCase(name, what, lambda: {"/a": answer}, outcome, **more)  # type: ignore[arg-type]


def refused(message: str) -> Fails:
    """What a site sends is refused."""
    return Fails(message, FetchError)


def _quoted(words: tuple[str, ...]) -> str:
    return " and ".join(f"“{word}”" for word in words)
