"""Size: much of one thing, in pages that are small to send."""

import json

from tests.hostile.cases import BytesCase, Case, Fails, Gives, documentation, page
from webrag_desktop.ingestion.reading_process.process import Reading

KEPT = Gives(("before", "after"))


def _short_title(read: Reading) -> bool:
    return len(read.document.title or "") <= 500


def _bounded(read: Reading) -> bool:
    return len(read.document.markdown) < 2_000_000


def _flight(rows: str) -> str:
    """A page that stands in flight data alone."""
    written = json.dumps(rows).replace("</", "\\u003c/")
    return f"<div id=root></div><script>self.__next_f.push([1,{written}])</script>"


def _multiplied() -> str:
    """Two thousand rows that each hold the next one six times, and a text of 100 kB that is asked for 5,000 times."""
    again = ",".join(['"$L{0:x}"', '"${0:x}:props:children"'] * 3)
    rows = (
        f'{number:x}:["$","div",null,{{"children":[{again.format(number + 1)}]}}]\n'
        for number in range(1, 2_000)
    )
    markup = '["$","i",null,{"dangerouslySetInnerHTML":{"__html":"$ffff"}}],' * 5_000
    text = f"<p>before {'word ' * 20_000}after.</p>"
    return _flight(f'ffff:T{len(text):x},{text}0:["$1",{markup}null]\n' + "".join(rows))


CASES: tuple[Case, ...] = (
    BytesCase(
        "hundred-megabytes-of-elements",
        "100 MB of <p>x, forty million nodes",
        lambda: b"<p>x" * 25_000_000,
        Fails("needs more memory than the limit of 1 GB"),
    ),
    BytesCase(
        "small-memory",
        "20 MB of <p>x where only 200 MB of memory are allowed",
        lambda: b"<p>x" * 5_000_000,
        Fails("needs more memory than the limit of 200 MB"),
        memory_mb=200,
    ),
    documentation(
        "one-line-of-ten-megabytes",
        "10 MB without a line break",
        lambda: "<p>before " + "word " * 2_000_000 + "after",
        KEPT,
    ),
    documentation(
        "one-word-of-ten-megabytes",
        "10 MB without a space",
        lambda: "<p>before " + "w" * 10_000_000 + " after",
        KEPT,
    ),
    BytesCase(
        "text-line-of-ten-megabytes",
        "a text file that is one line of 10 MB",
        lambda: b"before " + b"w" * 10_000_000 + b" after",
        KEPT,
        content_type="text/plain",
    ),
    BytesCase(
        "text-of-tiny-paragraphs",
        "a text file of 50,000 one-letter paragraphs",
        lambda: b"before" + b"\n\nx" * 50_000 + b"\n\nafter",
        KEPT,
        content_type="text/plain",
    ),
    documentation(
        "title-of-one-megabyte",
        "a <title> and a heading of 1 MB each",
        lambda: f"<title>{'t' * 1_000_000}</title><h1>{'h' * 1_000_000}</h1><p>before<p>after",
        Gives(("before", "after"), check=_short_title, also="its title cut to 500 characters"),
    ),
    documentation(
        "hundred-thousand-attributes",
        "an element with 100,000 attributes",
        lambda: "<p " + " ".join(f"a{number}=b" for number in range(100_000)) + ">before<p>after",
        KEPT,
    ),
    documentation(
        "attribute-of-ten-megabytes",
        "a title attribute of 10 MB",
        lambda: f"<p title='{'t' * 10_000_000}'>before<p>after",
        KEPT,
    ),
    documentation(
        "class-of-a-million-names",
        "a class attribute with a million names",
        lambda: f"<p class='{'c ' * 1_000_000}'>before<p>after",
        KEPT,
    ),
    documentation(
        "comment-of-ten-megabytes",
        "a comment of 10 MB of dashes",
        lambda: f"<p>before<!--{'-' * 10_000_000}--><p>after",
        KEPT,
    ),
    documentation(
        "comment-without-end",
        "a comment that never ends",
        lambda: "<p>before after<!--" + "<!-- " * 500_000,
        KEPT,
    ),
    page(
        "comments-before-the-page",
        "200,000 comments before the document type",
        lambda: "<!-- - -->" * 200_000 + "<!doctype html><p>before<p>after",
        KEPT,
    ),
    documentation(
        "hundred-thousand-columns",
        "a table row of 100,000 cells",
        lambda: "<p>before<table><tr>" + "<td>x" * 100_000 + "</table><p>after",
        KEPT,
    ),
    page(
        "nine-hundred-thousand-cells",
        "a table of 9,000 rows of 100 cells",
        lambda: "<p>before<table>" + ("<tr>" + "<td>x" * 100) * 9_000 + "</table><p>after",
        KEPT,
    ),
    documentation(
        "fifteen-thousand-rows",
        "a table of 15,000 rows",
        lambda: "<p>before<table>" + "<tr><td>x<td>y" * 15_000 + "</table><p>after",
        KEPT,
    ),
    documentation(
        "colspan-65534",
        "cells that cover 65534 columns and as many rows",
        lambda: (
            "<p>before<table><tr><td colspan=65534 rowspan=65534>x" + "<tr><td>y" * 200 + "</table><p>after"
        ),
        Gives(("before", "after"), check=_bounded, also="under 2 MB long"),
    ),
    documentation(
        "rowspans-everywhere",
        "2,000 cells that all reach 60,000 rows down",
        lambda: "<p>before<table>" + "<tr><td rowspan=60000>x" * 2_000 + "</table><p>after",
        Gives(("before", "after"), check=_bounded, also="under 2 MB long"),
    ),
    documentation(
        "merged-cells-beyond-measure",
        "40,000 rows of cells 100 columns wide",
        lambda: "<table>" + "<tr><td colspan=100>y<td colspan=100>z" * 40_000 + "</table>",
        Fails("The page holds a table larger than can be read"),
    ),
    documentation(
        "fifty-thousand-links",
        "50,000 links",
        lambda: "<p>before" + "<a href=x>y</a>" * 50_000 + "<p>after",
        KEPT,
    ),
    documentation(
        "links-against-a-long-base",
        "20,000 links relative to a base of 100,000 characters",
        lambda: f"<base href='http://{'a' * 100_000}/'><p>before" + "<a href=x>y</a>" * 20_000 + "<p>after",
        KEPT,
    ),
    documentation(
        "fifty-thousand-list-items",
        "a list of 50,000 items",
        lambda: "<p>before<ul>" + "<li>x" * 50_000 + "</ul><p>after",
        KEPT,
    ),
    documentation(
        "five-thousand-definitions",
        "5,000 terms with definitions",
        lambda: "<p>before<dl>" + "<dt>t<dd>d" * 5_000 + "</dl><p>after",
        KEPT,
    ),
    documentation(
        "ten-thousand-headings",
        "10,000 headings",
        lambda: "<p>before" + "<h2>x</h2>" * 10_000 + "<p>after",
        KEPT,
    ),
    page(
        "prose-and-lists-of-links",
        "an article of 20,000 paragraphs, each before a list of one link",
        lambda: (
            '<meta property="og:type" content="article"><div>'
            + "".join(
                f"<p>This is what was seen before the lake, in the morning, and after the lake at night: {at} herons."
                f"<ul><li><a href=/{at % 9}>One two three four {at % 9}</a></ul>"
                for at in range(20_000)
            )
        ),
        KEPT,
    ),
    documentation("line-breaks", "100,000 <br>", lambda: "<p>before" + "<br>" * 100_000 + "after", KEPT),
    documentation(
        "entities", "200,000 character references", lambda: "<p>before" + "&amp;" * 200_000 + "after", KEPT
    ),
    documentation(
        "backticks",
        "code of 500,000 backticks, which every fence must outdo",
        lambda: "<p>before<pre>" + "`" * 500_000 + "</pre><p>after",
        KEPT,
    ),
    documentation(
        "markdown-signs",
        "330,000 signs that markdown must escape",
        lambda: "<p>before" + "*_`[]()<>#|\\" * 30_000 + "<p>after",
        KEPT,
    ),
    documentation(
        "list-from-beyond-numbers",
        "lists that start at numbers of 30 digits and below zero",
        "<p>before<ol start=999999999999999999999999999999><li>x</ol><ol start=-99999999999><li>y</ol><p>after",
        KEPT,
    ),
    documentation(
        "data-address-of-ten-megabytes",
        "an image whose address is 10 MB of data",
        lambda: f"<p>before<img alt=pic src='data:image/png;base64,{'A' * 10_000_000}'><p>after",
        Gives(("before", "after"), without=("data:image",)),
    ),
    documentation(
        "srcset-of-a-hundred-thousand",
        "an image with 100,000 candidates",
        lambda: "<p>before<img alt=pic srcset='" + "a.png 1x, " * 100_000 + "'><p>after",
        KEPT,
    ),
    documentation(
        "metadata-flood",
        "100,000 meta elements and 2,000 JSON-LD objects with dates",
        lambda: (
            "<meta name=date content=2020-01-01>" * 100_000
            + '<script type="application/ld+json">{"datePublished": "2020-01-01"}</script>' * 2_000
            + "<p>before<p>after"
        ),
        KEPT,
    ),
    page(
        "flight-data-that-multiplies",
        "React's flight data whose rows hold each other 6^2,000 times, and a text of 100 kB 5,000 times",
        _multiplied,
        Gives(("before", "after"), check=_bounded, also="under 2 MB long"),
    ),
    page(
        "flight-data-in-a-circle",
        "flight data of 100,000 rows within each other, the last of which holds the first",
        lambda: _flight(
            "".join(
                f'{n:x}:["$","div",null,{{"children":"$L{(n + 1) % 100_000:x}"}}]\n' for n in range(100_000)
            )
        ),
        Fails("only with JavaScript"),
    ),
)
