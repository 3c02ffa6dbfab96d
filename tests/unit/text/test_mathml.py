"""MathML as LaTeX."""

import pytest
from turbohtml import Element, parse_fragment

from webrag_desktop.text.mathml import DEEPEST, LONGEST, latex_of


def math(inner: str, attributes: str = "") -> Element:
    element = parse_fragment(f"<math {attributes}>{inner}</math>").select_one("math")
    assert element is not None
    return element


X2 = "<msup><mi>x</mi><mn>2</mn></msup>"


@pytest.mark.parametrize(
    ("inner", "latex"),
    [
        (X2, "x^{2}"),
        (
            f"{X2}<mo>+</mo><mfrac><mn>1</mn><msqrt><mi>α</mi></msqrt></mfrac>",
            r"x^{2} + \frac{1}{\sqrt{\alpha}}",
        ),
        ("<mi>α</mi><mi>x</mi><mo>⁢</mo><mi>Γ</mi><mi>Α</mi>", r"\alpha x\Gamma Α"),
        ("<mi>sin</mi><mo>⁡</mo><mi>x</mi><mo>≤</mo><mn>1</mn>", r"\sin x \leq 1"),
        ("<mi>Var</mi><mi mathvariant='bold'>v</mi>", r"\mathrm{Var}\mathbf{v}"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
            "<msub><mi>x</mi><mi>i</mi></msub>",
            r"\sum_{i = 1}^{n}x_{i}",
        ),
        (
            "<munder><mi>lim</mi><mi>n</mi></munder><msubsup><mi>a</mi><mi>n</mi><mn>3</mn></msubsup>",
            r"\lim_{n}a_{n}^{3}",
        ),
        ("<mroot><mi>x</mi><mn>3</mn></mroot><mover><mi>x</mi><mo>¯</mo></mover>", r"\sqrt[3]{x}\bar{x}"),
        (
            "<mover><mi>x</mi><mi>d</mi></mover><munder><mi>y</mi><mi>k</mi></munder>",
            r"\overset{d}{x}\underset{k}{y}",
        ),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a, b]"),
        ("<mfenced><mi>a</mi></mfenced><mo>|</mo><mi>A</mi><mo>|</mo>", "(a)|A|"),
        (
            "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mn>1</mn></mtd></mtr><mtr><mtd><mi>c</mi></mtd></mtr></mtable>",
            r"\begin{matrix} a & 1 \\ c \end{matrix}",
        ),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", r"\binom{n}{k}"),
        ("<mtext> if 5% </mtext><mo>{</mo><mi>_</mi><mo>−</mo>", r"\text{if 5\%}\{\_-"),
        (
            "<mmultiscripts><mi>X</mi><mi>a</mi><mi>b</mi><mprescripts></mprescripts><mi>c</mi><none></none>"
            "</mmultiscripts>",
            "{}_{c}X_{a}^{b}",
        ),
        ("<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup>", "{a + b}^{2}"),
        ("<mi>x</mi>tail<mphantom><mi>y</mi></mphantom><unknown><mi>z</mi></unknown>", "xtailz"),
        ("<msup><mi>x</mi></msup><mfrac></mfrac><msub></msub>", r"x\frac{}{}"),
        ("", ""),
        ("<mspace></mspace>", ""),
    ],
)
def test_elements_become_latex(inner: str, latex: str) -> None:
    assert latex_of(math(inner)) == latex


def test_what_a_formula_says_of_itself_comes_first() -> None:
    annotation = '<annotation encoding="application/x-tex">\\( \\alpha\n  ^2 \\)</annotation>'
    assert latex_of(math(f"<semantics>{X2}{annotation}</semantics>", 'alttext="y"')) == r"\alpha ^2"
    assert latex_of(math(X2, 'alttext="$$y^2$$"')) == "y^2"
    assert (
        latex_of(math(f'<semantics>{X2}<annotation encoding="application/x-tex"> </annotation></semantics>'))
        == "x^{2}"
    )


def test_what_is_nested_or_long_beyond_reason_is_given_by_its_characters() -> None:
    nested = "<msqrt>" * (DEEPEST + 20) + "<mi>x</mi>" + "</msqrt>" * (DEEPEST + 20)
    assert latex_of(math(nested)).count("\\sqrt") == DEEPEST
    tables = "<mtable><mtr><mtd>" * 40 + "<mi>x</mi>" + "</mtd></mtr></mtable>" * 40
    assert "x" in latex_of(math(tables))
    assert latex_of(math("<msup><mi>x</mi><mi>y</mi></msup>" * LONGEST)) == "xy" * LONGEST
