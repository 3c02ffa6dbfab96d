"""Time: shapes that cost more the longer they are, and dates that cannot be."""

from collections.abc import Callable

from tests.hostile.cases import BytesCase, Case, Fails, Gives, documentation, page
from webrag_desktop.ingestion.reading_process.process import Reading

KEPT = Gives(("before", "after"))
MANY = 100_000


def _undated(read: Reading) -> bool:
    return read.document.published_time is None and read.document.modified_time is None


def _date(name: str, what: str, stated: str) -> BytesCase:
    head = f"<meta property='article:published_time' content='{stated}'><meta name=last-modified content='{stated}'>"
    return documentation(
        name,
        what,
        f"{head}<p>before<p>after",
        Gives(("before", "after"), check=_undated, also="without a date"),
    )


def _text(name: str, what: str, make: Callable[[], str], content_type: str = "text/markdown") -> BytesCase:
    def body() -> bytes:
        return f"before\n\n{make()}\n\nafter".encode()

    return BytesCase(name, what, body, KEPT, content_type=content_type)


CASES: tuple[Case, ...] = (
    _text("regex-links", "100,000 beginnings of markdown links", lambda: "[a](http://" * MANY),
    _text("regex-images", "100,000 beginnings of images in links", lambda: "[![](" * MANY),
    _text("regex-autolinks", "100,000 beginnings of addresses in brackets", lambda: "<http://" * MANY),
    _text(
        "regex-parentheses",
        "an address with 50,000 open parentheses",
        lambda: "[a](http://x/" + "(a" * 50_000,
    ),
    _text("regex-backslashes", "300,000 backslashes in brackets", lambda: "[" + "\\" * 300_000 + "]("),
    _text("regex-emphasis", "200,000 stars and underlines", lambda: "*_" * MANY + "a" + "_*" * MANY),
    _text(
        "regex-backticks",
        "code marks of every length up to 1,000",
        lambda: " ".join("`" * n for n in range(1_000)),
    ),
    _text("regex-table-rules", "a table rule of 200,000 dashes and bars", lambda: "a|b\n" + "-|" * MANY),
    _text("regex-fences", "30,000 open fences", lambda: "```\n~~~\n" * 30_000),
    _text("regex-front-matter", "front matter that never ends", lambda: "---\n" + "title: x\n" * MANY),
    _text("regex-html-blocks", "100,000 beginnings of comments and tags", lambda: "<!-- <a <div\n" * MANY),
    _text(
        "regex-references",
        "30,000 reference definitions",
        lambda: "\n".join(f"[{n}]: http://x/{n}" for n in range(30_000)),
    ),
    _text("regex-rules-of-lines", "100,000 lines of = and -", lambda: "a\n=\n-\n" * 33_000),
    _text(
        "regex-tabs",
        "300,000 tabs and blanks at line ends",
        lambda: (" \t" * 1_500 + "\n") * 100 + " \t" * 150_000,
    ),
    page(
        "regex-charset",
        "a charset declaration that never ends",
        lambda: "<meta charset='" + "x" * 500_000 + "<p>before",
        Fails("No text was found on the page"),
    ),
    page(
        "regex-prolog",
        "100,000 XML declarations before the page",
        lambda: "<?xml ?>" * MANY + "<p>before<p>after",
        KEPT,
    ),
    page(
        "regex-doctype",
        "a document type of 1 MB",
        lambda: "<!DOCTYPE " + "x" * 1_000_000 + "><p>before<p>after",
        KEPT,
    ),
    documentation(
        "quadratic-unclosed-tags",
        "100,000 tags that never end",
        lambda: "<p>before after<p>" + "<a " * MANY,
        Gives(("before",)),
    ),
    page(
        "quadratic-unknown-references",
        "half a million character references that nobody knows, in one paragraph",
        lambda: "<p>before" + "&bogus" * 500_000 + "<p>after",
        KEPT,
    ),
    documentation(
        "quadratic-references",
        "half a million ampersands by number, in one paragraph",
        lambda: "<p>before" + "x&#38;" * 500_000 + "<p>after",
        KEPT,
    ),
    page(
        "quadratic-references-in-an-address",
        "half a million character references that nobody knows, in the address of a link",
        lambda: "<p>before <a href='x?" + "&bogus" * 500_000 + "'>words</a><p>after",
        Gives(("before", "words", "after"), not_in_html=("bogus",)),
    ),
    documentation(
        "quadratic-equation-numbers",
        "half a million blanks where the number of an equation stands",
        lambda: (
            "<p>before<table><tr><td><math alttext='a+b'><mi>a</mi></math><td>("
            + "&nbsp;" * 500_000
            + "</table><p>after"
        ),
        Gives(("before", "after")),
    ),
    page(
        "quadratic-references-in-a-description",
        "half a million character references that nobody knows, in the description of an image",
        lambda: "<p>before <img src=i.png alt='" + "&bogus" * 500_000 + "'><p>after",
        Gives(("before", "after"), not_in_html=("bogus",)),
    ),
    documentation(
        "quadratic-references-in-an-anchor",
        "half a million character references that nobody knows, in the anchor of a heading",
        lambda: "<p>before<h2 id='" + "&bogus" * 500_000 + "'>words</h2><p>after",
        Gives(("before", "words", "after"), not_in_html=("bogus",)),
    ),
    documentation(
        "quadratic-references-in-a-container",
        "half a million character references that nobody knows, in the class of a quotation",
        lambda: "<p>before<blockquote class='" + "&bogus" * 500_000 + "'><p>words</blockquote><p>after",
        Gives(("before", "words", "after"), not_in_html=("bogus",)),
    ),
    page(
        "quadratic-items-without-a-list",
        "25,000 list items outside of any list, after as many paragraphs",
        lambda: "<p>before" + "<p>x" * 25_000 + "<li>y" * 25_000 + "<p>after",
        KEPT,
    ),
    documentation(
        "quadratic-tables-in-cells",
        "2,000 tables, each in a cell of the one before",
        lambda: "<p>before" + "<table><tr><td>x" * 2_000 + "<p>after",
        KEPT,
    ),
    documentation(
        "quadratic-foster-parents",
        "100,000 words between table rows, each of which moves out",
        lambda: "<p>before<table>" + "<tr>x" * MANY + "</table><p>after",
        KEPT,
    ),
    documentation(
        "quadratic-formatting",
        "200 open formats before 200 paragraphs, each of which reopens them all",
        lambda: "<p>before" + "".join(f"<b id=b{n}>" for n in range(200)) + "<p>x" * 200 + "<p>after",
        KEPT,
    ),
    documentation(
        "quadratic-anchors",
        "5,000 headings with anchors to each other",
        lambda: (
            "<p>before"
            + "".join(f"<h2 id=h{n}>h<a href=#h{n} class=headerlink>¶</a></h2>" for n in range(5_000))
            + "<p>after"
        ),
        KEPT,
    ),
    documentation(
        "quadratic-inline-math",
        "20,000 formulas",
        lambda: "<p>before" + "<span class='math'>\\(x\\)</span> " * 20_000 + "<p>after",
        KEPT,
    ),
    documentation(
        "quadratic-dollar-signs", "200,000 dollar signs", lambda: "<p>before" + "$a$ " * MANY + "after", KEPT
    ),
    documentation(
        "quadratic-superscripts",
        "50,000 superscripts side by side",
        lambda: "<p>before" + "<sup>1</sup>" * 50_000 + "after",
        KEPT,
    ),
    documentation(
        "quadratic-admonitions",
        "5,000 warnings",
        lambda: (
            "<p>before"
            + "<div class='admonition warning'><p class=admonition-title>Warning<p>x</div>" * 5_000
            + "<p>after"
        ),
        KEPT,
    ),
    page(
        "article-of-two-megabytes",
        "an article of 2 MB in 2,500 paragraphs without any marks of documentation",
        lambda: (
            "<article><h1>Title</h1><p>before"
            + ("<p>" + "Some more words of it, and some. " * 23) * 2_500
            + "<p>after</article>"
        ),
        KEPT,
    ),
    page(
        "article-of-wrappers",
        "5,000 words, each in five elements of its own",
        lambda: "<p>before" + "<div><div><span><b><i>word</i></b></span></div></div>" * 5_000 + "<p>after",
        KEPT,
    ),
    _date("date-in-the-future", "a page of the year 9999", "9999-12-31T23:59:59Z"),
    _date("date-before-the-web", "a page of the year 0001", "0001-01-01"),
    _date("date-impossible", "the 31st of February", "2024-02-31"),
    _date("date-of-many-digits", "a year of 5,000 digits", "1" * 5_000),
    _date("date-overflow", "a time zone of a thousand hours", "2024-01-01T00:00:00+999:99"),
    _date("date-script", "a date that is a script", "<script>alert(1)</script>"),
)
