"""Steering the queue from the command line, a model that is away, and what is reported of a document."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import EmbeddingServer, json_reply, status
from tests.support.faults.outcome import MODEL, settings_for
from tests.support.pages import PageServer
from tests.support.queue_work import article
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings


@pytest.fixture(scope="module")
def models() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({MODEL: 768}) as running:
        yield running


@pytest.fixture(scope="module")
def webrag(models: EmbeddingServer) -> Iterator[Program]:
    with program(ProgramHere, **settings_for(models)) as started:
        yield started


@pytest.fixture(scope="module")
def services(webrag: Program, models: EmbeddingServer) -> Iterator[Library]:
    """The library opened beside the commands, as a window does."""
    settings = Settings.of(WEBRAG_HOME=webrag.home, **settings_for(models))
    with DataFolder(settings).open() as opened:
        yield opened


def note(folder: Path, name: str, text: str = "rivers") -> str:
    path = folder / name
    path.write_text(f"{name} is about {text}.", encoding="utf-8")
    return str(path)


def test_pausing_and_resuming(webrag: Program, services: Library, tmp_path: Path) -> None:
    paused = webrag.answer("pause", "--json")
    assert (paused["paused"], paused["waiting"], paused["worker"]) == (True, 0, False)
    given = note(tmp_path, "one.md")
    webrag.answer("add", "--no-wait", "--json", given)
    (listed,) = webrag.answer("list", "--json")
    assert (listed["state"], listed["priority"], listed["waits_for"]) == ("queued", "asked", None)
    assert webrag.answer("pause", "--json")["levels"] == {"asked": 1, "many": 0, "behind": 0}
    assert "1 open, paused" in webrag.run("pause").out
    resumed = webrag.answer("resume", "--json")
    assert resumed["paused"] is False
    assert webrag.run("work").code == 0
    assert services.documents.find(given).state == "ready"
    assert webrag.answer("resume", "--json")["waiting"] == 0


def test_cancelling_some_and_all(webrag: Program, services: Library, tmp_path: Path) -> None:
    ready = note(tmp_path, "ready.md")
    assert webrag.run("add", ready).code == 0
    webrag.answer("pause", "--json")
    first, second = note(tmp_path, "first.md"), note(tmp_path, "second.md")
    webrag.answer("add", "--no-wait", "--json", first, second)
    note(tmp_path, "ready.md", "mountains")
    webrag.answer("refresh", "--no-wait", "--json", ready)
    assert webrag.run("cancel").code == 2
    assert webrag.run("cancel", first, str(tmp_path / "unknown.md")).code == 2
    assert services.documents.find(first).state == "queued", "none is stopped if one is unknown"
    stopped = webrag.answer("cancel", "--json", first)
    assert [item["outcome"] for item in stopped["items"]] == ["cancelled"]
    again = webrag.answer("cancel", "--json", first, ready)
    assert [item["outcome"] for item in again["items"]] == ["cancelled", "unchanged"]
    rest = webrag.answer("cancel", "--all", "--json")
    assert [item["outcome"] for item in rest["items"]] == ["cancelled"]
    assert webrag.run("cancel", "--all").out == "Nothing was queued.\n"
    assert services.documents.find(second).state == "cancelled"
    assert webrag.run("resume").out.startswith("queue      empty")


def test_with_no_server_at_all_the_words_are_found_and_the_vectors_follow(
    webrag: Program, services: Library, models: EmbeddingServer, tmp_path: Path
) -> None:
    assert webrag.run("add", note(tmp_path, "before.md")).code == 0, "the library has its model"
    cut_off = ProgramHere(webrag.home, {**webrag.extra, "EMBEDDING_BASE_URL": "http://127.0.0.1:9"})
    services.queue.pause()
    given = note(tmp_path, "cut off.md", "basalt")
    webrag.answer("add", "--no-wait", "--json", given)
    with services.database.connection() as conn:  # it was tried twice before
        conn.execute("UPDATE jobs SET setbacks = 2 WHERE finished_at IS NULL")
    services.queue.resume()
    assert cut_off.run("add", given).code == 1
    found = cut_off.answer("search", "--json", "basalt")
    assert "basalt" in found["chunks"][0]["chunk_text"]
    assert found["degraded"] is not None
    assert webrag.run("work").code == 0
    assert webrag.answer("search", "--json", "basalt")["degraded"] is None


def test_a_model_that_is_away_is_waited_for_within_reason_and_work_tries_at_once(
    webrag: Program, services: Library, models: EmbeddingServer, tmp_path: Path
) -> None:
    assert webrag.run("add", note(tmp_path, "before.md")).code == 0, "the library has its model"
    services.queue.pause()
    given = note(tmp_path, "waiting.md", "granite")
    webrag.answer("add", "--no-wait", "--json", given)
    with services.database.connection() as conn:  # it was tried twice before
        conn.execute("UPDATE jobs SET setbacks = 2 WHERE finished_at IS NULL")
    services.queue.resume()
    models.fail_over("granite", status(503, "loading model"))
    waited = webrag.run("add", "--json", given)
    (item,) = waited.json["items"]
    assert (waited.code, item["outcome"], item["state"]) == (1, "queued", "queued")
    assert item["reason"].startswith("Waiting for the embedding model, again at ")
    assert "tried again automatically" in waited.err
    listed = next(one for one in webrag.answer("list", "--json") if one["id"] == item["id"])
    assert (listed["waits_for"], listed["searchable"], listed["priority"]) == ("model", True, "asked")
    queue = webrag.run("status", "--json").json["queue"]
    assert (queue["postponed"], queue["next_at"]) == (1, listed["waits_until"])
    assert "1 wait for what is away" in webrag.run("status").out
    assert "waiting until" in webrag.run("history", item["id"]).out
    models.fail_over("granite", json_reply)
    worked = webrag.answer("work", "--json")["items"]
    assert [one["outcome"] for one in worked] == ["added"], "its words could be found before, but it is new"
    reported = webrag.answer("history", "--json", item["id"])
    assert [event["kind"] for event in reported["events"]] == ["added", "captured", "text", "ready"]
    said = webrag.run("history", item["id"]).out.splitlines()
    assert [line.split("  ")[1].split(" ")[0] for line in said[1:]] == ["added", "captured", "text", "ready"]


def test_a_page_whose_site_does_not_answer_waits_where_it_can_be_seen(webrag: Program) -> None:
    with PageServer({"/there": article("Rhine")}) as site:
        gone = site.url("/there")
    tried = webrag.run("add", "--json", gone)
    (item,) = tried.json["items"]
    assert (tried.code, item["outcome"], item["state"]) == (1, "queued", "queued")
    assert "refused the connection: waiting for the site, again at " in item["reason"]
    assert "tried again automatically" in tried.err
    listed = next(one for one in webrag.answer("list", "--json") if one["id"] == item["id"])
    assert (listed["waits_for"], listed["searchable"]) == ("site", False)
    queue = webrag.run("status", "--json").json["queue"]
    assert (queue["postponed"], queue["next_at"]) == (1, listed["waits_until"])
    assert "1 wait for what is away" in webrag.run("status").out
    (event,) = (one for one in webrag.answer("history", "--json", item["id"])["events"] if one["until"])
    assert (event["kind"], event["until"]) == ("waiting", listed["waits_until"])
    assert "waiting until" in webrag.run("history", item["id"]).out
    assert webrag.answer("remove", "--json", item["id"])["counts"]["removed"] == 1


def test_how_far_away_what_is_added_is_can_be_reported(webrag: Program, tmp_path: Path) -> None:
    linked = note(tmp_path, "linked.md", "the mouth of a river")
    assert webrag.run("add", "--depth", "2", "--no-wait", linked).code == 0
    listed = {item["url"].rpartition("/")[2]: item["depth"] for item in webrag.answer("list", "--json")}
    assert listed["linked.md"] == 2
    for depth in ("-1", "1.5", "far"):
        assert webrag.run("add", "--depth", depth, linked).code == 2
