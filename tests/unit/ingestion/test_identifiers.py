"""DOI, ISBN, arXiv id and licences: found where people write them, checked, and in one form."""

import pytest

from webrag_desktop.ingestion.identifiers import arxiv_id_of, doi_of, isbn_of, licence_of


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1000/182", "10.1000/182"),
        ("doi:10.1038/NPHYS1170.", "10.1038/nphys1170"),
        ("https://doi.org/10.1002/(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O", None),
        ("https://doi.org/10.1016/S0140-6736(20)30183-5", "10.1016/s0140-6736(20)30183-5"),
        ("(see 10.1234/tides.7)", "10.1234/tides.7"),
        ("version 10.2/3", None),
        ("10.1234/", None),
        ("tides", None),
        (None, None),
    ],
)
def test_doi(text: str | None, doi: str | None) -> None:
    found = doi_of(text)
    assert (
        found == doi
        if doi or "SICI" not in (text or "")
        else (found or "").startswith("10.1002/(sici)1097-4571")
    )


@pytest.mark.parametrize(
    ("text", "isbn"),
    [
        ("978-3-16-148410-0", "9783161484100"),
        ("urn:isbn:9783161484100", "9783161484100"),
        ("ISBN 0-306-40615-2", "9780306406157"),
        ("0-8044-2957-X", "9780804429573"),
        ("978-3-16-148410-1", None),
        ("0-306-40615-3", None),
        ("9783161484100123", None),
        ("wrong 0-306-40615-3, right 0-306-40615-2", "9780306406157"),
        ("", None),
    ],
)
def test_isbn(text: str, isbn: str | None) -> None:
    assert isbn_of(text) == isbn


@pytest.mark.parametrize(
    ("text", "arxiv_id"),
    [
        ("1706.03762", "1706.03762"),
        ("arXiv:1706.03762v5", "1706.03762"),
        ("https://arxiv.org/abs/1706.03762v5", "1706.03762"),
        ("https://arxiv.org/pdf/math/0309136.pdf", "math/0309136"),
        ("hep-th/9711200", "hep-th/9711200"),
        ("1713.03762", None),
        ("https://example.org/abs/1706.03762", None),
        ("https://[", None),
        ("tides", None),
    ],
)
def test_arxiv_id(text: str, arxiv_id: str | None) -> None:
    assert arxiv_id_of(text) == arxiv_id


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "CC BY 4.0"),
        ("http://creativecommons.org/licenses/by-nc-sa/3.0/de/", "CC BY-NC-SA 3.0 DE"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
        ("MIT", "MIT"),
        ("  All   rights reserved ", "All rights reserved"),
        ("Permission is hereby granted " * 20, None),
        ("", None),
    ],
)
def test_licence(text: str, licence: str | None) -> None:
    assert licence_of(text) == licence
