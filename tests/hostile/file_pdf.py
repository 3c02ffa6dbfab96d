"""PDF files, written by hand."""

import zlib
from collections.abc import Callable

from tests.hostile.cases import BytesCase, Case, Fails, Gives, Outcome

DAMAGED = Fails("This PDF is damaged or incomplete")
NO_MEMORY = Fails("needs more memory than the limit of 1 GB")
KEPT = Gives(("before", "after"))
TEXT = b"BT /F 12 Tf 72 700 Td (before and some more words of this page) Tj 0 -20 Td (and after) Tj ET"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def written(objects: dict[int, bytes], trailer: bytes = b"") -> bytes:
    """A PDF of these objects, the first of which is its catalogue."""
    parts, places, position = [b"%PDF-1.7\n"], {}, 9
    for number, content in objects.items():
        places[number] = position
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        position += len(parts[-1])
    size = max(objects) + 1
    rows = b"".join(
        b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
        for number in range(size)
    )
    end = b"xref\n0 %d\n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n"
    return b"".join([*parts, end % (size, rows, size, trailer, position)])


def stream(content: bytes, entries: bytes = b"", *, packed: bool = False) -> bytes:
    """A stream object."""
    body = zlib.compress(content) if packed else content
    filters = b"/Filter/FlateDecode" if packed else b""
    return b"<</Length %d%s%s>>\nstream\n%s\nendstream" % (len(body), filters, entries, body)


def one_page(
    content: bytes = stream(TEXT), page: bytes = b"", catalogue: bytes = b"", **more: bytes
) -> bytes:
    """A PDF with one page; ``more`` are objects by names such as ``o6``."""
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue,
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>%s>>"
        % (page or b">>"),
        4: content,
        5: FONT,
    }
    return written(objects | {int(name[1:]): content for name, content in more.items()})


def _kids(kids: bytes, count: int, **more: bytes) -> bytes:
    objects = {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count)}
    return written(objects | {int(name[1:]): content for name, content in more.items()})


def _deep_tree(levels: int) -> bytes:
    objects = {1: b"<</Type/Catalog/Pages 10 0 R>>", 4: stream(TEXT), 5: FONT}
    for level in range(levels):
        objects[10 + level] = b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (11 + level)
    objects[10 + levels] = (
        b"<</Type/Page/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
    )
    return written(objects)


def _pdf(
    name: str, what: str, make: Callable[[], bytes], outcome: Outcome, content_type: str = "application/pdf"
) -> BytesCase:
    return BytesCase(name, what, make, outcome, content_type=content_type, filename=f"{name}.pdf")


CASES: tuple[Case, ...] = (
    _pdf("pdf-says-html", "a PDF sent as a page", one_page, KEPT, "text/html"),
    _pdf(
        "pdf-after-html",
        "a page before a PDF, as some viewers accept it: it is the page it begins with",
        lambda: b"<html><script>alert(1)</script><p>page before and after</p></html>\n" + one_page(),
        Gives(("before",), not_in_html=("<script",)),
        "text/html",
    ),
    _pdf(
        "pdf-then-html",
        "a PDF with a page behind it",
        lambda: one_page() + b"<html><script>alert(1)</script>",
        Gives(("before", "after"), without=("alert(1)",)),
        "text/html",
    ),
    _pdf("pdf-header-only", "nothing but the first line", lambda: b"%PDF-1.7\n", DAMAGED),
    _pdf(
        "pdf-of-noise",
        "noise behind the first line",
        lambda: b"%PDF-1.7\n" + bytes(range(256)) * 400,
        DAMAGED,
    ),
    _pdf("pdf-cut-short", "the first half of a file", lambda: one_page()[:300], DAMAGED),
    _pdf(
        "pdf-without-table",
        "a file whose table of objects is gone: it is mended",
        lambda: one_page().partition(b"xref")[0] + b"trailer<</Root 1 0 R>>",
        KEPT,
    ),
    _pdf(
        "pdf-cyclic-tree",
        "a page tree that contains itself",
        lambda: _kids(b"2 0 R", 1),
        Fails("This PDF is damaged or incomplete"),
    ),
    _pdf(
        "pdf-cyclic-tree-of-two",
        "two page nodes that contain each other",
        lambda: _kids(b"3 0 R", 5, o3=b"<</Type/Pages/Kids[2 0 R]/Parent 2 0 R/Count 5>>"),
        Fails("This PDF is damaged or incomplete"),
    ),
    _pdf(
        "pdf-deep-tree",
        "a page under 20,000 nodes",
        lambda: _deep_tree(20_000),
        Fails("This PDF is damaged or incomplete"),
    ),
    _pdf("pdf-no-pages", "a file without pages", lambda: _kids(b"", 0), Fails("This PDF has no pages")),
    _pdf(
        "pdf-million-pages",
        "a tree that says it has a million pages",
        lambda: _kids(b"3 0 R", 1_000_000, o3=b"<</Type/Page>>"),
        Fails("This PDF has 1,000,000 pages; at most 20,000 can be read"),
    ),
    _pdf(
        "pdf-negative-pages",
        "a tree that says it has minus one page",
        lambda: _kids(b"3 0 R", -1, o3=b"<</Type/Page/Parent 2 0 R>>"),
        Fails("There is no text in this PDF"),
    ),
    _pdf(
        "pdf-cyclic-table",
        "a table of objects that continues in itself",
        lambda: one_page().replace(b"/Root", b"/Prev 9/Root"),
        KEPT,
    ),
    _pdf(
        "pdf-recursive-form",
        "a form that draws itself",
        lambda: one_page(
            stream(TEXT + b" /X Do"),
            b"/XObject<</X 6 0 R>>>>",
            o6=stream(
                b"/X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>"
            ),
        ),
        KEPT,
    ),
    _pdf(
        "pdf-recursive-form-twice",
        "a form that draws itself twice",
        lambda: one_page(
            stream(TEXT + b" /X Do"),
            b"/XObject<</X 6 0 R>>>>",
            o6=stream(
                b"/X Do /X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>"
            ),
        ),
        NO_MEMORY,
    ),
    _pdf(
        "pdf-forms-in-forms",
        "forms that draw the next one ten times, nine deep",
        lambda: one_page(
            stream(TEXT + b" /X Do"),
            b"/XObject<</X 6 0 R>>>>",
            **{
                f"o{n}": stream(
                    b"/X Do " * 10,
                    b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>" % (n + 1),
                )
                for n in range(6, 15)
            },
            o15=stream(b"0 0 m 1 1 l S", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"),
        ),
        NO_MEMORY,
    ),
    _pdf(
        "pdf-stream-bomb",
        "a page whose 100 MB of blanks are packed into 100 kB",
        lambda: one_page(stream(TEXT + b" " * 100_000_000, packed=True)),
        KEPT,
    ),
    _pdf(
        "pdf-million-lines",
        "a page with 300,000 lines drawn",
        lambda: one_page(stream(TEXT + b" 0 0 m 9 9 l S" * 300_000, packed=True)),
        Gives(("before",)),
    ),
    _pdf(
        "pdf-many-words",
        "a page with 100,000 words on one spot",
        lambda: one_page(
            stream(TEXT + b" BT /F 9 Tf 72 600 Td" + b" (w) Tj" * 100_000 + b" ET", packed=True)
        ),
        Fails("A page of this PDF is made of more pieces than can be read"),
    ),
    _pdf(
        "pdf-huge-page",
        "a page a billion points wide",
        lambda: one_page().replace(b"[0 0 600 800]", b"[0 0 1e9 1e9]"),
        KEPT,
    ),
    _pdf(
        "pdf-upside-down-page",
        "a page box with its corners swapped and no area",
        lambda: one_page().replace(b"[0 0 600 800]", b"[600 800 0 0]"),
        KEPT,
    ),
    _pdf(
        "pdf-scripts",
        "scripts and programs that start with the file",
        lambda: one_page(
            catalogue=b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/AA<</WC<</S/Launch/F(cmd.exe)>>>>"
        ),
        Gives(("before", "after"), without=("app.alert", "cmd.exe")),
    ),
    _pdf(
        "pdf-script-link",
        "a link that is a script",
        lambda: one_page(
            page=b">>/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 600 800]/A<</S/URI/URI(javascript:alert\\(1\\))>>>>]"
        ),
        Gives(("before", "after"), without=("javascript",)),
    ),
    _pdf(
        "pdf-cyclic-outline",
        "bookmarks that follow themselves",
        lambda: one_page(
            catalogue=b"/Outlines 6 0 R",
            o6=b"<</First 7 0 R/Last 7 0 R/Count 9>>",
            o7=b"<</Title(x)/Parent 6 0 R/Next 7 0 R/First 7 0 R/Dest[3 0 R/Fit]>>",
        ),
        KEPT,
    ),
    _pdf(
        "pdf-locked",
        "a file locked in a way that does not exist",
        lambda: written(
            {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[]/Count 0>>"},
            b"/Encrypt<</Filter/Evil/V 99/R 99>>",
        ),
        Fails("This PDF is locked in a way that cannot be opened"),
    ),
    _pdf(
        "pdf-with-password",
        "a file that a password protects",
        lambda: written(
            {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[]/Count 0>>"},
            b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(%s)/U(%s)>>/ID[(a)(a)]" % (b"o" * 32, b"u" * 32),
        ),
        Fails("This PDF is protected by a password"),
    ),
    _pdf(
        "pdf-without-text",
        "a page with nothing on it",
        lambda: one_page(stream(b"")),
        Fails("There is no text in this PDF"),
    ),
    _pdf(
        "pdf-title-of-a-megabyte",
        "a title of 1 MB with NUL and commands",
        lambda: one_page(o6=b"<</Title(%s)>>" % (b"t\\000\x1b" * 300_000)).replace(
            b"/Root 1", b"/Info 6 0 R/Root 1"
        ),
        Gives(("before", "after"), without=("\0", "\x1b")),
    ),
    _pdf(
        "pdf-odd-characters",
        "text whose characters mean NUL, surrogates and private signs",
        lambda: one_page(
            o5=b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
            o6=stream(
                b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n"
                b"3 beginbfchar <78> <0000> <79> <d800> <7a> <e000> endbfchar endcmap"
            ),
        ).replace(b"(and after)", b"(and xyz after)"),
        Gives(("before", "after"), without=("\0",)),
    ),
)
