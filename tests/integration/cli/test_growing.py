"""``webrag expand``, ``webrag capture`` and ``webrag add --links`` over a site on loopback."""

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.pages import PageServer, RequestHandler
from tests.support.sites import ANSWER, QUESTION, Topic, manual, site, slowly
from webrag_desktop.cli.commands import capture
from webrag_desktop.cli.commands.expand import chosen_numbers


@pytest.fixture(scope="module")
def shared() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture
def webrag(shared: Program) -> Iterator[Program]:
    yield shared
    there = shared.answer("list", "--json")
    if there:
        shared.answer("remove", "--for-good", "--yes", "--json", *(one["id"] for one in there))


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer(site(manual())) as server:
        yield server


def documented(pages: PageServer) -> list[str]:
    """What ``docs/cli.md`` shows of this very run."""
    page = (Path(__file__).parents[3] / "docs" / "cli.md").read_text("utf-8")
    reported: list[str] = re.findall(
        rf'```console\n\$ webrag expand --yes "{re.escape(QUESTION)}"\n(.*?)```', page, re.DOTALL
    )
    (shown,) = reported
    return (
        shown.replace("https://ship.example", pages.url(""))
        .replace("ship.example", f"127.0.0.1:{pages.port}")
        .splitlines()
    )


def events_of(out: str) -> list[Any]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_question_is_answered_by_following_links_and_the_way_is_drawn(
    webrag: Program, pages: PageServer
) -> None:
    webrag.answer("add", "--json", pages.url("/"))
    done = webrag.run("expand", "--yes", QUESTION)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines == documented(pages)
    assert f"127.0.0.1:{pages.port} → /engine [–] → /cooling [✓]" in [
        " ".join(line.split()) for line in lines
    ]
    assert "The library covers the question now." in lines
    assert any(line.split()[:2] == ["added", pages.url(ANSWER)] for line in lines)
    listed = webrag.answer("expand", "--list", "--json")
    assert listed[0]["question"] == QUESTION
    shown = webrag.run("expand", "--show", listed[0]["id"][:8], "--titles")
    assert "Cooling water pump" in shown.out
    assert webrag.run("expand", "--resume", listed[0]["id"]).code == 2


def test_as_json_it_is_one_event_a_line(webrag: Program, pages: PageServer) -> None:
    webrag.answer("add", "--json", pages.url("/"))
    done = webrag.run("expand", "--yes", "--json", "--pages", "1", QUESTION)
    assert done.code == 1
    events = events_of(done.out)
    assert [event["type"] for event in events] == [
        f"expansion.{name}" for name in ("started", "candidates", "visited", "judged", "ended")
    ]
    assert events[-1]["run"]["reason"] == "limits"


def test_a_run_at_its_limit_names_it_and_goes_on_within_another(webrag: Program, pages: PageServer) -> None:
    webrag.answer("add", "--json", pages.url("/"))
    done = webrag.run("expand", "--yes", "--pages", "1", QUESTION)
    run = webrag.answer("expand", "--list", "--json")[0]
    assert (run["reason"], run["limit_met"], run["chosen_by_user"]) == ("limits", "pages", False)
    reported = (
        f"The limit of pages (1) is reached; `webrag expand --resume {run['id'][:8]} --pages 2` goes on."
    )
    assert reported in done.out
    assert reported in webrag.run("expand", "--show", run["id"]).out
    assert webrag.run("expand", "--resume", run["id"][:8]).code == 1, "as it was, it is at its limit"
    done = webrag.run("expand", "--resume", run["id"][:8], "--pages", "9", "--json")
    assert done.code == 0, done.err
    ended = events_of(done.out)[-1]["run"]
    assert (ended["id"], ended["reason"], ended["limits"]["pages"]) == (run["id"], "covered", 9)


def test_a_run_that_asked_asks_again_when_it_goes_on(webrag: Program, pages: PageServer) -> None:
    webrag.answer("add", "--json", pages.url("/"))
    done = webrag.run("expand", "--ask", QUESTION, given="\n")
    assert done.code == 130
    assert "Stopped. What was fetched is kept" in done.out
    done = webrag.run("expand", "--resume", given="\n")
    assert "Which to follow" in done.err
    assert done.code == 130
    assert [request.path for request in pages.requests] == ["/"], "nothing without a yes"
    done = webrag.run("expand", "--resume", "--yes")
    assert done.code == 0, done.err
    assert "Which to follow" not in done.err


def test_links_left_out_for_their_addresses_are_counted(webrag: Program) -> None:
    days = tuple((f"/events?date=2024-05-{day}", f"Events of the {day}th") for day in range(10, 30))
    with PageServer(site([Topic("/", "Events", "All events of the month of May.", days)])) as pages:
        webrag.answer("add", "--json", pages.url("/"))
        asked = ("expand", "--yes", "--pages", "1", "Which events did the month of July have?")
        events = events_of(webrag.run(*asked, "--json").out)
        (offered,) = [event for event in events if event["type"] == "expansion.candidates"]
        assert (len(offered["links"]), offered["left_out"]) == (4, 16)
        assert "16 more are left out" in webrag.run(*asked).err


def test_pages_further_away_than_asked_for_are_counted(webrag: Program, pages: PageServer) -> None:
    (done,) = webrag.answer("capture", "--yes", "--depth", "1", "--scope", "site", "--json", pages.url("/"))
    assert (done["reason"], done["left_out"], done["too_far"]) == ("done", 0, 5)
    assert "too far: 5 pages more than 1 link away" in webrag.run("capture", "--list").out


def test_a_preview_fetches_nothing_and_without_a_yes_nothing_is_followed(
    webrag: Program, pages: PageServer
) -> None:
    webrag.answer("add", "--json", pages.url("/"))
    done = webrag.run("expand", "--preview", QUESTION)
    assert done.code == 0
    assert pages.url("/engine/") in done.out
    assert webrag.run("expand", QUESTION).code == 2
    assert [request.path for request in pages.requests] == ["/"]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (["expand"], 2),
        (["expand", "--resume", "abcd", "words"], 2),
        (["expand", "--show", "00000000"], 2),
        (["expand", "--yes", "--depth", "0", "words"], 4),
        (["capture"], 2),
        (["capture", "x.example", "--list"], 2),
        (["capture", "https://example.org", "--pages", "0"], 2),
        (["capture", "--stop", "00000000"], 2),
    ],
)
def test_what_cannot_be_meant_is_said(webrag: Program, wrong: list[str], code: int) -> None:
    done = webrag.run(*wrong)
    assert done.code == code, done.err
    assert done.err


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ("", []),
        ("all", [1, 2, 3, 4]),
        ("2", [2]),
        ("1,3-4", [1, 3, 4]),
        ("3 3, 1", [3, 1]),
        ("5", None),
        ("3-2", None),
        ("0", None),
        ("x", None),
    ],
)
def test_links_are_chosen_by_number(given: str, chosen: list[int] | None) -> None:
    assert chosen_numbers(given, 4) == chosen


def test_a_section_is_previewed_captured_and_listed(webrag: Program, pages: PageServer) -> None:
    preview = webrag.answer("capture", "--preview", "--json", pages.url("/engine/"))
    assert (preview["found"], preview["prefix"]) == (3, "/engine/")
    shown = webrag.run("capture", "--preview", pages.url("/engine/"))
    assert shown.out.splitlines()[0].endswith(
        "/engine/: 3 pages beside the first one; these may lead to more."
    )
    assert shown.err == ""
    assert webrag.run("capture", pages.url("/engine/")).code == 2, "nobody is there to be asked"
    (done,) = webrag.answer("capture", "--yes", "--json", pages.url("/engine/"))
    assert (done["reason"], done["visited"], done["failed"]) == ("done", 4, 0)
    reported = webrag.run("capture", "--list").out
    assert done["id"][:8] in reported
    assert "4 of 4 pages" in reported


def test_what_was_previewed_is_not_read_again_after_the_yes(
    webrag: Program, pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "_agreed", lambda _output, found: found.found == 1)
    pages.pages["/sitemap.xml"] = pages.url("/engine/oil")
    (done,) = webrag.answer("capture", "--scope", "sitemap", "--json", pages.url("/"))
    assert (done["reason"], done["visited"]) == ("done", 2)
    assert [request.path for request in pages.requests].count("/sitemap.xml") == 1


def test_ctrl_c_ends_the_reading_of_sitemaps(pages: PageServer) -> None:
    asked = threading.Event()

    def silent(handler: RequestHandler) -> None:
        asked.set()
        handler.wait(60)

    pages.pages["/sitemap.xml"] = silent
    with (
        program(Program) as webrag,
        webrag.start("capture", "--scope", "sitemap", "--preview", pages.url("/")) as running,
    ):
        assert asked.wait(60)
        running.send_signal(signal.SIGINT)
        _out, err = running.communicate(timeout=30)
        assert running.returncode == 130
        assert "Stopped as you asked." in err.decode()


def test_a_capture_goes_on_in_the_background_is_reported_and_can_be_stopped(
    webrag: Program, pages: PageServer
) -> None:
    webrag.run("pause")
    held = webrag.run("capture", "--yes", pages.url("/galley/"))
    assert held.code == 3
    assert "Indexing is paused" in held.err
    webrag.answer("capture", "--stop", held.out.split()[0], "--json")
    begun = webrag.run("capture", "--yes", "--no-wait", "--json", pages.url("/engine/"))
    (capture,) = json.loads(begun.out)
    status = webrag.run("status", "--json").json
    assert [one["id"] for one in status["captures"]] == [capture["id"]]
    assert capture["id"][:8] in webrag.run("status").out
    stopped = webrag.answer("capture", "--stop", capture["id"][:8], "--json")
    assert stopped["reason"] == "cancelled"
    webrag.run("resume")
    assert webrag.run("status", "--json").json["captures"] == []


def test_a_page_is_added_with_those_it_links_to(webrag: Program, pages: PageServer) -> None:
    report = webrag.answer("add", "--links", "1", "--json", pages.url("/"))
    (capture,) = report["captures"]
    assert (report["counts"]["added"], report["items"][0]["state"]) == (1, "ready")
    assert (capture["reason"], capture["visited"]) == ("done", 7)
    assert sorted(row["depth"] for row in webrag.answer("list", "--json")) == [0, *[1] * 6]
    reported = webrag.run("add", "--links", "1", "--yes", pages.url("/")).out.splitlines()
    assert reported[0] == "Already there: 1"
    assert any(line.endswith("done: 7 of 7 pages") for line in reported)


@pytest.mark.parametrize(
    ("wrong", "reported"),
    [
        ((".",), "is not a web page"),
        (("--kinds", "pdf"), "--kinds is about folders"),
        (("ftp://ship.example/",), "Nothing was added"),
    ],
)
def test_links_are_followed_from_web_pages_alone(
    webrag: Program, pages: PageServer, wrong: tuple[str, ...], reported: str
) -> None:
    done = webrag.run("add", "--links", "1", pages.url("/"), *wrong)
    assert done.code == 2
    assert reported in done.err
    assert webrag.answer("list", "--json") == []
    assert pages.requests == []


def test_pages_are_kept_with_their_links_while_the_database_is_away(
    webrag: Program, pages: PageServer
) -> None:
    assert webrag.run("stack", "stop").code == 0
    version = webrag.home / "database" / "data" / "PG_VERSION"
    right = version.read_text(encoding="utf-8")
    version.write_text("9.6\n", encoding="utf-8")
    kept = webrag.run("add", "--links", "1", "--tag", "ship", "--json", pages.url("/"))
    version.write_text(right, encoding="utf-8")
    assert kept.code == 3, kept.err
    assert [item["outcome"] for item in kept.json["items"]] == ["kept"]
    report = webrag.answer("work", "--json")
    assert [(one["reason"], one["visited"]) for one in report["captures"]] == [("done", 7)]
    assert webrag.answer("tag", "--json") == [{"name": "ship", "documents": 7}]


def test_the_first_ctrl_c_at_the_question_which_links_to_follow_ends_the_run_at_once(
    pages: PageServer,
) -> None:
    with program(Program) as webrag:
        webrag.answer("add", "--json", pages.url("/"))
        with webrag.start("expand", "--ask", QUESTION, stdin=subprocess.PIPE) as running:
            assert running.stderr is not None
            reported = b""
            while b"Which to follow" not in reported:
                reported += os.read(running.stderr.fileno(), 1000)
            while psutil.Process(running.pid).status() != psutil.STATUS_SLEEPING:
                pass  # until it reads: between the two Python hears no signal
            running.send_signal(signal.SIGINT)
            assert running.wait(30) == 130, "while standard input stays open"
        assert webrag.answer("expand", "--list", "--json")[0]["reason"] == "stopped"
        assert [request.path for request in pages.requests] == ["/"]


def test_ctrl_c_keeps_what_is_there_and_resume_goes_on(pages: PageServer, tmp_path: Path) -> None:
    galley = next(topic for topic in manual() if topic.path == "/engine/cooling")
    pages.pages["/engine/cooling"] = slowly(galley, 60)
    with program(Program) as webrag:
        webrag.answer("add", "--json", pages.url("/"))
        seen = []
        with webrag.start("expand", "--yes", "--json", QUESTION) as running:
            assert running.stdout is not None
            for line in running.stdout:
                seen.append(json.loads(line))
                if seen[-1]["type"] == "expansion.candidates" and seen[-1]["round"] == 2:
                    running.send_signal(signal.SIGINT)
            assert running.wait(60) == 130
        assert seen[-1]["run"]["reason"] == "stopped"
        states = {row["url"]: row["state"] for row in webrag.answer("list", "--json")}
        assert states == {pages.url("/"): "ready", pages.url("/engine/"): "ready"}
        pages.pages["/engine/cooling"] = galley.html
        done = webrag.run("expand", "--resume", "--json")
        assert done.code == 0, done.err
        assert events_of(done.out)[-1]["run"]["reason"] == "covered"
