"""EPUB books, each with one thing wrong."""

from collections.abc import Callable

from tests.hostile.cases import BytesCase, Case, Fails, Gives, Outcome
from tests.hostile.packing import zipped

DAMAGED = Fails("The file is damaged")
UNSAFE = Fails("The file is not safe to read")
KEPT = Gives(("before", "after"))
_CHAPTER = (
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>c</title></head><body><h1>Chapter</h1>'
    "<p>before, in enough "
    "words to be a chapter of a book that somebody may want to read some day, and not its cover.</p>{}"
    "<p>after</p></body></html>"
)


def book(inside: str = "", *, chapter: str | None = None, item: str = "c.xhtml", root: str = "OEBPS/b.opf",
         references: int = 1, **more: bytes | str) -> dict[str, bytes | str]:  # fmt: skip
    """The entries of a book with one chapter; ``more`` replaces or adds entries, with ``__`` for ``/``."""
    spine = '<itemref idref="c"/>' * references
    entries: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        f'<rootfiles><rootfile full-path="{root}" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/b.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc='
        '"http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title></metadata><manifest>'
        f'<item id="c" href="{item}" media-type="application/xhtml+xml"/></manifest><spine>{spine}</spine></package>',
        "OEBPS/c.xhtml": chapter if chapter is not None else _CHAPTER.format(inside),
    }
    return entries | {name.replace("__", "/"): content for name, content in more.items()}


def _book(name: str, what: str, make: Callable[[], bytes], outcome: Outcome) -> BytesCase:
    return BytesCase(
        name,
        what,
        make,
        outcome,
        content_type="",
        filename=f"{name}.epub",
        url=f"file:///home/me/{name}.epub",
    )


def _bomb() -> str:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE x [<!ENTITY l0 "lol">{levels}]>'


CASES: tuple[Case, ...] = (
    _book(
        "epub-plain",
        "a book with nothing wrong, so that the others prove something",
        lambda: zipped(book()),
        KEPT,
    ),
    _book("epub-cut-short", "the first half of a book", lambda: zipped(book())[:600], DAMAGED),
    _book(
        "epub-scripts",
        "scripts, handlers and frames in a chapter",
        lambda: zipped(
            book(
                '<script>alert(1)</script><p onclick="alert(1)">x</p><iframe src="//evil.test"></iframe>'
                '<a href="javascript:alert(1)">y</a>'
            )
        ),
        Gives(("before", "after"), without=("alert(1)", "evil.test")),
    ),
    _book(
        "epub-entity-bomb",
        "a package whose entities unfold to gigabytes",
        lambda: zipped(book(OEBPS__b_opf="") | {"OEBPS/b.opf": _bomb() + "<package>&l9;</package>"}),
        UNSAFE,
    ),
    _book(
        "epub-external-entity",
        "a chapter with an entity that names a file of the reader",
        lambda: zipped(
            book(
                chapter='<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                + _CHAPTER.format("<p>&x;</p>")
            )
        ),
        UNSAFE,
    ),
    _book(
        "epub-package-outside",
        "a package that is said to lie outside the archive",
        lambda: zipped(book(root="../../../../etc/passwd")),
        KEPT,
    ),
    _book(
        "epub-chapter-outside",
        "a chapter that is said to lie outside the archive",
        lambda: zipped(book(item="../../../../etc/passwd")),
        Fails("No text was found in this book"),
    ),
    _book(
        "epub-chapter-on-the-web",
        "a chapter that lies on another computer",
        lambda: zipped(book(item="https://evil.test/c.xhtml")),
        Fails("No text was found in this book"),
    ),
    _book(
        "epub-chapter-many-times",
        "a reading order that names one chapter 50,000 times",
        lambda: zipped(book(references=50_000)),
        KEPT,
    ),
    _book(
        "epub-without-package",
        "a book whose package is missing",
        lambda: zipped({name: content for name, content in book().items() if name != "OEBPS/b.opf"}),
        DAMAGED,
    ),
    _book(
        "epub-locked",
        "a book that is protected against copying",
        lambda: zipped(
            book()
            | {
                "META-INF/encryption.xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
                '<e:EncryptedData><e:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><e:CipherData>'
                '<e:CipherReference URI="OEBPS/c.xhtml"/></e:CipherData></e:EncryptedData></encryption>'
            }
        ),
        Fails("protected against copying"),
    ),
    _book("epub-zip-bomb", "a chapter of 120 MB of blanks", lambda: zipped(book(" " * 120_000_000)), UNSAFE),
    _book(
        "epub-broken-chapter",
        "a chapter that is no XML at all",
        lambda: zipped(
            book(chapter="<html><body><p>before <b>words & more <p>after of a chapter" + " words" * 60)
        ),
        KEPT,
    ),
    _book(
        "epub-deep-chapter",
        "a chapter with 100,000 elements in each other",
        lambda: zipped(book("<div>" * 100_000 + "</div>" * 100_000)),
        UNSAFE,
    ),
    _book(
        "epub-empty-chapter",
        "a book without words",
        lambda: zipped(book(chapter="<html xmlns='http://www.w3.org/1999/xhtml'><body/></html>")),
        Fails("No text was found in this book"),
    ),
)
