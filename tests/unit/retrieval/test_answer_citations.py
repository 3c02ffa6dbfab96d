"""Citations of passages, and the addresses that lead there."""

import pytest

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.answer_context import build_citation, build_url
from webrag_desktop.retrieval.contracts.answers import ChunkMetadata, Citation

PAGE = "https://docs.example.org/pools?v=2"


def test_a_citation_tells_what_is_known() -> None:
    metadata = ChunkMetadata(
        doc_path=PAGE,
        title="Tide pools",
        section="Low tide",
        page=3,
        document_id="d",
        version_id="v",
        char_start=5,
        char_end=9,
    )
    assert build_citation(metadata) == Citation(
        title="Tide pools",
        section="Low tide",
        url=f"{PAGE}#low-tide",
        doc_path=PAGE,
        page=3,
        document_id="d",
        version_id="v",
        char_start=5,
        char_end=9,
    )


def test_the_real_anchor_goes_before_the_slug() -> None:
    assert build_citation(ChunkMetadata(doc_path=PAGE, section="Low tide", anchor="ebb")).url == f"{PAGE}#ebb"


@pytest.mark.parametrize("path", [None, "", "notes/tides.md", "C:\\notes\\tides.md", "javascript://a/%0Ax"])
def test_what_is_no_address_of_a_page_gets_none(path: str | None) -> None:
    assert build_citation(ChunkMetadata(doc_path=path, section="Low tide")).url is None


def test_a_path_is_a_page_below_the_base_that_is_given() -> None:
    citation = build_citation(ChunkMetadata(doc_path="website/docs/m/t.md", section="Ebb"), base_url="/book/")
    assert citation.url == build_url("m/t.md", "Ebb", base_url="/book/") == "/book/m/t#ebb"
    assert citation.doc_path == "website/docs/m/t.md"


def test_an_address_keeps_its_own_whatever_the_base() -> None:
    citation = build_citation(ChunkMetadata(doc_path="file:///notes/t.md"), base_url="/book/")
    assert citation.url == "file:///notes/t.md"


@pytest.mark.parametrize(
    ("path", "base"), [("http://[::1", None), ("a.md", "http://[::1"), ("http://[::1", "https://a.org")]
)
def test_a_malformed_address_is_refused(path: str, base: str | None) -> None:
    with pytest.raises(InputError, match=r"“http://\[::1” is no address"):
        build_citation(ChunkMetadata(doc_path=path), base_url=base)
