"""Depth: elements, lists, quotes and tables nested far beyond what any page needs."""

from tests.hostile.cases import BytesCase, Case, Fails, Gives, documentation

DEEP = 200_000
KEPT = Gives(("before", "inside"))


def _nested(name: str, tag: str, outcome: Gives | Fails = KEPT) -> BytesCase:
    return documentation(
        name,
        f"{DEEP:,} open <{tag}>",
        lambda: f"<p>before</p>{f'<{tag}>' * DEEP}inside",
        outcome,
    )


def _markdown(name: str, what: str, text: str, outcome: Gives | Fails) -> BytesCase:
    return BytesCase(name, what, text.encode, outcome, content_type="text/markdown")


CASES: tuple[Case, ...] = (
    _nested("deep-div", "div"),
    _nested("deep-span", "span"),
    _nested("deep-bold", "b"),
    _nested("deep-font", "font"),
    _nested("deep-unordered-list", "ul><li"),
    _nested("deep-ordered-list", "ol><li"),
    _nested("deep-definition-list", "dl><dd"),
    _nested("deep-quote", "blockquote"),
    _nested("deep-table", "table><tr><td"),
    _nested("deep-details", "details"),
    _nested("deep-link", "a href=x"),
    _nested("deep-superscript", "sup"),
    _nested("deep-mathml", "math><mrow", Gives(("before",))),
    _nested("deep-svg", "svg><g", Gives(("before",))),
    _nested("deep-button", "button", Gives(("before",))),
    _nested("deep-template", "template", Gives(("before",))),
    documentation(
        "deep-misnested-formatting",
        "100,000 times <b><i></b></i>, which parsers must mend each time",
        lambda: "<p>before" + "<b><i></b></i>" * 100_000 + "<p>inside",
        KEPT,
    ),
    documentation(
        "deep-adoption",
        "20,000 times <a><p>, each of which reopens what stood before",
        lambda: "<p>before" + "<a><p>" * 20_000 + "inside",
        KEPT,
    ),
    documentation(
        "deep-closing-tags",
        "200,000 closing tags that close nothing",
        lambda: "<p>before" + "</div></p></b>" * 66_666 + "inside",
        KEPT,
    ),
    documentation(
        "deep-linked-data",
        "JSON-LD with 100,000 open brackets",
        lambda: f"<script type='application/ld+json'>{'[' * 100_000}</script><p>before<p>inside",
        KEPT,
    ),
    documentation(
        "deep-linked-data-objects",
        "JSON-LD with objects nested 50,000 deep",
        lambda: (
            "<script type='application/ld+json'>"
            + '{"a":' * 50_000
            + "1"
            + "}" * 50_000
            + "</script><p>before<p>inside"
        ),
        KEPT,
    ),
    _markdown(
        "markdown-deep-quotes", "100,000 times > in one line", ">" * 100_000 + " inside", Gives(("inside",))
    ),
    _markdown(
        "markdown-deep-brackets", "100,000 open brackets", "[" * 100_000 + "inside", Gives(("inside",))
    ),
    _markdown(
        "markdown-deep-emphasis", "100,000 open emphases", "*a " * 100_000 + "inside", Gives(("inside",))
    ),
    _markdown(
        "markdown-deep-lists",
        "a list whose levels grow for 1,500 lines",
        "\n".join("  " * level + "- inside" for level in range(1_500)),
        Gives(("inside",)),
    ),
)
