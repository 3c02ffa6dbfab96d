"""What is said of the capture of a site."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from webrag_desktop.cli.commands.capture import say_capture
from webrag_desktop.cli.output import Output
from webrag_desktop.models.links import CaptureLimits, SiteCapture

DONE = SiteCapture(
    id=uuid4(),
    url="https://a.test/",
    scope="site",
    prefix="/",
    limits=CaptureLimits(),
    started_at=datetime(2026, 11, 1, tzinfo=UTC),
    reason="limits",
    found=51,
    visited=51,
)


def said(one: SiteCapture, capsys: pytest.CaptureFixture[str]) -> list[str]:
    say_capture(Output(), one)
    return capsys.readouterr().out.splitlines()


def test_what_was_left_out_is_said_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    such = ("https://a.test/day/2024-05-03\x1b[2J", "https://a.test/day/2024-05-04")
    first, second = said(DONE.model_copy(update={"left_out": 37, "left_out_examples": such}), capsys)
    assert "ended at its limits: 51 of 51 pages" in first
    assert second.strip().startswith("left out: 37 pages, as there seems to be no end of such addresses")
    assert "https://a.test/day/2024-05-03" in second
    assert "\x1b" not in second


def test_what_is_in_the_bin_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = said(DONE.model_copy(update={"in_bin": 2, "failed": 1}), capsys)
    assert "48 of 51 pages, 1 failed, 2 in the bin" in line


def test_what_lies_too_far_away_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    _first, second = said(DONE.model_copy(update={"too_far": 12}), capsys)
    assert second.strip() == "too far: 12 pages more than 5 links away"
    assert len(said(DONE, capsys)) == 1
