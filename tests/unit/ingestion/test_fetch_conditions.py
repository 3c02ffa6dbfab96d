from datetime import UTC, datetime

import pytest

from webrag_desktop.ingestion.fetching.options import Validators, validators_of
from webrag_desktop.servers.retries import retry_after

URL = "https://example.org/x"
DATE = "Sat, 03 Oct 2026 14:02:00 GMT"
NOW = datetime(2026, 10, 3, 14, 0, tzinfo=UTC)


def test_an_entity_tag_and_a_date_name_a_copy() -> None:
    known = validators_of(URL, [("eTaG", ' W/"abc" '), ("Last-Modified", DATE)])
    assert known == Validators(URL, 'W/"abc"', DATE)
    assert known.headers_for(URL) == [
        (b"If-None-Match", b'W/"abc"'),
        (b"If-Modified-Since", DATE.encode()),
    ]
    assert known.headers_for("https://example.com/x") == []


def test_bytes_outside_ascii_go_back_as_they_came() -> None:
    known = validators_of(URL, [("ETag", '"\xe9"')])
    assert known is not None
    assert known.headers_for(URL) == [(b"If-None-Match", b'"\xe9"')]


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("ETag", "abc")],
        [("ETag", '"a" , "b"')],
        [("ETag", '"a"\r\nX: y')],
        [("ETag", '"\x00"')],
        [("ETag", '"\u20ac"')],
        [("ETag", '"' + "x" * 2000 + '"')],
        [("Last-Modified", "yesterday")],
        [("Last-Modified", DATE + "\nX: y")],
        [("Last-Modified", "")],
        [("Last-Modified", "Sat, 03 Oct 99999999999999999999 14:02:00 GMT")],
        [("Last-Modified", "Sat, 03 Oct 2026 14:02:00 +99999999999999")],
    ],
)
def test_what_follows_no_standard_is_not_sent_back(headers: list[tuple[str, str]]) -> None:
    assert validators_of(URL, headers) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([("Retry-After", "120")], 120),
        ([("retry-after", " 0 ")], 0),
        ([("Retry-After", DATE)], 120),
        ([("Retry-After", DATE), ("Date", "Sat, 03 Oct 2026 14:01:00 GMT")], 60),
        ([("Retry-After", "Sat, 03 Oct 2020 14:01:00 GMT")], 0),
        ([("Retry-After", "-5")], None),
        ([("Retry-After", "1e9")], None),
        ([("Retry-After", "٣")], None),
        ([("Retry-After", "9" * 400)], None),
        ([("Retry-After", "soon")], None),
        ([("Retry-After", "Sat, 03 Oct 99999999999999999999 14:02:00 GMT")], None),
        ([("Retry-After", "Sat, 03 Oct 2026 14:02:00 +99999999999999")], None),
        ([("Retry-After", DATE), ("Date", "Sat, 03 Oct 99999999999999999999 14:02:00 GMT")], 120),
        ([], None),
    ],
)
def test_how_long_a_site_wants_to_be_left_alone(
    headers: list[tuple[str, str]], seconds: float | None
) -> None:
    assert retry_after(headers, NOW) == seconds
