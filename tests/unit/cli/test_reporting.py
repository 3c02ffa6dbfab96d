import json
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from tests.unit.cli.test_progress import SOURCE
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, plain_data
from webrag_desktop.cli.reporting import code_of_report, item_of, item_of_error, print_report
from webrag_desktop.cli.shapes.documents import HistoryReport, document_of
from webrag_desktop.cli.shapes.reports import Outcome, ReportItem
from webrag_desktop.errors import InputError
from webrag_desktop.models.queue import Event
from webrag_desktop.models.sources import NO_LABELS


def item(outcome: Outcome, *, known: bool = True) -> ReportItem:
    return ReportItem(given="x", outcome=outcome, id=uuid4() if known else None)


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ([], ExitCode.OK),
        ([item("added"), item("present"), item("changed"), item("queued")], ExitCode.OK),
        ([item("added"), item("failed")], ExitCode.FAILED),
        ([item("failed")], ExitCode.FAILED),
        ([item("added"), item("failed", known=False)], ExitCode.FAILED),
        ([item("failed", known=False), item("failed", known=False)], ExitCode.USAGE),
        ([item("failed", known=False), item("kept", known=False)], ExitCode.UNAVAILABLE),
    ],
)
def test_exit_code_of_a_report(items: list[ReportItem], code: ExitCode) -> None:
    assert code_of_report(items) == code


def test_report_groups_by_outcome_and_tells_reason_and_hint(capsys: pytest.CaptureFixture[str]) -> None:
    added = ReportItem(
        given="a", outcome="added", id=uuid4(), source_url="https://example.org/a", title="A", state="ready"
    )
    joined = added.model_copy(update={"given": "https://example.org/old", "outcome": "present"})
    failed = item_of_error("b", "failed", InputError("It is no address.", "Give one."))
    print_report(Output(), [failed, added, joined])
    assert capsys.readouterr().out.splitlines() == [
        "Added: 1",
        "  A — https://example.org/a",
        "Already there: 1",
        "  A — https://example.org/a",
        "    (given as https://example.org/old)",
        "Failed: 1",
        "  b",
        "    It is no address.",
        "    Give one.",
    ]


def test_what_a_line_reported_already_is_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    added = ReportItem(given="https://a.org/", outcome="added", id=uuid4(), source_url="https://a.org/")
    outcomes: list[Outcome] = ["added", "present", "unchanged", "failed", "cancelled", "changed", "queued"]
    items = [added.model_copy(update={"outcome": outcome}) for outcome in outcomes]
    joined = added.model_copy(update={"outcome": "present", "given": "https://a.org/old"})
    output.reported.update([added.id] if added.id else [])
    print_report(output, [*items, joined])
    assert capsys.readouterr().out.splitlines() == [
        "Added: 1",
        "Changed, read again: 1",
        "  https://a.org/",
        "As they were: 1",
        "Already there: 2",
        "  https://a.org/",
        "    (given as https://a.org/old)",
        "Queued: 1",
        "  https://a.org/",
        "Stopped: 1",
        "Failed: 1",
    ]


def test_report_as_json_counts_outcomes(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    output.as_json = True
    print_report(output, [item("added"), item("added"), item("failed")])
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert (counts["added"], counts["failed"], counts["present"]) == (2, 1, 0)


def test_a_path_that_is_no_text_can_be_reported(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    output.as_json = True
    print_report(
        output, [item_of_error("caf\udce9.md", "failed", InputError("There is no file caf\udce9.md", ""))]
    )
    assert json.loads(capsys.readouterr().out)["items"][0]["given"].startswith("caf")


def test_every_reason_ends_as_a_sentence() -> None:
    assert item_of_error("a.md", "failed", InputError("The file is empty")).reason == "The file is empty."
    source = replace(SOURCE, state="failed", state_reason="The page is gone (404)")
    event = Event(datetime(2026, 3, 1, tzinfo=UTC), "failed", reason="The page is gone (404)")
    reasons = (
        item_of("a.md", "failed", source).reason,
        plain_data(document_of(source, NO_LABELS))["reason"],
        HistoryReport.of(source, [event]).events[0].reason,
    )
    assert reasons == ("The page is gone (404).",) * 3
    assert item_of("a.md", "added", replace(source, state_reason=None)).reason is None
