"""One checked expectation per feature on the real pages."""

import re
from collections import Counter
from collections.abc import Callable

import pytest
import turbohtml

from tests.support.captures import check_document, page_capture, text_of
from tests.support.pages import PAGES_DIRECTORY
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.files import read_file
from webrag_desktop.models.documents import Block, NormalizedDocument

ADDRESS = {
    "sklearn_ensemble": "https://scikit-learn.org/1.2/modules/ensemble.html",
    "python_glossary": "https://docs.python.org/3.11/glossary.html",
    "encyclopaedia": "https://en.wikipedia.org/wiki/Go_(programming_language)",
}


@pytest.fixture(scope="module")
def pages() -> dict[str, NormalizedDocument]:
    return {
        name: extract(page_capture((PAGES_DIRECTORY / f"{name}.html").read_bytes(), url))
        for name, url in ADDRESS.items()
    }


@pytest.fixture(scope="module")
def sklearn(pages: dict[str, NormalizedDocument]) -> NormalizedDocument:
    return pages["sklearn_ensemble"]


@pytest.fixture(scope="module")
def glossary(pages: dict[str, NormalizedDocument]) -> NormalizedDocument:
    return pages["python_glossary"]


@pytest.fixture(scope="module")
def article(pages: dict[str, NormalizedDocument]) -> NormalizedDocument:
    return pages["encyclopaedia"]


def block_with(document: NormalizedDocument, words: str) -> Block:
    return next(block for block in document.blocks if words in text_of(document, block))


def headings(document: NormalizedDocument) -> list[str]:
    found = (text_of(document, block) for block in document.blocks)
    return [text for text in found if re.match(r"#{1,6} ", text)]


@pytest.mark.parametrize("name", ADDRESS)
def test_the_invariants_hold(pages: dict[str, NormalizedDocument], name: str) -> None:
    check_document(pages[name])


@pytest.mark.parametrize("name", ADDRESS)
def test_extraction_is_deterministic(pages: dict[str, NormalizedDocument], name: str) -> None:
    body = (PAGES_DIRECTORY / f"{name}.html").read_bytes()
    assert extract(page_capture(body, ADDRESS[name])) == pages[name]


@pytest.mark.parametrize("name", ADDRESS)
def test_every_heading_of_the_content_is_kept_in_order(
    pages: dict[str, NormalizedDocument], name: str
) -> None:
    source = (PAGES_DIRECTORY / f"{name}.html").read_text("utf-8")
    tags = re.findall(r"<h([1-6])\b[^>]*>(.*?)</h\1>", source, re.DOTALL)
    words = [
        re.sub(r"<span class=\"editsection\">.*?</span>|<[^>]+>|[¶\s]+", " ", inner) for _, inner in tags
    ]
    wanted = [" ".join(text.split()) for text in words]
    furniture = {
        "Navigation",
        "Contents",
        "Table of Contents",
        "Previous topic",
        "Next topic",
        "This Page",
        "Quick search",
    }
    menus = {"Personal tools", "Namespaces", "Variants", "Views", "Actions", "Search", "Interaction", "Toolbox",
             "Print/export", "Languages", ""}  # fmt: skip
    expected = [text for text in wanted if text not in furniture | menus]
    kept = [re.sub(r"[`*\\]|^#+ ", "", heading) for heading in headings(pages[name])]
    assert [text for text in kept if text not in expected] == []
    assert len(kept) >= 0.95 * len(expected)


def test_sklearn_headings_form_the_outline(sklearn: NormalizedDocument) -> None:
    assert headings(sklearn)[:3] == [
        "# 1.11. Ensemble methods",
        "## 1.11.1. Bagging meta-estimator",
        "## 1.11.2. Forests of randomized trees",
    ]
    block = block_with(sklearn, "The size of the model with the default parameters")
    assert block.heading_path == (
        "1.11. Ensemble methods",
        "1.11.2. Forests of randomized trees",
        "1.11.2.3. Parameters",
    )
    assert block.anchor == "parameters"


def test_sklearn_navigation_is_gone(sklearn: NormalizedDocument) -> None:
    for words in ("Toggle Menu", "Show this page source", "¶", "Please cite us", "Prev", "Other versions"):
        assert words not in sklearn.markdown
    assert "The goal of **ensemble methods** is to combine the predictions" in sklearn.markdown


def test_sklearn_code_stays_code(sklearn: NormalizedDocument) -> None:
    block = block_with(sklearn, "BaggingClassifier(KNeighborsClassifier(),")
    text = text_of(sklearn, block)
    assert text.startswith("```")
    assert text.endswith("\n```")
    assert "\n...                             max_samples=0.5, max_features=0.5)" in text
    assert block.flags.has_code
    assert block.html is not None
    assert "<pre>" in block.html


def test_sklearn_formulas_are_latex_in_markdown_and_math_in_html(sklearn: NormalizedDocument) -> None:
    block = block_with(sklearn, "$O( M * N * log (N) )$")
    assert block.flags.has_math
    assert block.html is not None
    assert 'class="math notranslate nohighlight"' in block.html
    display = next(block for block in sklearn.blocks if text_of(sklearn, block).startswith("$$"))
    assert text_of(sklearn, display).endswith("$$")
    assert display.flags.has_math
    assert display.html is not None
    assert '<div class="math' in display.html


def test_sklearn_admonitions_keep_their_keyword_line(sklearn: NormalizedDocument) -> None:
    block = block_with(sklearn, "The size of the model with the default parameters")
    assert text_of(sklearn, block).startswith("Note\n\n")
    assert block.flags.has_admonition
    assert block.html is not None
    assert 'class="admonition note"' in block.html


def test_sklearn_table_becomes_a_pipe_table(sklearn: NormalizedDocument) -> None:
    tables = [block for block in sklearn.blocks if block.html and "<table" in block.html]
    assert tables
    for block in tables:
        assert block.flags.has_table
        lines = text_of(sklearn, block).split("\n")
        assert all(line.startswith("| ") and line.endswith(" |") for line in lines)
        assert set(lines[1]) <= set("| -")


def test_sklearn_links_are_absolute(sklearn: NormalizedDocument) -> None:
    assert (
        "[`BaggingClassifier`](https://scikit-learn.org/1.2/modules/generated/sklearn.ensemble.BaggingClassifier.html"
        "#sklearn.ensemble.BaggingClassifier)"
    ) in sklearn.markdown
    assert all(link.url.startswith(("http://", "https://")) for link in sklearn.links)
    assert "](generated/" not in sklearn.markdown
    assert 'href="generated/' not in (sklearn.html or "")


def test_sklearn_metadata(sklearn: NormalizedDocument) -> None:
    assert sklearn.title == "1.11. Ensemble methods"
    assert sklearn.language == "en"
    assert (sklearn.description or "").startswith("The goal of ensemble methods is to combine")


def test_glossary_terms_are_blocks_with_their_own_anchors(glossary: NormalizedDocument) -> None:
    block = block_with(glossary, "**borrowed reference**")
    assert block.anchor == "term-borrowed-reference"
    assert block.flags.has_definition_list
    assert "Calling `Py_INCREF()`" in re.sub(r"\[(`[^`]+`)\]\([^)]*\)", r"\1", text_of(glossary, block))
    assert block.html is not None
    assert block.html.startswith(
        '<dl class="glossary"><dt id="term-borrowed-reference">borrowed reference</dt><dd>'
    )
    terms = [block for block in glossary.blocks if block.flags.has_definition_list]
    assert len(terms) > 120


def test_glossary_navigation_is_gone(glossary: NormalizedDocument) -> None:
    for words in ("Quick search", "Show Source", "Copyright", "¶", "Report a Bug", "previous"):
        assert not re.search(rf"^.{{0,40}}{words}.{{0,40}}$", glossary.markdown, re.MULTILINE)
    assert "Beautiful is better" not in glossary.markdown
    assert glossary.title == "Glossary"


def test_glossary_code_names_its_language(glossary: NormalizedDocument) -> None:
    assert "```python\ncount: int = 0\n```" in glossary.markdown


def test_article_structure(article: NormalizedDocument) -> None:
    assert article.title == "Go (programming language)"
    assert headings(article)[0] == "# Go (programming language)"
    block = block_with(article, "Go aims to provide the efficiency of a")
    assert block.heading_path == ("Go (programming language)", "Goals")
    assert block.anchor == "Goals"
    assert "```go\n" in article.markdown or "```" in article.markdown


def test_article_infobox_is_a_table(article: NormalizedDocument) -> None:
    block = block_with(article, "| Appeared in | 2009 |")
    assert block.flags.has_table
    assert block.html is not None
    assert '<table class="infobox' in block.html


def test_article_furniture_is_gone(article: NormalizedDocument) -> None:
    for words in (
        "Jump to:",
        "[edit]",
        "Retrieved from",
        "Privacy policy",
        "Log in",
        "Categories",
        "From Wikipedia,",
    ):
        assert words not in article.markdown
    assert "1.1 Syntax" not in article.markdown


def test_article_notes_stay_in_html_only(article: NormalizedDocument) -> None:
    block = block_with(article, "The initial design of Go was started")
    assert "cite_note" not in text_of(article, block)
    assert block.html is not None
    assert "cite_note" in block.html


PLAIN: list[tuple[str, Callable[[NormalizedDocument], bool]]] = [
    ("field_notes.md", lambda d: d.title == "Field notes from the tidal station"),
    ("field_notes.md", lambda d: d.published_time == "2024-03-18"),
    ("field_notes.md", lambda d: ("Equipment", "Setext heading") in {b.heading_path for b in d.blocks}),
    ("field_notes.md", lambda d: ("Equipment", "Calibration") in {b.heading_path for b in d.blocks}),
    ("field_notes.md", lambda d: "\n```python\n# not a heading\n" in d.markdown),
    ("scripts_and_emoji.md", lambda d: d.title == "Écritures et symboles 🧭"),
    ("scripts_and_emoji.md", lambda d: d.blocks[3].heading_path[-1] == "日本語の見出し"),
    ("crlf_letter.txt", lambda d: d.doc_type == "text" and not any(b.heading_path for b in d.blocks)),
    ("crlf_letter.txt", lambda d: "dusk.\nThe wind" in d.markdown and len(d.blocks) == 4),
]


@pytest.mark.parametrize(("name", "holds"), PLAIN)
def test_text_files(name: str, holds: Callable[[NormalizedDocument], bool]) -> None:
    document = extract(read_file(PAGES_DIRECTORY / name, FetchOptions()))
    check_document(document)
    assert holds(document)


def test_flags_of_a_markdown_file() -> None:
    document = extract(read_file(PAGES_DIRECTORY / "field_notes.md", FetchOptions()))
    flags = {text_of(document, block).split("\n")[0]: block.flags for block in document.blocks}
    assert flags["```python"].has_code
    assert flags["| Month | Mean level (mm) |"].has_table
    assert flags["1. Close the valve of the well."].has_steps
    assert flags["Note"].has_admonition
    assert not flags["# Equipment"].prefers_html


# Where the content of each page stands, and what in it nobody means by content.
CONTENT = {
    "sklearn_ensemble": ("div.body", ".headerlink", 0.99),
    "python_glossary": ("div.body", ".headerlink", 0.99),
    "encyclopaedia": (
        "#bodyContent",
        "#siteSub,#contentSub,#jump-to-nav,.toc,.editsection,.navbox,.reference,.printfooter,#catlinks,"
        ".metadata,.noprint,.reference-accessdate",
        0.97,
    ),
}


def counted(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


@pytest.mark.parametrize("name", CONTENT)
def test_the_words_of_the_content_are_kept(pages: dict[str, NormalizedDocument], name: str) -> None:
    selector, furniture, share = CONTENT[name]
    source = turbohtml.parse((PAGES_DIRECTORY / f"{name}.html").read_bytes())
    content = source.select_one(selector)
    assert content is not None
    content.remove(f"script,style,{furniture}")
    wanted = counted(" ".join(content.stripped_strings))
    lost = wanted - counted(" ".join(pages[name].markdown.split()))
    assert wanted.total() > 2000
    assert 1 - lost.total() / wanted.total() >= share, lost.most_common(30)


def test_sklearn_keeps_every_source_and_example(sklearn: NormalizedDocument) -> None:
    source = turbohtml.parse((PAGES_DIRECTORY / "sklearn_ensemble.html").read_bytes())
    keys = {key.text for key in source.select(".citation [role=doc-backlink]")} - {
        str(n) for n in range(1, 20)
    }
    assert {"B1999", "FS1995", "W1992"} <= keys
    words = re.sub(r"\[([^\[\]]*)\]\([^()\s]*\)", r"\1", sklearn.markdown).replace("\\", "")
    assert [key for key in sorted(keys) if f"[{key}]" not in words] == []
    titles = [" ".join(aside.text.split()) for aside in source.select("aside.topic li")]
    assert len(titles) > 20
    assert [title for title in titles if title[:40] not in words.replace("*", "")] == []
