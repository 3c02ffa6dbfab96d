"""Dates as users write them: a year, a month, a day, a moment."""

from datetime import UTC, date, datetime

import pytest

from webrag_desktop.text.dates import read_date


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024-2", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024-05-31", date(2024, 5, 31), date(2024, 5, 31)),
        ("2024-5-3", date(2024, 5, 3), date(2024, 5, 3)),
        ("2024-05-31T12:00Z", datetime(2024, 5, 31, 12, tzinfo=UTC), datetime(2024, 5, 31, 12, tzinfo=UTC)),
    ],
)
def test_a_period_is_meant_from_its_first_to_its_last_day(text: str, first: date, last: date) -> None:
    assert read_date(text, last=False) == first
    assert read_date(text, last=True) == last


@pytest.mark.parametrize(
    "text", ["", "2o24", "2024-13", "0000", "2024-05-32", "2024-5-32", "31.05.2024", "yesterday", "٢٠٢٤"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_date(text, last=False)
