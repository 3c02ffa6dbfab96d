r"""Formulas that a page leaves to a script (``\(…\)``, attributes), that are only drawn, or laid out in tables."""

import pytest

from tests.support.captures import extracted, text_of
from webrag_desktop.models.documents import Block, NormalizedDocument

RENDERED = '<script src="https://cdn.example.org/mathjax@3/tex-mml-chtml.js"></script>'
DOLLARS = "<script>MathJax = {tex: {inlineMath: [['$', '$']]}};</script>" + RENDERED


def block_of(document: NormalizedDocument, words: str) -> Block:
    return next(block for block in document.blocks if words in text_of(document, block))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"where \(a_1 + a_2\) holds", "where $a_1 + a_2$ holds"),
        (r"where \[ \int_0^1 f(x)\,dx \] holds", r"where $$\int_0^1 f(x)\,dx$$ holds"),
        (r"where $$\sum_i x_i$$ holds", r"where $$\sum_i x_i$$ holds"),
        (
            r"where \begin{equation} a = b \end{equation} holds",
            r"where $$\begin{equation} a = b \end{equation}$$ holds",
        ),
        (r"\(x\) and \(y\), which both count", "$x$ and $y$, which both count"),
    ],
)
def test_latex_among_the_words_is_a_formula(written: str, read: str) -> None:
    document = extracted(f"<p>{written}</p>{RENDERED}")
    assert document.markdown.startswith(read)
    assert document.blocks[0].flags.has_math


def test_single_dollars_are_formulas_where_the_page_says_so() -> None:
    words = "<p>from $x_1$ on it costs $5 or $6</p>"
    assert "from $x_1$ on it costs" in extracted(words + DOLLARS).markdown
    assert not extracted(words).blocks[0].flags.has_math


def test_latex_that_no_script_renders_is_a_formula_where_it_looks_like_one() -> None:
    assert extracted(r"<p>where \(a^2 = b\) holds</p>").markdown.startswith("where $a^2 = b$ holds")
    document = extracted(r"<p>write \( and \) for groups, and \[ or \] for sets</p>")
    assert not document.blocks[0].flags.has_math


@pytest.mark.parametrize(
    "code", [r"<code>\(a_1\)</code>", r"<pre>\(a_1\)</pre>", r"<span class=tex2jax_ignore>\(a_1\)</span>"]
)
def test_code_is_no_formula(code: str) -> None:
    document = extracted(f"<p>Written:</p>{code}{RENDERED}")
    assert "$" not in document.markdown
    assert r"\(a_1" in document.markdown.replace("\\\\", "\\")


def test_a_display_with_line_breaks_is_one_formula() -> None:
    document = extracted(r"<p>\[<br>a = b + c<br>\]</p>" + RENDERED)
    assert document.markdown.startswith("$$a = b + c$$")


@pytest.mark.parametrize(
    ("formula", "read"),
    [
        ('<span class="katex" data-math="x^2 + 1"></span>', "$x^2 + 1$"),
        ('<span class="math-inline" data-tex="\\frac{a}{b}"><span>a over b</span></span>', r"$\frac{a}{b}$"),
        ('<div class="equation" data-latex="E = mc^2"></div>', "$$E = mc^2$$"),
    ],
)
def test_formulas_in_attributes_are_read(formula: str, read: str) -> None:
    document = extracted(f"<div>Where {formula} holds.</div>")
    assert read in document.markdown
    assert any(block.flags.has_math for block in document.blocks)


def level(words: str) -> str:
    return f'<span style="top:-3em;"><span class="pstrut"></span><span class="mord">{words}</span></span>'


def stack(*levels: str, lowered: bool = False) -> str:
    t2 = " vlist-t2" if lowered else ""
    return (
        f'<span class="vlist-t{t2}"><span class="vlist-r"><span class="vlist">{"".join(map(level, levels))}</span>'
        '<span class="vlist-s">\u200b</span></span></span>'
    )


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (f'c<span class="msupsub">{stack("2")}</span>', "$c^{2}$"),
        (f'a<span class="msupsub">{stack("i", lowered=True)}</span>', "$a_{i}$"),
        (f'a<span class="msupsub">{stack("i", "2", lowered=True)}</span>', "$a_{i}^{2}$"),
        (
            f'<span class="mfrac">{stack("b", "<span class=frac-line></span>", "a", lowered=True)}</span>',
            r"$\frac{a}{b}$",
        ),
        (f'<span class="mord sqrt">{stack("x")}</span>', r"$\sqrt{x}$"),
        ("α≤β", r"$\alpha\leq\beta$"),
    ],
)
def test_what_katex_drew_is_read_where_there_is_nothing_else(drawn: str, read: str) -> None:
    base = f'<span class="base">{drawn}</span>'
    katex = f'<span class="katex"><span class="katex-html" aria-hidden="true">{base}</span></span>'
    assert f"Where {read} holds." in extracted(f"<p>Where {katex} holds.</p>").markdown


@pytest.mark.parametrize(
    ("mathml", "read"),
    [
        ("<msqrt><mi>x</mi></msqrt>", r"\sqrt{x}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt[3]{x}"),
        ("<mfrac><mn>1</mn><mi>n</mi></mfrac>", r"\frac{1}{n}"),
        ("<msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup>", "a_{i}^{2}"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            r"\sum_{i = 1}^{n}i",
        ),
    ],
)
def test_mathml_without_tex_becomes_latex(mathml: str, read: str) -> None:
    document = extracted(f"<p>Where <math>{mathml}</math> holds.</p>")
    assert f"${read}$" in document.markdown
    assert f"<math>{mathml}</math>" in (document.blocks[0].html or "")


MASS = '<math alttext="E=mc^{2}" display="block"><mi>E</mi></math>'
PAD = '<td class="ltx_eqn_cell ltx_eqn_center_padleft"></td>'
NUMBER = '<td class="ltx_eqn_cell ltx_eqn_eqno"><span class="ltx_tag">(1.2)</span></td>'


def test_equations_in_tables_are_displayed_formulas_with_their_numbers() -> None:
    rows = f"<tr>{PAD}<td>{MASS}</td>{PAD}{NUMBER}</tr>"
    document = extracted(f'<p>Before.</p><table class="ltx_equation">{rows}</table><p>Behind.</p>')
    assert "Before.\n\n$$E=mc^{2} \\tag{1.2}$$\n\nBehind." in document.markdown
    block = block_of(document, "$$")
    assert MASS in (block.html or "")
    assert block.flags.has_math
    assert not block.flags.has_table


@pytest.mark.parametrize("number", ["1.2", "(1.2)", " (\u00a01.2\n)\u00a0", "(\u20031.2", "1.2)  "])
def test_the_number_of_an_equation_may_have_blanks_around_it(number: str) -> None:
    document = extracted(f"<table><tr><td>{MASS}</td><td>{number}</td></tr></table>")
    assert document.markdown.startswith("$$E=mc^{2} \\tag{1.2}$$")


@pytest.mark.parametrize("beside", ["(1 2)", "12 km", "(see 1.2)", "((1.2))"])
def test_other_words_beside_a_formula_are_no_number(beside: str) -> None:
    document = extracted(f"<table><tr><td>{MASS}</td><td>{beside}</td></tr></table>")
    assert "\\tag" not in document.markdown
    assert beside in document.markdown


def test_the_sides_of_an_equation_are_one_formula() -> None:
    left, right = '<math alttext="a"><mi>a</mi></math>', '<math alttext="=b+c"><mi>b</mi></math>'
    rows = f"<tr>{PAD}<td>{left}</td><td>{right}</td>{PAD}</tr>" * 2
    document = extracted(f"<table>{rows}</table>")
    assert document.markdown.startswith("$$a =b+c$$\n\n$$a =b+c$$")


def test_a_table_of_data_with_formulas_stays_a_table() -> None:
    row = f"<tr><td>energy</td><td>{MASS}</td></tr>"
    assert "| energy |" in extracted(f"<table>{row}{row}</table>").markdown
