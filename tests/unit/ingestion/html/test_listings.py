"""Code as it was written, whatever shows it: lines in boxes, numbered lines, tables of lines; its language."""

import pytest

from tests.support.captures import check_document, extracted, page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

CODE = "p = 61\nq = 53\n\nn = p * q"
LINES = CODE.split("\n")
PROSE = [
    "Two primes are chosen first, and nobody but their owner may ever get to know either of the two.",
    "Their product is published, since nobody knows how to take a long product apart in good time.",
    "The rest is counting: the totient, an exponent that is open to all, and its inverse that is not.",
]


def boxed(before: str = "", after: str = "") -> str:
    return "".join(f"<div>{before}{line}{after}</div>" for line in LINES)


def numbered(form: str) -> str:
    return "\n".join(form.format(number=number) + line for number, line in enumerate(LINES, 1))


def rows(form: str) -> str:
    return "".join(form.format(number=number, line=line) for number, line in enumerate(LINES, 1))


GUTTER = "<br>".join(str(number) for number in range(1, len(LINES) + 1))


@pytest.mark.parametrize(
    "listing",
    [
        f"<figure><pre><code>{boxed()}</code></pre></figure>",
        f"<pre><ol>{rows('<li>{line}</li>')}</ol></pre>",
        f"<pre><code>{numbered('<span class=line-number>{number}</span>')}</code></pre>",
        f"<pre><code>{numbered('<span class=linenumber>{number} </span>')}</code></pre>",
        f"<pre><code>{numbered('<span class=ln>{number}</span>')}</code></pre>",
        f"<pre><code>{numbered('<span class=abc123>{number}</span>')}</code></pre>",
        f"<pre><code>{numbered('<i style=color:gray>{number}:</i>')}</code></pre>",
        "<pre><code>" + numbered("<span class='line number'>{number}</span>") + "</code></pre>",
        "<pre><code>" + rows("<span class=row><span class=x1>{number}</span>{line}\n</span>") + "</code></pre>",
        "<pre><code>" + rows("<div class=row><span class=x1>{number}</span>{line}</div>") + "</code></pre>",
        f"<table><tr><td><pre>{GUTTER}</pre></td><td><pre>{CODE}</pre></td></tr></table>",
        f"<table><tr><td class=g1>1\n2\n3\n4</td><td><div><pre>{CODE}</pre></div></td></tr></table>",
        "<table>" + rows("<tr><td>{number}</td><td><code>{line}</code></td></tr>") + "</table>",
        "<table class=js-file-line-container>"
        + rows("<tr><td class=blob-num data-line-number={number}></td><td class=blob-code>{line}</td></tr>")
        + "</table>",
    ],
)  # fmt: skip
def test_the_lines_of_a_listing_are_those_that_were_written(listing: str) -> None:
    assert (
        f"\n\n```\n{CODE}\n```\n\nBehind it."
        in extracted(f"<p>Before it.</p>{listing}<p>Behind it.</p>").markdown
    )


@pytest.mark.parametrize(
    "code",
    [
        "<span>1</span>\n<span>2</span>\n<span>3</span>",  # nothing behind the numbers
        "x = [<span>1</span>, <span>2</span>, <span>3</span>]",
        "<span>1</span> one\n<span>4</span> four\n<span>9</span> nine",
        "        <span>0</span>\n\n    <span>1</span>       <span>2</span>\n\n  <span>3</span>   <span>4</span>",
    ],
)
def test_numbers_that_are_the_code_stay(code: str) -> None:
    plain = code.replace("<span>", "").replace("</span>", "")
    assert f"```\n{plain}\n```" in extracted(f"<pre>{code}</pre>").markdown


@pytest.mark.parametrize("of_code", ["number", "mi", "hljs-number", "token number", "dv", "nu0", "pl-c1"])
def test_what_a_highlighter_calls_a_number_is_none_of_a_line(of_code: str) -> None:
    rows = [
        f'<span class="{of_code}">{number}</span>  {name}' for number, name in enumerate(("a", "b", "c"), 1)
    ]
    assert "```\n1  a\n2  b\n3  c\n```" in extracted("<pre>" + "\n".join(rows) + "</pre>").markdown


def test_a_blank_mark_before_the_number_of_a_line_does_not_keep_it() -> None:
    listing = numbered("<span class=mark>&nbsp;</span><span class=ord>{number}</span>")
    assert "\n p = 61\n q = 53\n" in extracted(f"<pre>{listing}</pre>").markdown


def test_a_table_of_two_listings_stays_a_table() -> None:
    markdown = extracted(
        "<table><tr><th>Before<th>After</tr><tr><td><code>a</code><td><code>b</code></tr>"
        "<tr><td><code>c</code><td><code>d</code></tr><tr><td><code>e</code><td><code>f</code></tr></table>"
    ).markdown
    assert "| `c` | `d` |" in markdown


@pytest.mark.parametrize(
    ("listing", "language"),
    [
        ("<div class='highlight highlight-source-ts'><pre>{}</pre></div>", "ts"),
        ("<div class='highlight highlight-text-html'><pre>{}</pre></div>", "html"),
        (
            "<figure class='highlight js'><table><tr><td class=gutter><pre>1</pre></td><td class=code>"
            "<pre>{}</pre></td></tr></table></figure>",
            "js",
        ),
        ("<div class='highlight highlight-source-c++'><pre>{}</pre></div>", "c++"),
        ("<pre class='sourceCode haskell'><code class='sourceCode haskell'>{}</code></pre>", "haskell"),
        ("<pre class='brush: java; toolbar: false'>{}</pre>", "java"),
        ("<pre class=EnlighterJSRAW data-enlighter-language=php>{}</pre>", "php"),
        ("<div class='highlight dark'><pre>{}</pre></div>", ""),
    ],
)
def test_the_language_is_the_one_that_is_named(listing: str, language: str) -> None:
    assert f"```{language}\nlet x\n```" in extracted(listing.format("let x")).markdown


ARTICLE = '<meta property="og:type" content="article"><title>Secrets of two primes</title>'


def article(*parts: str) -> NormalizedDocument:
    menu = "".join(f"<li><a href='/{number}'>Menu entry {number}</a></li>" for number in range(9))
    body = "".join(parts)
    document = extract(
        page_capture(
            f"<html><head>{ARTICLE}</head><body><ul>{menu}</ul><div class=post>"
            f"<h1>Secrets of two primes</h1>{body}</div>"
            f"<div class=more><h3>More to read</h3><ul>{menu}</ul></div></body></html>"
        )
    )
    check_document(document)
    return document


def paragraph(number: int) -> str:
    return f"<p>{PROSE[number]} {PROSE[number]}</p>"


TABLE = (
    "<table><tr><th>Step</th><th>Value</th></tr><tr><td>n</td><td>3233</td></tr>"
    "<tr><td>e</td><td>17</td></tr></table>"
)


def test_articles_keep_code_and_tables_in_figures_and_boxes() -> None:
    document = article(
        paragraph(0),
        f"<figure><pre><code>{boxed()}</code></pre></figure>",
        f"<div class=wrap><div class=scroll>{TABLE}</div></div>",
        paragraph(1),
        f"<div class=box>{TABLE.replace('n</td>', 'm</td>')}</div>",
        paragraph(2),
        f"<figure><pre><code>{boxed()}# end</code></pre></figure>",
    )
    markdown = document.markdown
    assert markdown.count(CODE) == 2
    assert "| n | 3233 |" in markdown
    assert "| m | 3233 |" in markdown
    assert "Menu entry" not in markdown
    assert "More to read" not in markdown


def test_a_picture_beside_the_code_that_draws_it_is_no_gutter() -> None:
    picture = '<img src="ellipse.png" alt="">'
    cells = f"<td>{picture}</td><td><pre>{CODE}</pre></td>"
    markdown = extracted(f"<p>{PROSE[0]}</p><table><tr>{cells}</tr></table>").markdown
    assert "ellipse.png" in markdown
    assert "n = p \\* q" in markdown or "n = p * q" in markdown
