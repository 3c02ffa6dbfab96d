"""Pages that a documentation generator makes of Markdown files."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.answer_context import build_url
from webrag_desktop.text.links import slugify

BASE = "/physical-ai-robotics-textbook/docs/"
CHAPTER = "module-1/1.1-introduction-to-physical-ai"


@pytest.mark.parametrize(
    ("path", "heading", "url"),
    [
        (
            f"{CHAPTER}/physical-ai-foundations.md",
            "Embodiment",
            f"{BASE}{CHAPTER}/physical-ai-foundations#embodiment",
        ),
        (f"{CHAPTER}/index.md", None, f"{BASE}{CHAPTER}/"),
        (
            f"website/docs/{CHAPTER}/physical-ai-foundations.md",
            None,
            f"{BASE}{CHAPTER}/physical-ai-foundations",
        ),
        (f"website/docs/{CHAPTER}/index.md", "What is it?", f"{BASE}{CHAPTER}/#what-is-it"),
        ("index.md", None, BASE),
        ("intro.md", "§ !", f"{BASE}intro"),
        ("docs/website/docs/a.md", None, f"{BASE}docs/website/docs/a"),
        ("reindex.md", None, f"{BASE}reindex"),
        ("index.md.md", None, f"{BASE}index.md"),
        ("a.markdown", None, f"{BASE}a.markdown"),
        ("/a.md", None, f"{BASE}a"),
    ],
)
def test_a_file_becomes_the_page_of_its_name(path: str, heading: str | None, url: str) -> None:
    assert build_url(path, heading, base_url=BASE) == url


@pytest.mark.parametrize("base", ["https://me.github.io/book/docs", "https://me.github.io/book/docs/"])
def test_the_base_is_whatever_is_given(base: str) -> None:
    assert build_url("a.md", "Über uns", base_url=base) == ("https://me.github.io/book/docs/a#%C3%BCber-uns")


def test_characters_of_a_name_are_none_of_the_address() -> None:
    assert build_url("100% done? #1 größe.md", base_url="/") == ("/100%25%20done%3F%20%231%20gr%C3%B6%C3%9Fe")


@given(st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1), st.text())
def test_every_name_is_found_again_in_the_address(name: str, heading: str) -> None:
    parts = urlsplit(build_url(f"folder/{name}.md", heading, base_url="https://a.org"))
    assert unquote(parts.path) == f"/folder/{'' if name == 'index' else name}"
    assert (parts.netloc, parts.query) == ("a.org", "")
    assert unquote(parts.fragment) == slugify(heading)


@given(st.text())
def test_a_slug_is_its_own_slug(heading: str) -> None:
    slug = slugify(heading)
    assert slugify(slug) == slug
    assert slugify(f"  {heading} – ") == slug
