"""Addresses that lead to a section."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.links import build_url, slugify

BOOK = "https://docs.example.org/physical-ai-robotics-textbook/docs/module-1/1.1-introduction-to-physical-ai"


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Embodiment", "embodiment"),
        ("1.1 Introduction to Physical AI", "1-1-introduction-to-physical-ai"),
        ("  What's new --- in C++?! ", "what-s-new-in-c"),
        ("max_depth & min_samples", "max-depth-min-samples"),
        ("Über Größe", "über-größe"),
        ("検索の 方法", "検索の-方法"),
        ("हिन्दी पाठ", "हिन्दी-पाठ"),
        ("¶ § !", ""),
        ("", ""),
    ],
)
def test_slugs(heading: str, slug: str) -> None:
    assert slugify(heading) == slug


@given(st.text())
def test_slugs_are_stable_and_clean(heading: str) -> None:
    slug = slugify(heading)
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert "--" not in slug
    assert " " not in slug


def test_a_section_becomes_the_fragment_of_the_pages_own_address() -> None:
    assert (
        build_url(f"{BOOK}/physical-ai-foundations", "Embodiment")
        == f"{BOOK}/physical-ai-foundations#embodiment"
    )
    assert build_url(f"{BOOK}/", None) == f"{BOOK}/"


@pytest.mark.parametrize(
    ("url", "heading", "anchor", "expected"),
    [
        ("https://a.org/p", "Head", "real-id", "https://a.org/p#real-id"),
        ("https://a.org/p#old", "Head", None, "https://a.org/p#head"),
        ("https://a.org/p#old", None, "#new", "https://a.org/p#new"),
        ("https://a.org/p#old", None, None, "https://a.org/p#old"),
        ("https://a.org/p#old", "§", "", "https://a.org/p#old"),
        ("https://a.org/p?q=a%20b&c=d", "H", None, "https://a.org/p?q=a%20b&c=d#h"),
        (
            "https://a.org/größe?q=é",
            None,
            "Größe (2)",
            "https://a.org/gr%C3%B6%C3%9Fe?q=%C3%A9#Gr%C3%B6%C3%9Fe%20(2)",
        ),
        ("https://a.org/p", "検索", None, "https://a.org/p#%E6%A4%9C%E7%B4%A2"),
        ("https://a.org/p", None, "100%", "https://a.org/p#100%25"),
        ("file:///home/me/My%20notes.md", "To do", None, "file:///home/me/My%20notes.md#to-do"),
        ("https://a.org/f.pdf", None, "page=3", "https://a.org/f.pdf#page=3"),
    ],
)
def test_addresses(url: str, heading: str | None, anchor: str | None, expected: str) -> None:
    assert build_url(url, heading, anchor=anchor) == expected


def test_text_fragments() -> None:
    assert build_url("https://a.org/p#x", text="well-known, and so") == (
        "https://a.org/p#x:~:text=well%2Dknown%2C%20and%20so"
    )
    assert build_url("https://a.org/p", anchor="s", text="été") == "https://a.org/p#s:~:text=%C3%A9t%C3%A9"
    long = " ".join(f"word{n}" for n in range(30))
    assert build_url("https://a.org/p", text=long) == (
        "https://a.org/p#:~:text=word0%20word1%20word2%20word3%20word4,word25%20word26%20word27%20word28%20word29"
    )
    assert build_url("https://a.org/p", text="  ") == "https://a.org/p"


def test_text_fragments_of_several_blocks_name_the_first_and_the_last() -> None:
    """Browsers find words within one block only, so what they look for must not cross a line."""
    assert build_url("https://a.org/p", text="Heading\nand its first words.") == (
        "https://a.org/p#:~:text=Heading,and%20its%20first%20words."
    )
    assert build_url(
        "https://a.org/p", text="\none two three four five six\n\nmiddle\r\n a b c d e f \n"
    ) == ("https://a.org/p#:~:text=one%20two%20three%20four%20five,b%20c%20d%20e%20f")
    assert build_url("https://a.org/p", text="\n one line \n") == "https://a.org/p#:~:text=one%20line"
