"""Cite ids: what is read as one, how it is written, and what is refused."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.links import HOSTILE_LINKS
from webrag_desktop.errors import InputError
from webrag_desktop.models.citations import LONGEST_LINK, CiteId, DocumentLink, parse_link

VERSION = UUID("0f3a91b2-0d4c-4e18-9a77-5d6c1b2a3f40")
WRITTEN = "0f3a91b20d4c4e18.1200-1352"
PLACE = CiteId("0f3a91b20d4c4e18", 1200, 1352)
WHOLE = CiteId("0f3a91b20d4c4e18")


def test_a_span_and_a_whole_text_are_written() -> None:
    assert str(CiteId.of(VERSION, 1200, 1352)) == WRITTEN
    assert CiteId.of(VERSION, 1200, 1352).link == f"webrag://cite/{WRITTEN}"
    assert str(CiteId.of(VERSION)) == "0f3a91b20d4c4e18"
    assert CiteId.of(VERSION).link == "webrag://cite/0f3a91b20d4c4e18"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WRITTEN, PLACE),
        (f"webrag://cite/{WRITTEN}", PLACE),
        (f"webrag://cite/{WRITTEN}/", PLACE),
        (f"WEBRAG://CITE/{WRITTEN.upper()}", PLACE),
        (f" \n<webrag://cite/{WRITTEN}>\t", PLACE),
        (f"[{WRITTEN}]", PLACE),
        (f"[ {WRITTEN} ]", PLACE),
        (f"{VERSION}.1200-1352", PLACE),
        (f"{VERSION.hex}.1200-1352", PLACE),
        (f"webrag://cite/{str(VERSION).upper()}", WHOLE),
        ("0f3a91b20d4c4e18", WHOLE),
        ("0f3a91b20d4c4e18.0-1", CiteId("0f3a91b20d4c4e18", 0, 1)),
        ("0f3a91b20d4c4e18.0-2147483648", CiteId("0f3a91b20d4c4e18", 0, 2**31)),
    ],
)
def test_ids_and_links_are_read(text: str, expected: CiteId) -> None:
    assert CiteId.parse(text) == expected


@given(
    st.uuids(version=4),
    st.none()
    | st.tuples(st.integers(0, 2**31 - 1), st.integers(1, 2**31)).filter(lambda one: one[0] < one[1]),
)
def test_what_is_written_is_read_again(version: UUID, span: tuple[int, int] | None) -> None:
    cite_id = CiteId.of(version, *span) if span else CiteId.of(version)
    assert CiteId.parse(str(cite_id)) == CiteId.parse(cite_id.link) == parse_link(cite_id.link) == cite_id
    first, last = cite_id.version_range
    assert first <= version <= last
    assert first.hex[:16] == last.hex[:16] == cite_id.version


@pytest.mark.parametrize("text", HOSTILE_LINKS)
def test_everything_else_is_refused_with_a_hint(text: str) -> None:
    for read in (CiteId.parse, parse_link):
        with pytest.raises(InputError) as caught:
            read(text)
        assert caught.value.hint
        assert len(caught.value.message) < LONGEST_LINK
        assert caught.value.message.isprintable()


@pytest.mark.parametrize("span", [(None, 5), (5, None), (-1, 5), (5, 5), (6, 5), (0, 2**31 + 1)])
def test_a_cite_id_of_no_range_is_not_made(span: tuple[int | None, int | None]) -> None:
    with pytest.raises(InputError):
        CiteId.of(VERSION, *span)


def test_a_link_to_a_document_is_read() -> None:
    link = f"webrag://document/{VERSION}"
    assert parse_link(f"<{link.upper()}>") == DocumentLink(VERSION)
    assert DocumentLink(VERSION).link == link
    with pytest.raises(InputError):
        CiteId.parse(link)
