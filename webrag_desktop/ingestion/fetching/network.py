"""Which network addresses a page may lead to, and connections pinned to the addresses that were checked.

Addresses that a program gives rather than the user must be public: they may lead into the internal network.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpcore

from webrag_desktop.errors import InputError, UnsafeAddressError
from webrag_desktop.ingestion.addresses import parse_source
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.progress import CancelToken

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Sequence[str]]

_SHARED = ipaddress.IPv4Network("100.64.0.0/10")  # carrier-grade NAT, RFC 6598
_CARRIES_IPV4 = (  # in the last 32 bits: NAT64 (RFC 6052) and SIIT (RFC 2765)
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("::ffff:0:0:0/96"),
)
_NOT_GLOBAL = (  # whatever the standard library of this Python thinks of them
    ipaddress.IPv4Network("192.0.0.0/24"),  # protocol assignments, RFC 6890
    ipaddress.IPv6Network("3fff::/20"),  # documentation, RFC 9637
)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # all other IPv6 is special, or some network's own use
_THIS_COMPUTER = frozenset(
    ("localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback")
)
# Names that nobody can register on the internet (RFC 6761, 6762 appendix G, 8375): only the user's network gives them.
_INSIDE_NAMES = ("local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa")
_WAKE_SECONDS = 0.25  # how long a silent server can hold back a cancellation

_THIS_HOST = ipaddress.IPv4Network("0.0.0.0/8")  # connecting to 0.0.0.0 reaches this computer
_BROADCAST = ipaddress.IPv4Address("255.255.255.255")


def _within(ip: IPAddress, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    return ip.version == network.version and ip in network


# The first that holds decides. Cloud metadata services live in link-local addresses.
_CLASSES: tuple[tuple[AddressClass, Callable[[IPAddress], bool]], ...] = (
    ("never", lambda ip: ip.is_multicast or ip == _BROADCAST),
    ("loopback", lambda ip: ip.is_loopback or ip.is_unspecified or _within(ip, _THIS_HOST)),
    ("link-local", lambda ip: ip.is_link_local),
    ("shared", lambda ip: _within(ip, _SHARED)),
    ("never", lambda ip: ip.is_reserved and not ip.is_global),
    ("private", lambda ip: not ip.is_global or any(_within(ip, network) for network in _NOT_GLOBAL)),
    ("private", lambda ip: ip.version == 6 and ip not in _GLOBAL_UNICAST),
)


def resolve_name(host: str, port: int) -> Sequence[str]:
    """Every address the system's resolver gives for a host, which may also be a literal in any spelling.

    Raises ``socket.gaierror`` when there is none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def classify(address: str) -> AddressClass:
    """The class of an IP address; IPv6 addresses that contain an IPv4 one count as that."""
    ip = _unwrapped(ipaddress.ip_address(address.partition("%")[0]))
    for kind, holds in _CLASSES:
        if holds(ip):
            return kind
    return "public"


def assumed_class(host: str) -> AddressClass | None:
    """The class of a host as far as its name shows it; None for a name that only the user's own network can give.

    Every other name counts as public: its owner decides where it leads, and may change that.
    """
    host = host.rstrip(".").lower()
    addresses = _addresses_in(host)
    if addresses:
        return classify(addresses[0])
    inside = "." not in host or any(host.endswith(f".{name}") for name in _INSIDE_NAMES)
    return None if inside else "public"


def _addresses_in(host: str) -> list[str]:
    """The addresses that a host names without a lookup: numbers in any spelling, and this computer."""
    if host in _THIS_COMPUTER or host.endswith(".localhost"):
        return ["127.0.0.1"]
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (socket.gaierror, UnicodeError):
        return []
    return [str(entry[4][0]) for entry in found]


def _computer(address: str) -> IPAddress:
    """What two addresses of one computer have in common: however they are written, and this computer's are one."""
    ip = _unwrapped(ipaddress.ip_address(address))
    here = ip.is_unspecified or ip == ipaddress.IPv6Address("::1")
    return ipaddress.IPv4Address("127.0.0.1") if here else ip


def _unwrapped(ip: IPAddress) -> IPAddress:
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    if any(ip in network for network in _CARRIES_IPV4) or (int(ip) >> 32 == 0 and int(ip) > 1):
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


@dataclass
class Deadline:
    """The moment by which everything must be done, and the wish to stop earlier."""

    seconds: float
    cancel: CancelToken | None = None
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds

    @property
    def remaining(self) -> float:
        """Seconds left; negative when it has passed."""
        return self._end - time.monotonic()

    def check(self) -> None:
        """Raise when somebody asked to stop, or ``httpcore.ReadTimeout`` when the time is up."""
        if self.cancel is not None:
            self.cancel.raise_if_cancelled()
        if self.remaining <= 0:
            raise httpcore.ReadTimeout("the whole request took too long")


@dataclass(frozen=True)
class Network:
    """The ways out of this computer: name resolution and sockets."""

    resolve: Resolver = resolve_name
    sockets: httpcore.NetworkBackend = field(default_factory=httpcore.SyncBackend)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where one request may lead: to addresses of ``classes``, and inside the user's network only to ``computer``.

    ``computer`` is an address, or a name where only a proxy knows its address; None is any. ``refusal`` says of a
    host why it is not asked.
    """

    classes: frozenset[AddressClass]
    computer: str | None = None
    refusal: Callable[[str], UnsafeAddressError] = fetch_errors.leads_inside

    def permit(self, address: str) -> bool:
        """Whether a connection to this IP address may be made."""
        kind = classify(address)
        if kind not in self.classes:
            return False
        if kind == "public" or self.computer is None:
            return True
        return _is_number(self.computer) and _computer(address) == _computer(self.computer)

    def permit_name(self, host: str) -> bool:
        """Whether a proxy may be asked for a name that only the user's network can give."""
        return self.classes != {"public"} and self.computer in (None, host)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def anywhere() -> Bounds:
    """Bounds that every computer is within."""
    return Bounds(frozenset(("public", "loopback", "private", "link-local", "shared")))


class GuardedBackend(httpcore.NetworkBackend):
    """Connects only within its bounds, and exactly to addresses it has checked.

    Resolution, check and connection are one step, so a name cannot change its address in between. ``reached``
    is the class of the last connection and ``computer`` its address; ``arrived`` is called with the class as soon as
    it is known, also when nothing answered there.
    """

    def __init__(
        self,
        network: Network,
        bounds: Bounds,
        deadline: Deadline,
        arrived: Callable[[AddressClass], object] = lambda _kind: None,
    ) -> None:
        self._network = network
        self._bounds = bounds
        self._deadline = deadline
        self._arrived = arrived
        self.reached: AddressClass = "public"
        self.computer: str | None = None

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Resolve, check and connect; the first address that answers is used."""
        failure: Exception | None = None
        permitted = self._require_permitted(host, self._network.resolve(host, port))
        for address in permitted:
            self._deadline.check()
            limit = min(timeout or self._deadline.remaining, max(self._deadline.remaining, 0.001))
            try:
                stream = self._network.sockets.connect_tcp(
                    address, port, limit, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
                continue
            self._arrive(classify(address), address)
            return TimedStream(stream, self._deadline)
        if len(kinds := set(map(classify, permitted))) == 1:
            self._arrived(kinds.pop())
        assert failure is not None, "there is at least one permitted address"
        raise failure

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Refused: pages do not come from sockets in the file system."""
        raise UnsafeAddressError("The page leads to a socket inside this computer")

    def sleep(self, seconds: float) -> None:
        """Wait between attempts, as the connection pool asks."""
        self._network.sockets.sleep(seconds)

    def check_number(self, host: str) -> None:
        """Raise for a forbidden address in numbers, in any spelling, for this computer, and for names of its network.

        That is all that can be checked of what a proxy resolves. Other names count as public.
        """
        host = host.rstrip(".").lower()
        if addresses := _addresses_in(host):
            address = self._require_permitted(host, addresses)[0]
            self._arrive(classify(address), address)
        elif assumed_class(host) is None:
            if not self._bounds.permit_name(host):
                raise self._bounds.refusal(host)
            self._arrive("private", host)
        else:
            self._arrive("public", None)

    def _arrive(self, kind: AddressClass, computer: str | None) -> None:
        self.reached, self.computer = kind, computer
        self._arrived(kind)

    def _require_permitted(self, host: str, addresses: Sequence[str]) -> list[str]:
        permitted = [address for address in addresses if self._bounds.permit(address)]
        if not permitted:
            raise self._bounds.refusal(host)
        return permitted


class TimedStream(httpcore.NetworkStream):
    """A connection that keeps to the deadline and wakes up often enough to notice a cancellation."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Up to ``max_bytes``; raises ``httpcore.ReadTimeout`` after ``timeout`` seconds of silence."""
        quiet_until = time.monotonic() + (self._deadline.seconds if timeout is None else timeout)
        while True:
            self._deadline.check()
            left = quiet_until - time.monotonic()
            if left <= 0:
                raise httpcore.ReadTimeout("the server fell silent")
            try:
                return self._stream.read(max_bytes, min(_WAKE_SECONDS, left))
            except httpcore.ReadTimeout:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send everything."""
        self._deadline.check()
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Secure the connection for the name the address gives, not for the pinned IP address."""
        self._deadline.check()
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._deadline)

    def get_extra_info(self, info: str) -> object:
        """What the underlying connection knows about itself."""
        return self._stream.get_extra_info(info)


def public_address(text: str) -> str:
    """The normalised web address, whose name is resolved; a name that nobody knows is left to fetching.

    Raises:
        InputError: it is no web address, or leads into this computer or its network.
    """
    kind, address = parse_source(text)
    if kind != "url":
        raise InputError(f"“{text}” is not a web address.", "Give one such as https://example.org/page.")
    parts = urlsplit(address)
    if _leads_inside(parts.hostname or "", parts.port or 443):
        raise InputError(
            f"{address} leads into this computer or its network, which only its user may add.",
            "Add it in the window, or with `webrag add`.",
        )
    return address


def _leads_inside(host: str, port: int) -> bool:
    if assumed_class(host) != "public":
        return True
    try:
        found = resolve_name(host, port)
    except OSError:
        return False
    return any(classify(address) != "public" for address in found)
