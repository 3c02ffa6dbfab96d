"""Pages saved as MHTML messages and web archives, each with one thing wrong."""

import base64
import plistlib
from collections.abc import Callable

from tests.hostile.cases import BytesCase, Case, Fails, Gives, Outcome

KEPT = Gives(("before", "after"))
HTML = "<main><p>before and some more words of the page</p>{}<p>after</p></main>"
_HEAD = (
    "From: <Saved by Blink>\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
)


def saved(
    inside: str = "", headers: str = "", head: str = _HEAD, encoding: str = "8bit", more: str = ""
) -> bytes:
    """A saved page; ``more`` are further parts."""
    part = f"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}\r\n{headers}"
    body = HTML.format(inside)
    if encoding == "base64":
        body = base64.b64encode(body.encode()).decode()
    return f"{head}--b\r\n{part}\r\n{body}\r\n{more}--b--\r\n".encode()


def _mail(name: str, what: str, make: Callable[[], bytes], outcome: Outcome) -> BytesCase:
    return BytesCase(
        name,
        what,
        make,
        outcome,
        content_type="",
        filename=f"{name}.mhtml",
        url=f"file:///home/me/{name}.mhtml",
    )


def _nested(levels: int) -> bytes:
    opening = "".join(
        f'Content-Type: multipart/related; boundary="b{n}"\r\n\r\n--b{n}\r\n' for n in range(levels)
    )
    return f"MIME-Version: 1.0\r\n{opening}Content-Type: text/html\r\n\r\n{HTML}\r\n".encode()


def _archive(body: bytes) -> bytes:
    content = {"WebMainResource": {"WebResourceData": body, "WebResourceMIMEType": "text/html", "WebResourceURL": "https://bank.test/",
                                   "WebResourceTextEncodingName": "utf-8"}}  # fmt: skip
    return plistlib.dumps(content, fmt=plistlib.FMT_BINARY)


def _apple(name: str, what: str, make: Callable[[], bytes], outcome: Outcome) -> BytesCase:
    return BytesCase(
        name,
        what,
        make,
        outcome,
        content_type="",
        filename=f"{name}.webarchive",
        url=f"file:///home/me/{name}.webarchive",
    )


CASES: tuple[Case, ...] = (
    _mail("mhtml-plain", "a saved page with nothing wrong, so that the others prove something", saved, KEPT),
    _mail(
        "mhtml-scripts",
        "a saved page with scripts",
        lambda: saved("<script>alert(1)</script><img src=cid:x onerror=alert(1)>"),
        Gives(("before", "after"), without=("alert(1)",)),
    ),
    _mail(
        "mhtml-nested",
        "2,000 messages in each other",
        lambda: _nested(2_000),
        Fails("No page was found in this saved page"),
    ),
    _mail(
        "mhtml-many-parts",
        "30,000 parts behind the page",
        lambda: saved(more="--b\r\nContent-Type: image/png\r\n\r\nx\r\n" * 30_000),
        KEPT,
    ),
    _mail(
        "mhtml-many-headers",
        "50,000 headers before the page",
        lambda: saved(headers="X-A: b\r\n" * 50_000),
        KEPT,
    ),
    _mail(
        "mhtml-long-header",
        "a header of 2 MB",
        lambda: saved(headers="X-A: " + "b" * 2_000_000 + "\r\n"),
        KEPT,
    ),
    _mail(
        "mhtml-no-boundary",
        "parts without a mark between them",
        lambda: saved(head=_HEAD.replace('; boundary="b"', "")),
        Fails("No page was found in this saved page"),
    ),
    _mail(
        "mhtml-no-page",
        "a message without a page",
        (_HEAD + "--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\n").encode,
        Fails("No page was found in this saved page"),
    ),
    _mail(
        "mhtml-broken-base64",
        "a page packed in a broken way",
        lambda: saved(encoding="base64").replace(b"PHA+", b"P*\xffA+"),
        Gives(()),
    ),
    _mail(
        "mhtml-unknown-encoding",
        "a page packed in a way nobody knows",
        lambda: saved(encoding="x-evil"),
        KEPT,
    ),
    _mail(
        "mhtml-location-outside",
        "a page that says it lies in the reader's files",
        lambda: saved("<a href=x>link</a>", "Content-Location: file:///etc/passwd\r\n"),
        Gives(("before", "link", "after"), without=("etc/",)),
    ),
    _mail(
        "mhtml-encoded-words",
        "headers of encoded words without end",
        lambda: saved(headers="Subject: " + "=?utf-8?q?=00?= " * 30_000 + "\r\n"),
        Gives(("before", "after"), without=("\0",)),
    ),
    _mail(
        "mhtml-comments-in-headers",
        "a type with 20,000 open parentheses",
        lambda: saved(headers="Content-Language: " + "(" * 20_000 + "\r\n"),
        KEPT,
    ),
    _apple(
        "webarchive-plain",
        "a web archive with nothing wrong but its address, which is a claim",
        lambda: _archive(HTML.format("").encode()),
        KEPT,
    ),
    _apple(
        "webarchive-cut-short",
        "a web archive that ends early",
        lambda: _archive(HTML.format("").encode())[:-30],
        Fails("The file is damaged"),
    ),
    _apple(
        "webarchive-cyclic",
        "a web archive that contains itself",
        lambda: (
            b"bplist00\xa1\x00WebMainResource\x08"
            + b"\0" * 6
            + b"\1\1"
            + b"\0" * 7
            + b"\1"
            + b"\0" * 15
            + b"\x19"
        ),
        Fails("The file is damaged"),
    ),
)
