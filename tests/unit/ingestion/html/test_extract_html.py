"""How pieces of HTML become blocks; each test is one rule."""

import pytest

from tests.support.captures import extracted, page_capture, text_of
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.html.tables import WIDEST_TABLE


def blocks_of(body: str) -> list[str]:
    """The markdown blocks of ``body``, without the filler."""
    document = extracted(body)
    return [text_of(document, block) for block in document.blocks][:-1]


@pytest.mark.parametrize("tag", ["p", "address", "figcaption", "summary", "dt", "li", "dd", "td", "div"])
def test_a_long_text_of_single_line_breaks_ends(tag: str) -> None:
    verse = [f"This is line {number} of a song that goes on and on." for number in range(60)]
    page = f"<{tag}>{'<br>'.join(verse)}</{tag}>"
    words = " ".join(blocks_of(f"<table><tr>{page}</tr></table>" if tag == "td" else page)).split()
    assert " ".join(verse) in " ".join(word for word in words if word not in {"-", "|"}).replace("**", "")


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<h2>A <em>b</em></h2><p>c</p>", ["## A *b*", "c"]),
        ("<div>one<p>two</p>three <b>four</b>!</div>", ["one", "two", "three **four**!"]),
        ("a<br>b<br><br>c", ["a\nb", "c"]),
        ("<div>one <!-- not a break --> <b>two</b></div>", ["one **two**"]),
        ("<p>x</p><hr><p>y</p>", ["x", "y"]),
        ("<p>one<em> </em>two<b><i>\n</i></b>three<b></b>!</p>", ["one two three!"]),
        ("<p>1. no list</p><p># no heading</p>", ["1\\. no list", "\\# no heading"]),
        ("<p>1.2 km and 3.4<br>1.5 s<br>2. no list", ["1.2 km and 3.4\n1.5 s\n2\\. no list"]),
        (r"<p>1\.2 with a backslash<p>1.&#1; km", [r"1\\.2 with a backslash", r"1\. km"]),
        (
            "<ol><li>2.5 km<li>7. x</ol><blockquote><p>3.4 m</p></blockquote>",
            ["1. 2.5 km\n2. 7\\. x", "> 3.4 m"],
        ),
        (r"<pre>a<br>1\.2</pre><p>see <code>1\.2</code></p>", ["```\na\n1\\.2\n```", r"see `1\.2`"]),
        (
            r"<table><tr><th>1. one<th>2.5<tr><td><p>1. a<p>2) b<td><code>1\.</code> 1\. x</table>",
            ["| 1. one | 2.5 |\n| --- | --- |\n| 1. a 2) b | `1\\.` 1\\\\. x |"],
        ),
        ("<ul><li>a<li>b<ol><li>c</ol></ul>", ["- a\n- b\n  1. c"]),
        ("<ol start=4><li>a<li>b</ol>", ["4. a\n5. b"]),
        ("<blockquote><p>a</p><p>b</p></blockquote>", ["> a\n>\n> b"]),
        ("<p>see <code>a`b</code></p>", ["see ``a`b``"]),
        ("<p>set max_depth, not *depth</p>", ["set max_depth, not \\*depth"]),
        ("<p>10<sup>-3</sup> and 1<sup>st</sup></p>", ["10^-3 and 1st"]),
        ("<p>fact<sup class=reference><a href='#n'>[1]</a></sup>.</p>", ["fact."]),
        ("<p><a href='../x?q=1#y'>words</a></p>", ["[words](https://example.org/x?q=1#y)"]),
        ("<p><a href='javascript:alert(1)'>words</a></p>", ["words"]),
        ("<p><a href='jAvA\tscript:alert(1)'>words</a></p>", ["words"]),
        ("<p><img src=a.png alt='A picture'></p>", ["![A picture](https://example.org/dir/a.png)"]),
        ("<p>x <img src='data:image/png;base64,AAAA' alt='dot'></p>", ["x dot"]),
        (
            "<p><img data-src=/b.png src='data:image/gif;base64,R0' alt=b></p>",
            ["![b](https://example.org/b.png)"],
        ),
        (
            "<figure><img src=/f.png alt=f><figcaption>Cap</figcaption></figure>",
            ["![f](https://example.org/f.png)\n\nCap"],
        ),
        ("<details><summary>More</summary><p>inside</p></details>", ["More", "inside"]),
        ("<p>a\u2028b\x0bc&#13;d</p>", ["a b c d"]),
        ("<p hidden>gone</p><p style='display:none'>gone</p><p>kept</p>", ["kept"]),
        ("<a href='/card'><h3>Card</h3><p>text</p></a>", ["### Card", "text"]),
        ("<my-element><p>custom</p></my-element>", ["custom"]),
        ("<table role=presentation><tr><td><p>left</p><td><p>right</p></table>", ["left", "right"]),
        ("<h1>  </h1><p>x</p>", ["x"]),
        (
            "<p><i>schema</i><b>.</b> x<b>&gt;=</b>y <b>bold</b> a<i>b</i>c</p>",
            ["*schema*. x\\>=y **bold** a*b*c"],
        ),
        (
            "<p><b>one</b><b>two</b> 中文<b>「强」</b>中文 <em>(so)</em>.</p>",
            ["**one**two 中文「强」中文 *(so)*."],
        ),
        ("<dl><dt><h2>Part</h2><dd>a<dt>b<dd>c</dl>", ["## Part", "a", "**b**\n\nc"]),
        ("<table class=indextable><tr><td><ul><li>a</ul><td><ul><li>b</ul></table>", ["- a", "- b"]),
    ],
)
def test_conversion(html: str, blocks: list[str]) -> None:
    assert blocks_of(html) == blocks


@pytest.mark.parametrize(
    ("html", "fence"),
    [
        ("<pre>a\n  b\n\n\nc</pre>", "```\na\n  b\n\n\nc\n```"),
        ("<pre><code class='language-rust'>fn</code></pre>", "```rust\nfn\n```"),
        ("<pre class='brush: java;'>x</pre>", "```java\nx\n```"),
        (
            "<div class='highlight-python3 notranslate'><div class=highlight><pre>x</pre></div></div>",
            "```python\nx\n```",
        ),
        ("<div class='highlight-default'><div class=highlight><pre>x</pre></div></div>", "```\nx\n```"),
        (
            "<div class='highlight-default'><div class=highlight><pre>&gt;&gt;&gt; x</pre></div></div>",
            "```pycon\n>>> x\n```",
        ),
        ("<pre data-lang=go>x</pre>", "```go\nx\n```"),
        ("<pre>a<br>b</pre>", "```\na\nb\n```"),
        ("<pre>```\ninner\n```</pre>", "````\n```\ninner\n```\n````"),
    ],
)
def test_code_becomes_a_fence_with_its_language(html: str, fence: str) -> None:
    document = extracted(html)
    assert text_of(document, document.blocks[0]) == fence
    assert document.blocks[0].flags.has_code


def test_base_addresses_are_honoured() -> None:
    document = extracted(
        "<p><a href=b>x</a></p>", head="<meta name=generator content=Sphinx><base href='/other/'>"
    )
    assert document.links[0].url == "https://example.org/other/b"
    assert document.links[0].text == "x"


def test_lines_of_code_in_a_cell_stay_apart() -> None:
    html = "<table><tr><th>A<th>B</tr><tr><td><pre>a<br>b</pre><td>c</tr><tr><td>d<td>e</tr></table>"
    document = extracted(html)
    assert "| `a b` | c |" in document.markdown
    assert "<pre>a\nb</pre>" in (document.blocks[0].html or "")


@pytest.mark.parametrize("merged", ["", " rowspan=1"])
def test_a_table_ends_at_its_widest(merged: str) -> None:
    row = "".join(f"<td{merged}>{number}</td>" for number in range(WIDEST_TABLE + 5))
    lines = blocks_of(f"<table><tr>{row}</tr><tr>{row}</tr></table>")[0].split("\n")
    assert {line.count("|") for line in lines} == {WIDEST_TABLE + 1}


def test_merged_cells_are_repeated() -> None:
    html = (
        "<table><caption>Cap</caption><tr><th>A<th>B|C<th>D</tr><tr><td rowspan=2>1<td colspan=2>2</tr>"
        "<tr><td>3<td><ul><li>4<li>5</ul></tr></table>"
    )
    assert blocks_of(html) == [
        "Cap\n\n| A | B\\|C | D |\n| --- | --- | --- |\n| 1 | 2 | 2 |\n| 1 | 3 | - 4 - 5 |"
    ]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<math><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></math>", "$x_1$"),
        ("<math alttext='a^2'><mi>a</mi></math>", "$a^2$"),
        ("<math display=block><mi>q</mi></math>", "$$q$$"),
        ("<span class='math notranslate'>\\(\\alpha_1 * b\\)</span>", "$\\alpha_1 * b$"),
        ("<div class=math>\\[\\sum_i\nx\\]</div>", "$$\\sum_i x$$"),
        ("<script type='math/tex'>e=mc^2</script>", "$e=mc^2$"),
        (
            "<span class=MathJax_Preview>e=</span><span class=MathJax>E</span>"
            "<script type='math/tex; mode=display'>e=mc^2</script>",
            "$$e=mc^2$$",
        ),
        (
            "<span class=katex><span class=katex-mathml><math><semantics><mi>y</mi><annotation"
            " encoding='application/x-tex'>y</annotation></semantics></math></span>"
            "<span class=katex-html aria-hidden=true>y</span></span>",
            "$y$",
        ),
        (
            "<mjx-container><mjx-math aria-hidden=true><mjx-mi>z</mjx-mi></mjx-math>"
            "<mjx-assistive-mml><math><mi>z</mi></math></mjx-assistive-mml></mjx-container>",
            "$z$",
        ),
        (
            "<span class=mwe-math-element><span class=mwe-math-mathml-inline style='display: none;'><math"
            " alttext='{\\displaystyle w}'><mi>w</mi></math></span><img class=mwe-math-fallback-image-inline"
            " src=w.svg alt='{\\displaystyle w}'></span>",
            "${\\displaystyle w}$",
        ),
        ("<img class=math src=m.png alt='\\frac12'>", "$\\frac12$"),
    ],
)
def test_formulas_are_latex_once_and_flagged(html: str, markdown: str) -> None:
    document = extracted(f"<p>Let {html}.</p>" if not markdown.startswith("$$") else html)
    text = text_of(document, document.blocks[0])
    assert text == (markdown if markdown.startswith("$$") else f"Let {markdown}.")
    assert document.blocks[0].flags.has_math


def test_terms_are_blocks_with_their_definitions() -> None:
    document = extracted(
        "<dl><dt id=t1>One</dt><dt>Uno</dt><dd>first</dd><dt id=t2>Two</dt><dd><p>a</p><p>b</p></dd></dl>"
    )
    first, second = document.blocks[:2]
    assert text_of(document, first) == "**One**\n\n**Uno**\n\nfirst"
    assert text_of(document, second) == "**Two**\n\na\n\nb"
    assert (first.anchor, second.anchor) == ("t1", "t2")
    assert first.html == '<dl><dt id="t1">One</dt><dt>Uno</dt><dd>first</dd></dl>'
    assert first.flags.has_definition_list


def test_long_definitions_come_apart_but_stay_definitions() -> None:
    prose = "<p>" + "long words " * 100 + "</p>"
    document = extracted(f"<dl class=py><dt>signature()</dt><dd>{prose}<pre>code</pre>{prose}</dd></dl>")
    texts = [text_of(document, block) for block in document.blocks[:4]]
    assert texts[0] == "**signature()**"
    assert texts[2] == "```\ncode\n```"
    assert all(block.flags.has_definition_list for block in document.blocks[:4])
    assert (document.blocks[1].html or "").startswith('<dl class="py"><dd><p>long')


def test_long_lists_come_in_numbered_parts() -> None:
    items = "".join(f"<li>item {number} of a long list</li>" for number in range(1, 501))
    document = extracted(f"<ol id=list>{items}</ol>")
    parts = [block for block in document.blocks if block.flags.has_steps]
    assert len(parts) > 10
    assert max(block.char_end - block.char_start for block in parts) < 1500
    lines = "\n".join(text_of(document, block) for block in parts).split("\n")
    assert lines == [f"{number}. item {number} of a long list" for number in range(1, 501)]
    assert all((block.html or "").startswith("<ol") for block in parts)


def test_long_quotes_come_in_quoted_parts() -> None:
    document = extracted("<blockquote>" + ("<p>" + "quoted " * 120 + "</p>") * 4 + "</blockquote>")
    parts = document.blocks[:-1]
    assert len(parts) == 4
    assert all(text_of(document, block).startswith("> quoted") for block in parts)
    assert all((block.html or "").startswith("<blockquote><p>") for block in parts)


def test_headings_in_quotes_open_no_section() -> None:
    document = extracted("<h1>Top</h1><blockquote><h2>Quoted</h2><p>x</p></blockquote><p>after</p>")
    assert {block.heading_path for block in document.blocks} == {("Top",)}


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<h2 id=own>T</h2>", "own"),
        ("<section id=sec><h2>T</h2></section>", "sec"),
        (
            "<section id=sec><span id=alias></span><h2>T<a class=headerlink href='#sec'>¶</a></h2></section>",
            "sec",
        ),
        ("<h2><span class=mw-headline id=inner>T</span></h2>", "inner"),
        ("<h2><a name=old></a>T</h2>", "old"),
        ("<a name=before></a><h2>T</h2>", "before"),
        ("<p><a id=far></a></p><h2>T</h2>", "far"),
        ("<h2><a id=user-content-t class=anchor href='#t'></a>T</h2>", "t"),
    ],
)
def test_the_nearest_anchor(html: str, anchor: str) -> None:
    document = extracted(html + "<p>follows</p>")
    assert [block.anchor for block in document.blocks[:2]] == [anchor, anchor]
    assert text_of(document, document.blocks[0]) == "## T"


@pytest.mark.parametrize(
    ("html", "flag"),
    [
        ("<div class='admonition note'><p class=admonition-title>Note</p><p>x</p></div>", "has_admonition"),
        ("<div class='alert alert-warning'>careful</div>", "has_admonition"),
        ("<p>Tip</p>", "has_admonition"),
        ("<p><strong>See also:</strong></p>", "has_admonition"),
        ("<div class=deprecated><p>Deprecated since version 1.2: use y</p></div>", "has_admonition"),
        ("<table><tr><th>a<tr><td>b</table>", "has_table"),
        ("<ol><li>do</ol>", "has_steps"),
        ("<ul><li>a<ol><li>do</ol></ul>", "has_steps"),
        ("<dl><dt>a<dd>b</dl>", "has_definition_list"),
        ("<pre>x</pre>", "has_code"),
        ("<mjx-container>x</mjx-container>", "has_math"),
        ("<span class=MathJax_SVG_x>x</span>", "has_math"),
    ],
)
def test_flags(html: str, flag: str) -> None:
    document = extracted(html)
    assert getattr(document.blocks[0].flags, flag)
    others = document.blocks[-1].flags.model_dump()
    assert not any(others.values())


@pytest.mark.parametrize(
    "html",
    [
        "<p class=footnote>A footnote.</p>",
        "<p>Note that this is prose.</p>",
        "<p class=mathjax_ignore>prose</p>",
        "<p class=aftermath>prose</p>",
        "<p>In 1. and 2. it is not a list; a | b - c</p>",
        "<p>inline <code>code</code></p>",
        "<p>&lt;table&gt; &lt;math&gt;</p>",
    ],
)
def test_flags_that_must_not_rise(html: str) -> None:
    assert not any(extracted(html).blocks[0].flags.model_dump().values())


def test_permalinks_leave_no_trace() -> None:
    document = extracted("<h2 id=a>One <a href='#a'>#</a></h2><h2 id=b><a href='#b'>Two</a></h2>")
    assert [text_of(document, block) for block in document.blocks[:2]] == ["## One", "## Two"]
    assert document.links == ()


def test_links_are_listed_with_the_position_of_their_block() -> None:
    document = extracted(
        "<p>x</p><p>a <a href='/one'>One</a> <a href='/two'><b>Two</b></a> <a href='#f'>f</a></p>"
    )
    found = [(link.url, link.text) for link in document.links]
    assert found == [
        ("https://example.org/one", "One"),
        ("https://example.org/two", "Two"),
        ("https://example.org/dir/page#f", "f"),
    ]
    assert {link.char_start for link in document.links} == {document.blocks[1].char_start}


def test_each_block_of_a_link_around_blocks_has_its_own_words() -> None:
    document = extracted("<p>x</p><a href='/one'><div>First.</div><div>Second.</div><h3>Third</h3></a>")
    assert [(link.url, link.text) for link in document.links] == [
        ("https://example.org/one", "First."),
        ("https://example.org/one", "Second."),
        ("https://example.org/one", "Third"),
    ]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<p>Größe “ü” €".encode(), "text/html; charset=utf-8"),
        ("<p>Größe “ü” €".encode("cp1252"), "text/html; charset=windows-1252"),
        ("<p>Größe “ü” €".encode("cp1252"), "text/html; charset=iso-8859-1"),
        ("<meta charset=windows-1252><p>Größe “ü” €".encode("cp1252"), "text/html"),
        ("<p>Größe “ü” €".encode(), "text/html"),
        ("<p>Größe “ü” €".encode(), "text/html; charset=no-such-thing"),
        ("\ufeff<p>Größe “ü” €".encode("utf-16"), "text/html; charset=utf-8"),
        ("\ufeff<p>Größe “ü” €".encode(), "text/html; charset=windows-1252"),
    ],
)
def test_charsets(body: bytes, content_type: str) -> None:
    assert extract(page_capture(body, content_type=content_type)).markdown == "Größe “ü” €"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("2<sup>10n</sup>", "2^(10n)"),
        ("2<sup>n</sup>", "2^n"),
        ("2<sup>n</sup>m", "2^(n)m"),
        ("10<sup>-3</sup> m", "10^-3 m"),
        ("e<sup>x<sup>2</sup></sup>", "e^(x^2)"),
        ("(a+b)<sup>n+1</sup>", "(a+b)^(n+1)"),
        ("the 2<sup>nd</sup>, 3<sup>rd</sup> and 4<sup>TH</sup>", "the 2nd, 3rd and 4TH"),
        ("Word<sup>TM</sup> and Na<sup>+</sup>", "WordTM and Na\\+"),
        ("a fact<sup>[12]</sup>", "a fact\\[12\\]"),
        ("small <sup>print above</sup>", "small print above"),
        ("H<sub>2</sub>O and C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>", "H2O and C6H12O6"),
        ("log<sub>2</sub>8", "log_(2)8"),
        ("1011<sub>2</sub>", "1011_2"),
        ("x<sub>i</sub> and n<sub>i+1</sub>", "x_i and n_(i+1)"),
        ("x<sub>i</sub>y", "x_(i)y"),
        ("see <sub>below</sub>", "see below"),
    ],
)
def test_raised_and_lowered_characters_keep_their_meaning(html: str, markdown: str) -> None:
    assert blocks_of(f"<p>{html}</p>") == [markdown]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h3><button>What is it?</button></h3>", "### What is it?"),
        ("<h3><button><span>1.</span> What is it? <svg></svg></button></h3>", "### 1. What is it?"),
        ("<h3>What is it? <button>Copy</button></h3>", "### What is it?"),
        ("<details><summary><button>More</button></summary>x</details>", "More"),
        ("<dl><dt><button>Term</button><dd>x</dl>", "**Term**\n\nx"),
    ],
)
def test_headings_that_are_buttons(html: str, markdown: str) -> None:
    assert blocks_of(html)[0] == markdown


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<dl>before<dt>a<dd>b</dl>", ["before", "**a**\n\nb"]),
        ("<dl><dt>a</dt><dd>b</dd>be <b>tween</b><dt>c</dt><dd>d</dd>after</dl>",
         ["**a**\n\nb", "**c**\n\nd", "be **tween**", "after"]),
        ("<dl>only words</dl>", ["only words"]),
        ("<dl><div><dt>a</dt><dd>b</dd></div><p>note</p></dl>", ["**a**\n\nb", "note"]),
    ],
)  # fmt: skip
def test_loose_words_of_definition_lists_are_kept(html: str, blocks: list[str]) -> None:
    assert sorted(blocks_of(html)) == sorted(blocks)
    assert blocks_of(html)[0] == blocks[0]


def test_note_roles_are_admonitions_even_in_parts() -> None:
    prose = "<p>" + "quoted words " * 80 + "</p>"
    document = extracted(f"<div role=note>{prose * 3}</div>")
    assert all(block.flags.has_admonition for block in document.blocks[:3])
