"""What reaches storage in any string field, however a page or a file brings it in."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from pydantic import BaseModel

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Capture, NormalizedDocument


def strings(value: Any) -> Iterator[str]:
    """Every string inside dumped data."""
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def check_strings(document: NormalizedDocument) -> None:
    check_document(document)
    for text in strings(asdict(document)):
        assert "\0" not in text
        text.encode()


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800"])
def test_linked_data_brings_no_nul_and_no_surrogate(escape: str) -> None:
    data = f'{{"datePublished": "2020{escape}", "dateModified": "2021{escape}-05"}}'
    document = extract(page_capture(f"<script type='application/ld+json'>{data}</script><p>text"))
    check_strings(document)
    assert (document.published_time, document.modified_time) == ("2020", "2021-05")


def test_an_address_brings_no_nul() -> None:
    document = extract(page_capture("<p>text", "https://e.org/a%00b"))
    check_strings(document)
    assert document.title == "ab"


def with_name(body: str, name: str) -> Capture:
    return page_capture(body, f"file:///{'x'}", "text/markdown").model_copy(update={"filename": name})


def test_a_file_name_brings_no_surrogate() -> None:
    document = extract(with_name("words", "caf\udce9 menu.md"))
    check_strings(document)
    assert document.title == "caf menu"


def test_what_a_page_says_in_odd_places_is_clean() -> None:
    html = (
        "<title>a&#0;b</title><meta name=description content='c&#xD800;d'><h1 id='i&#1;'>x&#2;y</h1>"
        "<p class='k&#3;'><a href='/u&#4;v'>w&#5;</a></p>"
    )
    check_strings(extract(page_capture(html)))
    markdown = "---\ntitle: a\x04b\n---\n# x\x01y\n\n[w\x02](https://e.org/\x03z)\n\n" + "words " * 30
    check_strings(extract(page_capture(markdown, content_type="text/markdown")))


def test_what_is_repeated_for_every_chunk_is_short() -> None:
    long = "word " * 2000
    page = extract(page_capture(f"<title>{long}</title><h2>{long}</h2><p>x</p><p>y</p>"))
    check_strings(page)
    assert 490 < len(page.title or "") <= 500
    assert 490 < len(page.blocks[0].heading_path[0]) <= 500
    assert page.markdown.startswith("## " + long.strip())
    words = "word " * 1500  # both within what front matter may hold
    text = f"---\ntitle: {words}\ndescription: {words}\n---\n# {long}\n\nx\n"
    file = extract(page_capture(text, content_type="text/markdown"))
    assert 490 < len(file.title or "") <= 500
    assert 1990 < len(file.description or "") <= 2000
    assert 490 < len(file.blocks[-1].heading_path[0]) <= 500
