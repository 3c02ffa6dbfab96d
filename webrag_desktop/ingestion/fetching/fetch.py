"""Getting a page: streaming, bounded, cancellable, and never led astray into the local network."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpcore
import httpx

from webrag_desktop.errors import FetchError, InputError
from webrag_desktop.ingestion.addresses import parse_source
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.fetching.decoding import ACCEPT_ENCODING, decoded
from webrag_desktop.ingestion.fetching.network import Bounds, Deadline, GuardedBackend, Network, anywhere
from webrag_desktop.ingestion.fetching.options import FetchOptions, Header, Validators
from webrag_desktop.models.documents import AddressClass, Capture
from webrag_desktop.models.formats import ACCEPT
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.servers import retries

logger = logging.getLogger(__name__)

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NOT_MODIFIED = 304
MOST_HEADERS = 500  # fields of one answer; real ones have a few dozen, and all of them are kept


def fetch(
    url: str,
    options: FetchOptions,
    *,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
    network: Network | None = None,
    may_follow: Callable[[str], object] = lambda _address: None,
) -> Capture:
    """The page at an http or https address, redirects followed, asked for again where that may help.

    ``may_follow`` is that of :func:`fetch_if_changed`.

    Raises :class:`~webrag_desktop.errors.FetchError` (its ``transient`` tells whether trying later may help, and
    its ``retry_after`` when), :class:`~webrag_desktop.errors.UnsafeAddressError`,
    :class:`~webrag_desktop.errors.InputError` for an address that is none, and
    :class:`~webrag_desktop.errors.Cancelled`.
    """
    capture = fetch_if_changed(
        url, options, None, progress=progress, cancel=cancel, network=network, may_follow=may_follow
    )
    assert capture is not None, "nothing was said to be known"
    return capture


def fetch_if_changed(
    url: str,
    options: FetchOptions,
    known: Validators | None,
    *,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
    network: Network | None = None,
    rest_of: Callable[[str], float] | None = None,
    within: AddressClass | None = None,
    arrived: Callable[[AddressClass], object] = lambda _kind: None,
    received: Callable[[int], object] = lambda _bytes: None,
    may_follow: Callable[[str], object] = lambda _address: None,
) -> Capture | None:
    """As :func:`fetch`; None where the site says that the page is as ``known`` names it (304).

    ``rest_of`` gives the seconds for which the site of an address still asks for a pause; no redirect is followed
    to one that does. ``within`` is the class of the address at the first request: it may have that one or be in the
    internet now; None is anywhere. ``arrived`` is called with its class before anything is requested there,
    ``received`` with the number of bytes each time some of a body came, also in attempts that fail.
    ``may_follow`` is given each address that a redirect leads to, and raises where it is not to be followed.
    """
    address = _web_address(url)
    lies = within

    def noted(kind: AddressClass) -> None:
        nonlocal lies
        lies = lies or kind  # a retry may not lead further in either
        arrived(kind)

    def attempt() -> Capture | None:
        deadline = Deadline(options.total_seconds, cancel)
        visit = Visit(
            options,
            deadline,
            network or Network(),
            progress,
            known,
            rest_of=rest_of,
            within=lies,
            arrived=noted,
            received=received,
            may_follow=may_follow,
        )
        hops, answer = visit.follow(address)
        if answer.status == _NOT_MODIFIED and known is not None and hops[-1] == known.address:
            return None
        if not 200 <= answer.status < 300:
            refused = fetch_errors.refused_status(answer.status, retries.retry_after(answer.headers))
            refused.address = hops[-1]
            raise refused
        return _captured(hops, answer, visit.reached)

    def waiting(seconds: float, token: CancelToken) -> None:
        progress(Step("fetching", detail="Waiting for the site"))
        retries.wait(seconds, token)

    policy = replace(retries.WEB_SITES, seconds=options.retry_seconds, wait=waiting)
    return policy.run(lambda _left: attempt(), cancel or CancelToken())


def fetch_beginning(
    url: str,
    options: FetchOptions,
    *,
    cancel: CancelToken | None = None,
    network: Network | None = None,
) -> Capture:
    """Whatever the site answers, once, with the first ``options.max_bytes`` of the body where it is a success.

    Raises what :func:`fetch` raises where there is no answer at all.
    """
    deadline = Deadline(options.total_seconds, cancel)
    visit = Visit(options, deadline, network or Network(), no_progress, beginning_only=True)
    return _captured(*visit.follow(_web_address(url)), visit.reached)


def _web_address(url: str) -> str:
    kind, address = parse_source(url)
    if kind != "url":
        raise InputError(f"“{url}” is not a web address.", "Give an address that begins with https://.")
    return address


def _captured(hops: list[str], answer: "Answer", reached: Iterable[AddressClass]) -> Capture:
    return Capture(
        url=hops[0],
        final_url=hops[-1],
        redirects=tuple(hops[1:]),
        status_code=answer.status,
        headers=answer.headers,
        body=answer.body,
        fetched_at=datetime.now(UTC),
        reached=tuple(reached),
    )


def _first_bounds(options: FetchOptions, within: AddressClass | None) -> Bounds:
    """The class that the given address may have, which was ``within`` before."""
    if not options.allow_private:
        return Bounds(frozenset({"public"}))
    if within is None:
        return anywhere()
    return Bounds(frozenset({"public", within}), refusal=fetch_errors.came_inside)


def _next_bounds(options: FetchOptions, previous: "Answer") -> Bounds:
    """Where a redirect may lead: from a page inside the user's network to its own computer, or to the internet."""
    if not options.allow_private or previous.reached == "public":
        return Bounds(frozenset({"public"}))
    classes: frozenset[AddressClass] = frozenset({"public", previous.reached})
    return Bounds(classes, previous.computer, fetch_errors.leads_to_another_computer)


def _redirect_target(base: str, location: str) -> str:
    """Where a redirect leads, without a name and password in it: a page's address is no place for the user's."""
    try:
        kind, target = parse_source(_without_credentials(urljoin(base, location.strip()).partition("#")[0]))
    except ValueError as error:  # InputError included
        raise FetchError(
            "The site redirects to an address that cannot be opened", "Check it in a browser."
        ) from error
    if kind != "url":
        raise FetchError("The site redirects to an address that cannot be opened", "Check it in a browser.")
    if base.startswith("https:") and target.startswith("http:"):
        logger.warning(
            "A redirect leads from a secure to an insecure address of %s", urlsplit(target).hostname
        )
    return target


def _without_credentials(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


@dataclass(frozen=True)
class Answer:
    """What one address answered, and where that was."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    reached: AddressClass
    computer: str | None

    @property
    def location(self) -> str | None:
        """Where the answer leads. Headers are bytes; servers write addresses outside ASCII as UTF-8."""
        found = next((value for name, value in self.headers if name.lower() == "location"), None)
        try:
            return None if found is None else found.encode("latin-1").decode("utf-8")
        except UnicodeDecodeError:
            return found


@dataclass(frozen=True)
class Visit:
    """One fetch under way: everything its hops share, and where each of them led."""

    options: FetchOptions
    deadline: Deadline
    network: Network
    progress: ProgressCallback
    known: Validators | None = None
    beginning_only: bool = False
    rest_of: Callable[[str], float] | None = None
    within: AddressClass | None = None
    arrived: Callable[[AddressClass], object] = lambda _kind: None
    received: Callable[[int], object] = lambda _bytes: None
    may_follow: Callable[[str], object] = lambda _address: None
    reached: list[AddressClass] = field(default_factory=list)

    def follow(self, address: str) -> tuple[list[str], Answer]:
        """Every address on the way, the last one answering without a further redirect, and its answer."""
        hops = [address]
        bounds = _first_bounds(self.options, self.within)
        while True:
            answer = self.open(hops[-1], bounds)
            self.reached.append(answer.reached)
            if answer.status not in _REDIRECTS or answer.location is None:
                return hops, answer
            if len(hops) > self.options.max_redirects:
                raise FetchError(
                    f"The site redirects more than {self.options.max_redirects} times",
                    "Check the address in a browser.",
                )
            bounds = _next_bounds(self.options, answer)
            hops.append(_redirect_target(hops[-1], answer.location))
            rest = self.rest_of(hops[-1]) if self.rest_of is not None else 0.0
            if rest > 0:
                raise fetch_errors.leads_to_paused_site(hops[-1], rest)
            self.may_follow(hops[-1])

    def open(self, address: str, bounds: Bounds) -> Answer:
        """One request and its answer; the body is read only when the status is a success."""
        url = httpx.URL(address)
        arrived = (lambda _kind: None) if self.reached else self.arrived
        backend = GuardedBackend(self.network, bounds, self.deadline, arrived)
        with (
            self._failures(_shown_host(url)),
            self._pool(url, backend) as pool,
            self._stream(pool, url) as response,
        ):
            if len(response.headers) > MOST_HEADERS:
                raise fetch_errors.too_many_headers(MOST_HEADERS)
            headers = tuple((_text(name), _text(value)) for name, value in response.headers)
            body = self.body_of(response, headers) if 200 <= response.status < 300 else b""
            return Answer(response.status, headers, body, backend.reached, backend.computer)

    def _pool(self, url: httpx.URL, backend: GuardedBackend) -> httpcore.ConnectionPool:
        context = httpx.create_ssl_context() if url.scheme == "https" else None
        proxy = httpcore.Proxy(self.options.proxy) if self.options.proxy else None
        if proxy is not None:
            backend.check_number(url.raw_host.decode("ascii"))
            backend = GuardedBackend(self.network, anywhere(), self.deadline)
        return httpcore.ConnectionPool(
            ssl_context=context, proxy=proxy, network_backend=backend, max_keepalive_connections=0
        )

    def _stream(
        self, pool: httpcore.ConnectionPool, url: httpx.URL
    ) -> AbstractContextManager[httpcore.Response]:
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        timeout = {
            "connect": self.options.connect_seconds,
            "read": self.options.read_seconds,
            "write": self.options.read_seconds,
            "pool": self.options.connect_seconds,
        }
        return pool.stream("GET", target, headers=self.request_headers(url), extensions={"timeout": timeout})

    def request_headers(self, url: httpx.URL) -> list[Header]:
        """What a request says."""
        conditions = self.known.headers_for(str(url)) if self.known is not None else []
        return [
            (b"Host", url.netloc),
            (b"User-Agent", self.options.user_agent.encode("latin-1", "replace")),
            (b"Accept", ACCEPT.encode()),
            (b"Accept-Encoding", ACCEPT_ENCODING.encode()),
            (b"Connection", b"close"),
            *conditions,
        ]

    def body_of(self, response: httpcore.Response, headers: tuple[tuple[str, str], ...]) -> bytes:
        """The body of a success, unpacked."""
        fields = {name.lower(): value for name, value in headers}
        length = fields.get("content-length", "")
        total = int(length) if length.isascii() and length.isdigit() else None
        if total is not None and total > self.options.max_bytes and not self.beginning_only:
            raise fetch_errors.too_large(self.options.max_bytes)
        received = self._counted(response.iter_stream(), total)
        body = bytearray()
        codings = ",".join(value for name, value in headers if name.lower() == "content-encoding")
        for piece in decoded(received, codings, self.deadline.check):
            body += piece
            if len(body) > self.options.max_bytes:
                if self.beginning_only:
                    return bytes(body[: self.options.max_bytes])
                raise fetch_errors.too_large(self.options.max_bytes)
        return bytes(body)

    def _counted(self, chunks: Iterable[bytes], total: int | None) -> Iterator[bytes]:
        done = 0
        for chunk in chunks:
            done += len(chunk)
            self.received(len(chunk))
            if done > self.options.max_bytes and not self.beginning_only:  # packed, it may unfold to nothing
                raise fetch_errors.too_large(self.options.max_bytes)
            self.progress(Step("fetching", done, total))
            yield chunk

    @contextmanager
    def _failures(self, host: str) -> Iterator[None]:
        try:
            yield
        except httpcore.ConnectTimeout as error:
            raise fetch_errors.too_slow(self.options.connect_seconds) from error
        except httpcore.TimeoutException as error:
            if self.deadline.remaining <= 0:
                raise fetch_errors.not_finished(self.options.total_seconds) from error
            raise fetch_errors.too_slow(self.options.read_seconds) from error
        except (
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpcore.ProxyError,
            OSError,
            UnicodeError,
        ) as error:
            logger.info("Could not fetch from %s: %s", host, fetch_errors.cause_in_log(error))
            raise fetch_errors.failed_connection(error, host) from error


def _shown_host(url: httpx.URL) -> str:
    """The host as people write it, or in punycode where the rules of today's names do not let it be read back."""
    try:
        return url.host
    except UnicodeError:
        return url.raw_host.decode("ascii")


def _text(raw: bytes) -> str:
    return raw.decode("latin-1")
