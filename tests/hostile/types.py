"""Types that lie, and files that are two things at once."""

import codecs
import io
import zipfile

from tests.hostile.cases import BytesCase, Case, Fails, Gives, Outcome

HTML = b"<!doctype html><title>t</title><main><p>before and after, enough words for a page</p></main>"
KEPT = Gives(("before", "after"))


def _is(
    name: str,
    what: str,
    body: bytes,
    outcome: Outcome,
    content_type: str = "text/html",
    filename: str | None = None,
) -> BytesCase:
    return BytesCase(name, what, lambda: body, outcome, content_type=content_type, filename=filename)


def _zip(content: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


CASES: tuple[Case, ...] = (
    _is(
        "picture-says-html",
        "a PNG sent as a page",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        Fails("This is a picture"),
    ),
    _is(
        "gif-and-script",
        "a GIF that is JavaScript, too",
        b"GIF89a/*\0\0*/=1;alert(1)//<p>before after",
        Fails("This is a picture"),
        "text/javascript",
    ),
    _is(
        "jpeg-and-html",
        "a JPEG with a page in its comment",
        b"\xff\xd8\xff\xfe\0\x40" + HTML,
        Fails("This is a picture"),
    ),
    _is(
        "zip-and-html",
        "a page before a zip archive: it is read as the page it begins with",
        HTML + _zip({"a.txt": b"hidden"}),
        Gives(("before", "after")),
        "text/html",
    ),
    _is(
        "zip-of-files",
        "a zip archive of nothing that is a document",
        _zip({"a.html": HTML}),
        Fails("This is a ZIP archive, and that cannot be read"),
        "text/html",
    ),
    _is(
        "program",
        "a program sent as text",
        b"\x7fELF\x02\x01\x01" + b"\0" * 50,
        Fails("This is a program"),
        "text/plain",
    ),
    _is(
        "windows-program",
        "a Windows program named as a page",
        b"MZ\x90\0\x03\0\0\0" + b"\0" * 60,
        Fails("This is a program"),
        "",
        "page.html",
    ),
    _is(
        "video-says-html",
        "a video sent as a page",
        b"\0\0\0\x18ftypmp42" + b"\0" * 50,
        Fails("This is a video"),
    ),
    _is(
        "gzip-file",
        "a gzip file without Content-Encoding",
        b"\x1f\x8b\x08\0" + b"\0" * 50,
        Fails("This is a packed file"),
    ),
    _is(
        "old-office-file",
        "an old Word file named .docx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + "WordDocument".encode("utf-16-le"),
        Fails("This is an old Word file"),
        "",
        "report.docx",
    ),
    _is(
        "office-file-with-password",
        "an encrypted office file",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + "EncryptedPackage".encode("utf-16-le"),
        Fails("This is an office file with a password"),
        "",
        "report.docx",
    ),
    _is(
        "rtf-says-text",
        "RTF sent as text",
        b"{\\rtf1 before after}",
        Fails("This is an RTF document"),
        "text/plain",
    ),
    _is(
        "svg-page",
        "an SVG picture with a script",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        Fails("This is a picture"),
        "image/svg+xml",
    ),
    _is(
        "json",
        "data sent as JSON",
        b'{"before": "<script>alert(1)</script>"}',
        Fails("This kind of file cannot be read"),
        "application/json",
    ),
    _is(
        "xml-bomb-as-html",
        "XML entities that unfold to gigabytes, read as a page",
        b'<!DOCTYPE lolz [<!ENTITY lol "lol">'
        + b"".join(b'<!ENTITY l%d "%s">' % (n, (b"&l%d;" % (n - 1)) * 10) for n in range(1, 10))
        + b"]><p>before &l9; after",
        Gives(("before", "after")),
        "application/xhtml+xml",
    ),
    _is(
        "external-entity",
        "an entity that names a file of the reader",
        b'<?xml version="1.0"?><!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b"<html><p>before &x; after</p></html>",
        Gives(("before", "after"), without=("root:",)),
        "application/xhtml+xml",
    ),
    _is(
        "xml-stylesheet",
        "a page whose style sheet would rewrite it",
        b'<?xml version="1.0"?><?xml-stylesheet href="https://evil.test/x.xsl" type="text/xsl"?>' + HTML,
        Gives(("before", "after"), without=("evil.test",)),
        "application/xhtml+xml",
    ),
    _is(
        "text-that-is-html",
        "a page sent as plain text is read as a page, sanitised",
        b"<!doctype html><p>before <script>alert(1)</script> after",
        Gives(("before", "after"), without=("alert(1)",)),
        "text/plain",
    ),
    _is("html-says-picture", "a page sent as a picture is a page all the same", HTML, KEPT, "image/png"),
    _is(
        "type-of-a-megabyte",
        "a Content-Type of 100,000 characters",
        HTML,
        KEPT,
        "text/html; " + "x" * 100_000,
    ),
    _is(
        "type-with-newlines",
        "a Content-Type with line breaks and quotes",
        HTML,
        KEPT,
        'text/html;\r\n charset="utf-8\r\n',
    ),
    _is("empty", "no bytes at all", b"", Fails("No text was found on the page"), "text/html"),
    _is(
        "only-blanks",
        "a megabyte of blanks",
        b" \n\t" * 330_000,
        Fails("No text was found in the file"),
        "text/plain",
    ),
    _is(
        "only-byte-order-mark",
        "a byte order mark and nothing else",
        codecs.BOM_UTF8,
        Fails("No text was found in the file"),
        "text/plain",
    ),
    _is(
        "name-leads-outside",
        "a file whose name leads outside its folder: it is only a title",
        b"before after",
        Gives(("before", "after")),
        "text/plain",
        "../../../../etc/cron.d/evil.txt",
    ),
    _is(
        "name-with-nul",
        "a file name with NUL, line breaks and a turned direction",
        b"before after",
        Gives(("before", "after"), without=("\0",)),
        "text/plain",
        "a\0b\n\u202efdp.txt",
    ),
    _is(
        "shell-page",
        "a page that is nothing without its scripts",
        b"<div id=root></div><script src=app.js></script><noscript>Enable JavaScript</noscript>",
        Fails("The page shows its text only with JavaScript"),
    ),
    _is(
        "page-that-leads-on",
        "a page of nothing but its scripts and where it leads on to",
        b"<script>1</script><meta http-equiv=refresh content='0; url=//evil.test/'>",
        Fails("The page only leads on to another one"),
    ),
)
