"""Which pictures of excerpts may help, and what of them can be had without any network."""

import base64

import pytest

from tests.support.found_chunks import found_chunk
from webrag_desktop.answering.excerpts import Excerpt, whole_passages
from webrag_desktop.answering.images import MOST_BYTES, ImageReference, get_image, images_for, says_something
from webrag_desktop.errors import FetchError, InputError
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.text.markdown_links import markdown_images

QUESTION = "Where do limpets graze?"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (200).to_bytes(4, "big") + (100).to_bytes(4, "big")


def excerpts(*texts: str) -> list[Excerpt]:
    return whole_passages([found_chunk(text) for text in texts])


def reference(url: str, page: str = "https://example.org/a") -> ImageReference:
    return ImageReference(url, "", None, page, 1.0)


@pytest.mark.parametrize(
    "alt",
    [
        "a limpet on a rock",
        "Cross-section of the shell",
        "笠贝在岩石上",
        "Раковина моллюска",
        "Figure 3: shell growth",
    ],
)
def test_words_tell_what_a_picture_shows(alt: str) -> None:
    assert says_something(alt)


@pytest.mark.parametrize(
    "alt",
    ["", "image", "Figure 3", "logo", "Icon", "sphx_glr_plot_forest_001.png", "IMG 2034", "limpet", "…",
     "photo 1 image", "../images/tree.svg", "图"],
)  # fmt: skip
def test_names_of_files_and_bare_kinds_do_not(alt: str) -> None:
    assert not says_something(alt)


def test_a_picture_that_says_nothing_counts_where_the_question_is_spoken_of_around_it() -> None:
    own = "Limpets graze here. ![](own.png)"
    caption = "![plot.png](above.png)\n\nWhere a limpet grazes."
    elsewhere = "![](far.png)\n\nOtters swim.\n\nLimpets graze."
    found = images_for(excerpts(own, caption, elsewhere), QUESTION)
    assert [one.url for one in found] == ["above.png", "own.png"]


def test_a_picture_that_says_something_counts_and_the_best_come_first_once() -> None:
    otter, limpet = "![an otter at sea](o.png)", "![limpets that graze](l.png)"
    found = images_for(excerpts(f"{otter}\n\nOtters.\n\nThey swim.\n\nA lot.\n\n{limpet}", otter), QUESTION)
    assert [one.url for one in found] == ["l.png", "o.png"]
    assert [one.fit for one in found] == pytest.approx([2 / 3, 0.0])


def test_pictures_are_read_as_markdown_writes_them() -> None:
    text = (
        r"![a \[b\] c](<u v.png> 'T') [![x](i.png)](link) ![d](w_(e).png \"T\") ![no] (x) !\[a](b)".replace(
            '\\"', '"'
        )
    )
    assert [(one.alt, one.url) for one in markdown_images(text)] == [
        ("a [b] c", "u v.png"),
        ("x", "i.png"),
        ("d", "w_(e).png"),
    ]


def test_a_picture_in_its_own_address_needs_no_network() -> None:
    written = base64.b64encode(PNG).decode()
    image = get_image(reference(f"data:image/svg+xml;base64,{written}"), FetchOptions(), None)
    assert (image.content, image.media_type) == (PNG, "image/png")


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("data:image/png,<svg/>", "no PNG"),
        ("data:image/png;base64,%%%", "no P"),
        ("data:nothing", "no picture"),
        (f"data:,{'A' * (2 * MOST_BYTES)}", "too large"),
        (f"data:;base64,{base64.b64encode(PNG[:16] + bytes([0, 0, 0, 1] * 2)).decode()}", "1 by 1 pixels"),
        (f"data:;base64,{base64.b64encode(PNG[:16] + bytes([0, 1, 0, 0] * 2)).decode()}", "65536 by 65536"),
    ],
)
def test_what_is_no_picture_or_of_no_use_is_refused(uri: str, why: str) -> None:
    with pytest.raises(FetchError, match=why):
        get_image(reference(uri), FetchOptions(), None)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "/etc/passwd", "ftp://a/b.png", "javascript:alert(1)", ""]
)
def test_only_web_addresses_are_opened(url: str) -> None:
    with pytest.raises(InputError):
        get_image(reference(url), FetchOptions(), None)
