"""What must be found in each real page; the expectations stand beside the pages, in ``tests/data/fidelity``."""

from typing import Any

import pytest

from tests.support.captures import check_document, text_of
from tests.support.fidelity import (
    FIDELITY_PAGES,
    each_of,
    expectations,
    fidelity_document,
    fidelity_reading,
    page_names,
    with_feature,
)
from webrag_desktop.models.documents import Block

LARGEST_PAGE = 150_000  # bytes
LARGEST_SET = 2_000_000  # bytes


def block_with(name: str, words: str) -> Block:
    """The first block whose text holds the words."""
    document = fidelity_document(name)
    found = [block for block in document.blocks if words in text_of(document, block)]
    assert found, f"no block of {name} holds {words!r}"
    return found[0]


def test_the_set_stays_small() -> None:
    sizes = [path.stat().st_size for path in FIDELITY_PAGES.glob("*.html")]
    assert len(sizes) >= 20
    assert max(sizes) < LARGEST_PAGE
    assert sum(sizes) < LARGEST_SET


def test_every_page_names_its_origin_and_licence() -> None:
    notes = (FIDELITY_PAGES / "README.md").read_text("utf-8")
    assert [path.name for path in FIDELITY_PAGES.glob("*.html") if f"`{path.name}`" not in notes] == []


@pytest.mark.parametrize("name", page_names())
def test_the_invariants_hold(name: str) -> None:
    document = fidelity_document(name)
    check_document(document)
    assert all(block.html for block in document.blocks)


@pytest.mark.parametrize("name", with_feature("title"))
def test_title(name: str) -> None:
    assert fidelity_document(name).title == expectations(name)["title"]


@pytest.mark.parametrize("name", with_feature("language"))
def test_language(name: str) -> None:
    assert fidelity_document(name).language == expectations(name)["language"]


@pytest.mark.parametrize("name", with_feature("description"))
def test_description(name: str) -> None:
    assert fidelity_document(name).description == expectations(name)["description"]


@pytest.mark.parametrize("name", with_feature("published"))
def test_published(name: str) -> None:
    document = fidelity_document(name)
    assert (document.published_time, document.published_guessed) == (expectations(name)["published"], False)


@pytest.mark.parametrize("name", with_feature("modified"))
def test_modified(name: str) -> None:
    document = fidelity_document(name)
    assert (document.modified_time, document.modified_guessed) == (expectations(name)["modified"], False)


@pytest.mark.parametrize("name", with_feature("headings"))
def test_headings_in_their_order(name: str) -> None:
    assert fidelity_reading(name).headings == expectations(name)["headings"]


@pytest.mark.parametrize("name", with_feature("code"))
def test_code_with_language_and_exact_text(name: str) -> None:
    expected = [(item["language"], item["text"].rstrip("\n")) for item in expectations(name)["code"]]
    assert fidelity_reading(name).code == expected


@pytest.mark.parametrize("name", with_feature("tables"))
def test_tables_with_their_cells(name: str) -> None:
    assert fidelity_reading(name).tables == expectations(name)["tables"]


@pytest.mark.parametrize(("name", "markdown"), each_of("markdown"))
def test_markdown_as_it_must_read(name: str, markdown: str) -> None:
    text = f"\n{fidelity_document(name).markdown}\n"
    assert f"\n{markdown.rstrip()}\n" in text


@pytest.mark.parametrize(("name", "words"), each_of("present"))
def test_words_that_must_stay(name: str, words: str) -> None:
    assert words.rstrip("\n") in fidelity_document(name).markdown


@pytest.mark.parametrize(("name", "words"), each_of("absent"))
def test_furniture_that_must_go(name: str, words: str) -> None:
    assert words not in fidelity_document(name).markdown


@pytest.mark.parametrize(("name", "place"), each_of("anchors"))
def test_anchors(name: str, place: dict[str, str]) -> None:
    assert block_with(name, place["words"]).anchor == place["anchor"]


@pytest.mark.parametrize(("name", "place"), each_of("paths"))
def test_heading_paths(name: str, place: dict[str, Any]) -> None:
    assert list(block_with(name, place["words"]).heading_path) == place["path"]


@pytest.mark.parametrize(("name", "address"), each_of("links"))
def test_links(name: str, address: str) -> None:
    assert address in {link.url for link in fidelity_document(name).links}


@pytest.mark.parametrize("name", page_names())
def test_every_address_is_absolute(name: str) -> None:
    document = fidelity_document(name)
    assert all(link.url.startswith(("https://", "http://")) for link in document.links)
    assert 'href="/' not in (document.html or "")
    assert 'src="/' not in (document.html or "")
    written = fidelity_reading(name).addresses
    assert [
        address for address in written if not address.startswith(("https://", "http://", "mailto:"))
    ] == []


@pytest.mark.parametrize(("name", "place"), each_of("flags"))
def test_flags(name: str, place: dict[str, Any]) -> None:
    flags = block_with(name, place["words"]).flags.model_dump()
    assert sorted(flag.removeprefix("has_") for flag, held in flags.items() if held) == sorted(place["flags"])


@pytest.mark.parametrize(("name", "place"), each_of("html"))
def test_html_of_the_block(name: str, place: dict[str, Any]) -> None:
    html = block_with(name, place["words"]).html or ""
    assert [fragment for fragment in place["holds"] if fragment not in html] == []
