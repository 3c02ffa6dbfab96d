"""Formulas in a block's HTML: MathML stays as it is, what MathJax and KaTeX draw beside it goes."""

import pytest

from tests.support.captures import extracted, text_of

MATHML = "<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"


@pytest.mark.parametrize(
    "formula",
    [
        '<mjx-container class="MathJax" jax="CHTML"><mjx-math class="MJX-TEX"><mjx-mi>DRAWN</mjx-mi></mjx-math>'
        f"<mjx-assistive-mml>{MATHML}</mjx-assistive-mml></mjx-container>",
        '<mjx-container class="MathJax" jax="SVG"><svg><text>DRAWN</text></svg>'
        f"<mjx-assistive-mml>{MATHML}</mjx-assistive-mml></mjx-container>",
        '<span class="MathJax"><nobr aria-hidden="true">DRAWN</nobr>'
        f'<span class="MJX_Assistive_MathML">{MATHML}</span></span>',
        '<span class="mjx-chtml MathJax_CHTML"><span class="mjx-math" aria-hidden="true">DRAWN</span>'
        f'<span class="MJX_Assistive_MathML">{MATHML}</span></span>',
        '<span class="MathJax_SVG"><svg><text>DRAWN</text></svg>'
        f'<span class="MJX_Assistive_MathML">{MATHML}</span></span>',
        f'<span class="MathJax_Preview">DRAWN</span>{MATHML}',
        f'<span class="katex"><span class="katex-mathml">{MATHML}</span>'
        '<span class="katex-html">DRAWN</span></span>',
        f'<span class="mwe-math-element">{MATHML}<img class="mwe-math-fallback-image-inline" alt="DRAWN"></span>',
    ],
    ids=["chtml", "svg", "html-css", "chtml-2", "svg-2", "preview", "katex", "mediawiki"],
)
def test_mathml_stays_and_what_is_drawn_goes(formula: str) -> None:
    document = extracted(f"<h1>Halves</h1><p>Where {formula} holds.</p>")
    (block,) = [block for block in document.blocks if "Where" in text_of(document, block)]
    assert block.flags.has_math
    assert MATHML in (block.html or "")
    assert "DRAWN" not in (block.html or "") + document.markdown
    assert "<mjx-" not in (block.html or "")


def test_of_a_formula_that_is_only_drawn_its_characters_stay() -> None:
    document = extracted(
        "<h1>Halves</h1><p>Where <mjx-container><mjx-mi>x</mjx-mi></mjx-container> holds.</p>"
    )
    (block,) = [block for block in document.blocks if "Where" in text_of(document, block)]
    assert (block.flags.has_math, block.html) == (True, "<p>Where x holds.</p>")


def test_containers_in_each_other_lose_no_formula() -> None:
    nested = f"<mjx-container><mjx-container>{MATHML}</mjx-container></mjx-container>"
    document = extracted(f"<h1>Halves</h1><p>Where {nested} holds.</p>")
    (block,) = [block for block in document.blocks if "Where" in text_of(document, block)]
    assert MATHML in (block.html or "")


@pytest.mark.parametrize("around", ["{}", "<main>{}</main>", "<div>{}</div>"])
def test_displayed_formula_that_is_a_block_keeps_its_mathml(around: str) -> None:
    displayed = MATHML.replace("<math>", '<math display="block">')
    document = extracted(around.format(f"<h1>Halves</h1><p>Before it.</p>{displayed}<p>Behind it.</p>"))
    (block,) = [block for block in document.blocks if "$$" in text_of(document, block)]
    assert block.html == displayed
    assert displayed in (document.html or "")
    others = {text_of(document, one): one.html for one in document.blocks if one is not block}
    assert others["Behind it."] == "<p>Behind it.</p>"
