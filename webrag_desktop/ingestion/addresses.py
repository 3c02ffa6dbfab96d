"""What the user typed becomes an address, and addresses become identity keys."""

import ipaddress
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit, urlunsplit

from webrag_desktop.errors import InputError
from webrag_desktop.models.formats import DOCUMENT_SUFFIXES
from webrag_desktop.text.links import file_path
from webrag_desktop.text.printable import CONTROLS, SURROGATES

if TYPE_CHECKING:
    from webrag_desktop.models.sources import SourceKind

# Parameters that say how a visitor came, and nothing about the page. The list is our own, from what advertisers,
# mailers and analytics document about their links. It holds only names that can hardly mean anything else: two
# addresses that differ in ``gid``, ``ref`` or ``source`` are two pages, since two pages that become one are worse than
# one page that is in the library twice.
_TRACKING_PREFIXES: Final = (
    "utm_",
    "mtm_",
    "matomo_",
    "piwik_",
    "hsa_",
    "__hs",
    "_hs",
    "guce_referrer",
    "fb_action_",
    "oly_",
)
"""Google Analytics and all who took over its names; Matomo; HubSpot; Yahoo; Facebook; Omeda."""

_TRACKING_NAMES: Final = frozenset(
    (
        # Clicks on advertisements
        "gclid", "gclsrc", "gbraid", "wbraid", "gad_source", "gad_campaignid", "dclid", "srsltid",  # Google
        "fbclid", "fb_ref", "fb_source", "msclkid", "ttclid", "twclid", "li_fat_id", "epik", "rdt_cid", "yclid",
        "ysclid", "_openstat", "qclid", "sccid", "irclickid", "rb_clickid", "wickedid",
        # Shares
        "igsh", "igshid", "ref_src", "ref_url", "trk", "trkinfo", "trackingid",
        # Mailings
        "mc_cid", "mc_eid", "mkt_tok", "vero_id", "vero_conv", "ml_subscriber", "ml_subscriber_hash",
        "ck_subscriber_id", "dm_i", "_kx", "hsctatracking",
        # Analytics
        "_ga", "_gl", "s_cid", "cmpid", "at_medium", "at_campaign", "at_custom1", "at_custom2", "at_custom3",
        "at_custom4", "pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid", "spm",
    )
)  # fmt: skip
"""Names in lower case."""


def only_tracks(name: str) -> bool:
    """Whether a parameter of that name, unescaped, says nothing about the page."""
    lower = name.lower()
    return lower in _TRACKING_NAMES or lower.startswith(_TRACKING_PREFIXES)


LONGEST_ADDRESS = 8192  # characters; servers refuse longer request lines
# A look-alike of a dot becomes one in the first pass, and is dropped from the end of the host in the second.
_MOST_PASSES = 4
_CONTROL = re.compile(f"[{CONTROLS}]")
_NO_CHARACTER = re.compile(f"[{SURROGATES}]")  # half of a pair, or a byte of a name that is not UTF-8
_DOTS = re.compile(r"(?<=/)((?:\.|%2e){1,2})(?:/|$)", re.IGNORECASE)  # a segment of a path that leads up
_PATH = re.compile(r"[^?#]*")
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(?!\d)")
_WINDOWS_PATH = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\)")
_HOST_LABEL = re.compile(r"^[^\s/?#@:\[\]\\%<>\"'`{}|^!$&()*+,;=]+$")


def parse_source(text: str) -> "tuple[SourceKind, str]":
    """The kind and the normalised address of what a user typed, pasted or dropped.

    Web addresses come back as http or https URLs (``example.org/x`` gets https; this computer and bare
    network addresses get http), files as absolute ``file://`` URIs, whether or not the file exists; what holds line
    breaks is a file only if there is one of that name. Raises :class:`~webrag_desktop.errors.InputError` for anything
    else.
    """
    typed = text.strip().removeprefix("<").removesuffix(">").strip()
    if not typed:
        raise InputError("No address was given.", "Give a web address or the path of a file.")
    if len(typed) > LONGEST_ADDRESS:
        raise InputError(
            f"The address is longer than {LONGEST_ADDRESS} characters.",
            "Check that it was pasted whole and once.",
        )
    if _NO_CHARACTER.search(typed):
        raise _unreadable(typed)
    if _CONTROL.search(typed):
        if _is_file_here(typed):  # many systems allow line breaks in names; the URI has them as escapes
            return "file", _file_uri(typed)
        raise InputError(
            "The address holds line breaks or control characters.", "Give one address at a time."
        )
    scheme = _SCHEME.match(typed)
    if scheme and not _WINDOWS_PATH.match(typed):
        return _with_scheme(scheme[1].lower(), typed)
    if _is_path(typed):
        return "file", _file_uri(typed)
    return "url", _web_address(f"{_default_scheme(typed)}://{typed.removeprefix('//')}")


# Normalising leaves such an address as it is: no port, escape, query or upper case in the host, no segment that is
# empty or only dots, at least two labels that end in letters. Most links are so, and normalising takes 0.2 ms.
_NORMAL: Final = re.compile(
    r"https?://(?:[a-z0-9](?:[a-z0-9]|-(?!-)){0,61}\.)+[a-z]{2,24}/(?:(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+(?:/|$))*",
    re.ASCII,
)


def url_key(url: str) -> str:
    """The identity of an address: two addresses with one key are the same page.

    Scheme, host, port, path and escapes are normalised (RFC 3986), the fragment and the parameters that only
    track visitors (:mod:`~webrag_desktop.ingestion.addresses`) are dropped, the order of the other parameters is kept,
    and so are names of index pages. Never raises: an address that
    cannot be normalised is its own key, without its fragment. The key of a key is that key.
    """
    bare = url.partition("#")[0]
    if _NORMAL.fullmatch(bare):
        return bare
    key = bare
    for _ in range(_MOST_PASSES):
        before, key = key, _normalised(key)
        if key == before:
            return key
    return bare


def _normalised(bare: str) -> str:
    """One pass of normalisation, or the address itself where that names no host."""
    from url_normalize import url_normalize  # long to import; a window that opens reads no address

    try:
        parts = urlsplit(url_normalize(bare) or bare)
    except ValueError:  # UnicodeError included: not a host that IDNA can encode
        return bare
    if parts.scheme in {"http", "https"} and not parts.hostname:
        return bare
    return urlunsplit(parts._replace(query=_without_tracking(parts.query), fragment=""))


def _with_scheme(scheme: str, typed: str) -> "tuple[SourceKind, str]":
    if scheme in {"http", "https"}:
        return "url", _web_address(typed)
    if scheme == "file":
        return "file", _file_uri(_path_of_uri(typed))
    raise InputError(
        f"Addresses that begin with “{scheme}:” cannot be added.",
        "Give an address that begins with http:// or https://, or the path of a file.",
    )


def _path_of_uri(typed: str) -> str:
    parts = urlsplit(typed)
    if parts.netloc.lower() not in {"", "localhost"}:
        raise InputError(
            "This file address names another computer.", "Give the path of a file on this computer."
        )
    if not parts.path or "\0" in unquote(parts.path):
        raise InputError("This file address names no file.", "Give the path of a file on this computer.")
    try:
        unquote(parts.path, errors="strict")
    except UnicodeDecodeError as error:
        raise _unreadable(typed) from error
    return str(file_path(typed))


def _is_file_here(typed: str) -> bool:
    try:
        return Path(typed).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):  # too long, nobody's home, or no name at all
        return False


def _file_uri(path: str) -> str:
    try:
        return Path(path).expanduser().absolute().as_uri()
    except (RuntimeError, ValueError, UnicodeEncodeError) as error:  # no such home, or no valid name
        raise InputError(
            f"The path “{path}” cannot be used.", "Give the path of a file on this computer."
        ) from error


def _is_path(typed: str) -> bool:
    if typed.startswith("//"):  # an address that takes the scheme of its page
        return False
    if typed.startswith(("/", "./", "../", "~", ".\\", "..\\")) or _WINDOWS_PATH.match(typed):
        return True
    host, slash, _ = typed.partition("/")
    try:
        if Path(typed).exists():
            return True
    except OSError:  # too long for a file name
        return False
    if not slash and PurePosixPath(host).suffix.lower() in DOCUMENT_SUFFIXES and ":" not in host:
        return True
    return not _looks_like_host(host)


def _looks_like_host(text: str) -> bool:
    host = text.rpartition("@")[2]
    if host.startswith("["):
        return True
    name = host.partition(":")[0]
    return "." in name.strip(".") or name.lower() == "localhost" or ":" in host


def _default_scheme(typed: str) -> str:
    netloc = typed.removeprefix("//").partition("/")[0].rpartition("@")[2]
    host = netloc.partition("]")[0].lstrip("[") if netloc.startswith("[") else netloc.partition(":")[0]
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return "http"
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "https"
    return "http"


def _web_address(typed: str) -> str:
    import httpx  # long to import; a window that opens reads no address

    try:
        url = httpx.URL(_PATH.sub(_with_plain_dots, typed, count=1))
        port_fits = url.port is None or 0 < url.port < 65536
    except httpx.InvalidURL as error:
        raise _not_an_address(typed) from error
    if url.userinfo:
        raise InputError(
            "The address holds a user name or a password, and those are not stored.",
            "Give the address without the part before the @ sign.",
        )
    # Not `url.host`: that is read back from its punycode, which fails for names older or newer than its rules.
    if not port_fits or not _is_host(url.raw_host.decode("ascii")):
        raise _not_an_address(typed)
    return str(url)


def _with_plain_dots(path: re.Match[str]) -> str:
    """A path whose segments ``.`` and ``..`` are written so: escaped, they lead to the same page (WHATWG)."""
    return _DOTS.sub(lambda dots: dots[1].lower().replace("%2e", ".") + "/", path[0])


def _is_host(host: str) -> bool:
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host).scope_id is None
        except ValueError:
            return False
    labels = host.removesuffix(".").split(".")
    return len(host) <= 253 and all(0 < len(label) <= 63 and _HOST_LABEL.match(label) for label in labels)


def _not_an_address(typed: str) -> InputError:
    return InputError(
        f"“{typed}” is not an address that can be opened.",
        "Give an address such as https://example.org/page, or the path of a file.",
    )


def _unreadable(typed: str) -> InputError:
    shown = _NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", typed)
    return InputError(
        f"“{shown}” holds something that is not a character (it is not UTF-8), so it cannot be read.",
        "Rename the file, or copy the address again, and add it again.",
    )


def _without_tracking(query: str) -> str:
    if not query:
        return ""
    pairs = query.split("&")
    return "&".join(pair for pair in pairs if not only_tracks(unquote(pair.partition("=")[0])))


def key_of_reference(reference: str) -> str:
    """The key of an address or path as somebody names a document by it; what is neither is its own key."""
    try:
        _kind, address = parse_source(reference)
    except InputError:
        return reference
    return url_key(address)
