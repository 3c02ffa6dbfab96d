"""Pages that claim to be somebody else, and sites that lead where they must not."""

from collections.abc import Mapping
from dataclasses import replace

from tests.hostile.cases import PAGE, QUICK, BytesCase, Case, Fails, Gives, Outcome, SiteCase, refused
from tests.support.pages import Page, Served
from webrag_desktop.errors import InputError, UnsafeAddressError
from webrag_desktop.ingestion.reading_process.process import Reading

INSIDE = Fails("an address inside this computer or its network", UnsafeAddressError)
_PRIVATE = {
    "loopback": "http://127.0.0.1/",
    "loopback-name": "http://localhost/",
    "loopback-subdomain": "http://a.localhost/",
    "loopback-decimal": "http://2130706433/",
    "loopback-hex": "http://0x7f000001/",
    "loopback-mixed": "http://0x7f.1/",
    "loopback-short": "http://127.1/",
    "loopback-dot": "http://127.0.0.1./",
    "zero": "http://0.0.0.0/",
    "zero-short": "http://0/",
    "loopback-6": "http://[::1]/",
    "unspecified-6": "http://[::]/",
    "mapped": "http://[::ffff:127.0.0.1]/",
    "mapped-hex": "http://[::ffff:7f00:1]/",
    "compatible": "http://[::127.0.0.1]/",
    "nat64": "http://[64:ff9b::7f00:1]/",
    "nat64-local": "http://[64:ff9b:1::7f00:1]/",
    "6to4": "http://[2002:7f00:1::]/",
    "teredo": "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "private-10": "http://10.0.0.8/",
    "private-172": "http://172.16.1.1/",
    "private-192": "http://192.168.0.1/",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "metadata-decimal": "http://2852039166/",
    "metadata-6": "http://[fd00:ec2::254]/",
    "shared": "http://100.64.1.1/",
    "link-local-6": "http://[fe80::1]/",
    "unique-local-6": "http://[fc00::1]/",
    "site-local-6": "http://[fec0::1]/",
    "multicast": "http://224.0.0.1/",
    "broadcast": "http://255.255.255.255/",
    "ideographic-dots": "http://127。0。0。1/",
    "user-before-host": "http://public.test@127.0.0.1/",
    "name-rebound": "http://rebound.test/",
}
_NAMES = {
    "rebound.test": ("10.1.2.3",),
    "localhost": ("127.0.0.1", "::1"),
    "127.0.0.1.": ("127.0.0.1",),
    "a.localhost": ("127.0.0.1",),
}


def _redirect(name: str, target: str) -> SiteCase:
    def serve() -> Mapping[str, Served]:
        return {"/a": Page.redirect(target.encode().decode("latin-1"))}

    return SiteCase(
        f"redirect-to-{name}", f"a public page that leads to {target}", serve, INSIDE, names=_NAMES
    )


def _site(
    name: str, what: str, answer: Served, outcome: Outcome, start: str = "http://public.test/a"
) -> SiteCase:
    return SiteCase(
        name, what, lambda: {"/a": answer, "/b": "<p>before after"}, outcome, start=start, names=_NAMES
    )


def _claims(name: str, what: str, html: str, url: str = PAGE) -> BytesCase:
    """A page that says it is somebody else."""
    body = f"<meta name=generator content=Sphinx>{html}<main><p>before<p>after</main>"
    return BytesCase(name, what, body.encode, AS_ITSELF, url=url)


def _is_itself(read: Reading) -> bool:
    own = read.document.url
    return read.document.source_url == own and [url for url, _kind in read.addresses] == [own]


AS_ITSELF = Gives(("before", "after"), check=_is_itself, also="known by its own address alone")
CANNOT_BE_OPENED = refused("The site redirects to an address that cannot be opened")
_UNOPENABLE = {
    "octal": "http://0177.0.0.1/",
    "fullwidth-digits": "http://１２７.0.0.1/",
    "zone": "http://[fe80::1%25eth0]/",
    "javascript": "javascript:alert(1)",
    "data": "data:text/html,<p>x",
    "file": "file:///etc/passwd",
    "ftp": "ftp://public.test/x",
    "port-zero": "http://public.test:0/",
    "port-beyond": "http://public.test:99999/",
    "control-character": "http://pub\x01lic.test/",
}


def _unopenable(name: str, target: str) -> SiteCase:
    return _site(
        f"redirect-to-{name}",
        f"a redirect to {target!r}",
        Page.redirect(target.encode().decode("latin-1")),
        CANNOT_BE_OPENED,
    )


CASES: tuple[Case, ...] = (
    *(_redirect(name, target) for name, target in _PRIVATE.items()),
    *(_unopenable(name, target) for name, target in _UNOPENABLE.items()),
    _site(
        "redirect-loop",
        "a page that redirects to itself",
        Page.redirect("http://public.test/a"),
        refused("The site redirects more than 3 times"),
    ),
    _site(
        "redirect-back-inside",
        "a page in the local network that redirects to a public one, and that one back",
        Page.redirect("http://192.168.7.7/b"),
        INSIDE,
    ),
    SiteCase(
        "name-of-many-addresses",
        "a name with a private address among public ones: only those are tried",
        lambda: {"/a": "<p>before after"},
        Gives(("before", "after")),
        start="http://mixed.test/a",
        names={"mixed.test": ("10.0.0.1", "93.184.216.34", "127.0.0.1")},
        options=replace(QUICK, allow_private=False),
    ),
    SiteCase(
        "given-inside-without-leave",
        "a private address given to a program that may open public ones only",
        lambda: {"/a": "<p>before"},
        INSIDE,
        start="http://10.0.0.1/a",
        options=replace(QUICK, allow_private=False),
    ),
    SiteCase(
        "given-with-password",
        "an address with a user name and a password",
        dict,
        Fails("holds a user name or a password", InputError),
        start="http://user:secret@public.test/a",
    ),
    _claims(
        "canonical-of-a-bank",
        "a canonical link to another site",
        "<link rel=canonical href=https://bank.test/login>",
    ),
    _claims(
        "canonical-of-a-look-alike",
        "a canonical link to a name that only begins alike",
        "<link rel=canonical href=https://example.org.evil.test/dir/page>",
    ),
    _claims(
        "canonical-homograph",
        "a canonical link to a name in Cyrillic letters",
        "<link rel=canonical href=https://exаmple.org/dir/page>",
    ),
    _claims(
        "canonical-with-user",
        "a canonical link whose host hides behind an @",
        "<link rel=canonical href=https://example.org@evil.test/dir/page>",
    ),
    _claims(
        "canonical-user-of-own-host",
        "a canonical link to the own host with somebody's password",
        "<link rel=canonical href=https://user:secret@example.org/other>",
    ),
    _claims(
        "canonical-other-port",
        "a canonical link to another port of the host",
        "<link rel=canonical href=https://example.org:8443/dir/page>",
    ),
    _claims(
        "canonical-script",
        "a canonical link that is a script",
        "<link rel=canonical href='javascript:alert(1)'>",
    ),
    _claims("canonical-file", "a canonical link to a file", "<link rel=canonical href='file:///etc/passwd'>"),
    _claims(
        "canonical-start-page",
        "a canonical link to the start page, as broken templates have it",
        "<link rel=canonical href=https://example.org/>",
    ),
    _claims(
        "canonical-by-base",
        "a canonical link made foreign by a base",
        "<base href=https://bank.test/><link rel=canonical href=login>",
    ),
    _claims(
        "canonical-broken", "a canonical link that is no address", "<link rel=canonical href='http://[::bad'>"
    ),
    _claims(
        "open-graph-address", "an og:url of another site", "<meta property=og:url content=https://bank.test/>"
    ),
    _claims(
        "single-file-claim",
        "a page that says SingleFile saved it from a bank",
        "<!-- Page saved with SingleFile \n url: https://bank.test/login \n saved date: Mon Jan 01 2024 -->",
    ),
    _claims(
        "single-file-claim-in-a-file",
        "a file that says SingleFile saved it from a bank",
        "<!-- Page saved with SingleFile \n url: https://bank.test/login \n saved date: Mon Jan 01 2024 -->"
        "<link rel=canonical href=https://bank.test/login>",
        url="file:///home/me/page.html",
    ),
    _claims(
        "saved-from-claim",
        "a browser's mark that names a bank",
        "<!-- saved from url=(0023)https://bank.test/login -->",
        url="file:///home/me/page.html",
    ),
    BytesCase(
        "mhtml-claim",
        "an MHTML file that says it is a bank's page",
        lambda: (
            b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://bank.test/login\r\nMIME-Version: 1.0\r\n"
            b'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n'
            b"Content-Location: https://bank.test/login\r\n\r\n<link rel=canonical href=https://bank.test/login>"
            b"<main><p>before<p>after</main>\r\n--b--\r\n"
        ),
        AS_ITSELF,
        content_type="",
        url="file:///home/me/page.mhtml",
        filename="page.mhtml",
    ),
)
