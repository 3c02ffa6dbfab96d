"""Trying again from the command line, over the real program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.pages import Page, PageServer
from tests.support.queue_work import article


@pytest.fixture(scope="module")
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture(scope="module")
def site() -> Iterator[PageServer]:
    with PageServer({}) as server:
        yield server


def outcomes(report: dict[str, list[dict[str, str]]]) -> list[str]:
    return [item["outcome"] for item in report["items"]]


def test_what_failed_is_fetched_again(webrag: Program, site: PageServer) -> None:
    given = site.url("/rhine")
    site.pages["/rhine"] = Page(b"", status=404)
    assert webrag.run("add", given).code == 1
    still = webrag.run("retry", "--json", given)
    assert (still.code, outcomes(still.json)) == (1, ["failed"])
    site.pages["/rhine"] = article("Rhine")
    assert outcomes(webrag.answer("retry", "--json", given)) == ["added"]
    ready = webrag.run("retry", given)
    assert (ready.code, "Already there: 1" in ready.out) == (0, True)


def test_what_was_stopped_is_read_and_reported_how(webrag: Program, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("Limpets clamp their shells to the rock.", encoding="utf-8")
    webrag.answer("pause", "--json")
    webrag.answer("add", "--no-wait", "--json", str(note))
    (stopped,) = webrag.answer("cancel", "--json", str(note))["items"]
    assert "Retry (`webrag retry`)" in stopped["reason"]
    webrag.answer("resume", "--json")
    assert outcomes(webrag.answer("retry", "--all", "--json")) == ["added"]
    assert webrag.run("retry", "--all").out == "Nothing failed, was stopped or waits.\n"
    assert webrag.answer("retry", "--all", "--json")["items"] == []
    assert [event["kind"] for event in webrag.answer("history", "--json", str(note))["events"]][-1] == "ready"


def test_a_stopped_change_is_taken_up_and_the_rest_left_to_the_background(
    webrag: Program, tmp_path: Path
) -> None:
    note = tmp_path / "changing.md"
    note.write_text("Kelp grows in cold water.", encoding="utf-8")
    assert webrag.run("add", str(note)).code == 0
    webrag.answer("pause", "--json")
    note.write_text("Kelp grows in cold water, and fast.", encoding="utf-8")
    webrag.answer("refresh", "--no-wait", "--json", str(note))
    assert outcomes(webrag.answer("cancel", "--json", str(note))) == ["unchanged"]
    paused = webrag.run("retry", "--no-wait", "--json", str(note))
    assert (paused.code, outcomes(paused.json)) == (0, ["queued"])
    assert "paused" in paused.err
    webrag.answer("resume", "--json")
    assert outcomes(webrag.answer("retry", "--json", str(note))) == ["changed"]
    assert webrag.answer("retry", "--all", "--json")["items"] == []


def test_all_that_was_stopped_are_stopped_changes_too(webrag: Program, tmp_path: Path) -> None:
    note = tmp_path / "tide.md"
    note.write_text("The tide comes in.", encoding="utf-8")
    assert webrag.run("add", str(note)).code == 0
    webrag.answer("pause", "--json")
    note.write_text("The tide comes in, and goes out.", encoding="utf-8")
    webrag.answer("refresh", "--no-wait", "--json", str(note))
    webrag.answer("cancel", "--json", str(note))
    webrag.answer("resume", "--json")
    assert outcomes(webrag.answer("retry", "--all", "--json")) == ["changed"]


def test_what_is_no_wish_changes_nothing(webrag: Program, tmp_path: Path) -> None:
    note = tmp_path / "stopped.md"
    note.write_text("Barnacles stay where they are.", encoding="utf-8")
    webrag.answer("pause", "--json")
    webrag.answer("add", "--no-wait", "--json", str(note))
    webrag.answer("cancel", "--json", str(note))
    for arguments in ((), ("--all", str(note)), (str(note), "0000")):
        assert webrag.run("retry", *arguments).code == 2
    (listed,) = [one for one in webrag.answer("list", "--json") if one["state"] == "cancelled"]
    assert listed["url"].endswith("stopped.md")
    webrag.answer("resume", "--json")


def test_work_tells_what_became_of_pages_that_their_site_had_not_given(
    webrag: Program, site: PageServer
) -> None:
    same, other, new = (site.url(path) for path in ("/same", "/other", "/new"))
    site.pages |= {"/same": article("Moselle"), "/other": article("Saar")}
    assert webrag.run("add", same, other).code == 0
    site.pages |= dict.fromkeys(("/same", "/other", "/new"), Page(b"", status=503))
    assert outcomes(webrag.run("refresh", "--json", same, other).json) == ["queued", "queued"]
    assert outcomes(webrag.run("add", "--json", new).json) == ["queued"]
    site.pages |= {"/same": article("Moselle"), "/other": article("Nahe"), "/new": article("Lahn")}
    reported = {item["given"]: item["outcome"] for item in webrag.answer("work", "--json")["items"]}
    assert reported == {same: "unchanged", other: "changed", new: "added"}
