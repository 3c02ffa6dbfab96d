"""The newcomer's journey through the command line: real processes, real database, real model, no network."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from tests.support.command_line import END_SECONDS, Finished, Program, program
from tests.support.pages import PAGES_DIRECTORY, Page, PageServer, RequestHandler
from webrag_desktop.cli.shapes import (
    ChunkOfDocument,
    DoctorReport,
    Document,
    DocumentText,
    ErrorReport,
    Report,
    StackReport,
    StatusReport,
)
from webrag_desktop.retrieval.models import RetrievalResult
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.storage.database import Database

GLOSSARY = "/python_glossary.html"
NOTES = "field_notes.md"
SCRIPTS = "scripts_and_emoji.md"
QUESTION = "what does a generator function return?"


@dataclass(frozen=True)
class Journey:
    """A library that was filled while its pages could be reached, and now they cannot."""

    webrag: Program
    glossary: str
    added: Finished


@pytest.fixture(scope="module")
def journey() -> Iterator[Journey]:
    with program() as webrag:
        with PageServer(directory=PAGES_DIRECTORY) as site:
            address = site.url(GLOSSARY)
            files = [str(PAGES_DIRECTORY / name) for name in (NOTES, SCRIPTS)]
            added = webrag.run("add", address, site.url("/nothing-here"), *files)
        yield Journey(webrag, address, added)


# -- Adding ---------------------------------------------------------------------------------------------------


def test_add_follows_each_document_in_plain_lines(journey: Journey) -> None:
    lines = journey.added.out.splitlines()
    of_glossary = [line.split()[0] for line in lines if line.endswith(journey.glossary) and "—" not in line]
    assert of_glossary[0] == "queued"
    assert of_glossary[-1] == "ready"
    assert len(of_glossary) == len(set(of_glossary))
    assert "\x1b" not in journey.added.out + journey.added.err


def test_add_reports_what_was_added_and_what_failed_and_why(journey: Journey) -> None:
    assert journey.added.code == 1
    assert "Added: 3" in journey.added.out
    assert "Failed: 1" in journey.added.out
    assert "404" in journey.added.out
    assert "Traceback" not in journey.added.err


def test_adding_again_finds_everything_there(journey: Journey) -> None:
    again = journey.webrag.run(
        "add", "--json", journey.glossary + "#term-generator", str(PAGES_DIRECTORY / NOTES)
    )
    assert again.code == 0
    assert [item.outcome for item in Report.model_validate(again.json).items] == ["present", "present"]


def test_input_that_cannot_be_used_says_why(journey: Journey) -> None:
    refused = journey.webrag.run(
        "add", "--json", "ftp://example.org/x", "no-such-file.md", "https://user:secret@example.org/"
    )
    assert refused.code == 2
    for item in Report.model_validate(refused.json).items:
        assert item.outcome == "failed"
        assert item.reason
        assert item.hint


def test_nothing_given_is_a_usage_error(journey: Journey) -> None:
    nothing = journey.webrag.run("add", "--json")
    assert nothing.code == 2
    assert ErrorReport.model_validate(nothing.json).error.exit_code == 2


# -- Searching, with the site gone ----------------------------------------------------------------------------


def test_search_finds_it_offline_verbatim(journey: Journey) -> None:
    found = journey.webrag.run("search", "--json", QUESTION)
    assert found.code == 0, found.err
    result = RetrievalResult.model_validate(found.json)
    assert result.mode == "chunk"
    assert result.degraded is None
    assert result.query_embedding == []
    best = max(result.chunks, key=lambda chunk: chunk.rank_score)
    assert best.source_url == journey.glossary
    assert "generator" in best.chunk_text
    assert any(chunk.matched_spans for chunk in result.chunks)
    documents = {chunk.document_id for chunk in result.chunks}
    texts = {document: _markdown(journey.webrag, str(document)) for document in documents}
    for chunk in result.chunks:
        markdown = texts[chunk.document_id]
        assert markdown[chunk.char_start : chunk.char_end] == chunk.chunk_text
        for span in chunk.matched_spans:
            assert markdown[span.char_start : span.char_end] == span.text


@pytest.mark.skipif(
    shutil.which("unshare") is None, reason="only Linux can take the network away from one program"
)
def test_search_needs_no_network_at_all(journey: Journey) -> None:
    assert journey.webrag.run("list").code == 0  # the server is up; it has no network door to begin with
    alone = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system forbids network namespaces")
    command = [*alone, sys.executable, "-m", "webrag_desktop", "search", "--json", QUESTION]
    found = subprocess.run(
        command, env=journey.webrag.environment, check=False, capture_output=True, timeout=60
    )
    assert found.returncode == 0, found.stderr.decode()
    result = json.loads(found.stdout)
    assert result["chunks"]
    assert result["degraded"] is None


def test_search_as_text_names_passage_score_and_address_with_anchor(journey: Journey) -> None:
    found = journey.webrag.run("search", QUESTION, "--limit", "2")
    assert found.code == 0
    first, passage, _context, address, score = found.out.splitlines()[:5]
    assert first == " 1. Glossary"  # title and section are the same words there
    notes = journey.webrag.run("search", "gauge calibration", "--source", str(PAGES_DIRECTORY / NOTES))
    assert " 1. Field notes from the tidal station — " in notes.out
    assert re.fullmatch(r"    score [01]\.\d\d, similarity 0\.\d\d", score)
    assert "generator" in passage
    assert passage.strip()[0] + passage.strip()[-1] == "“”"
    assert address.strip().startswith(f"{journey.glossary}#")
    assert "\n 3. " not in found.out


def test_search_gives_the_vector_when_asked(journey: Journey) -> None:
    found = journey.webrag.run("search", "--json", "--embedding", "--limit", "1", QUESTION)
    result = RetrievalResult.model_validate(found.json)
    assert len(result.query_embedding) == 384
    assert len(result.chunks) == 1


def test_search_can_be_scoped(journey: Journey) -> None:
    result = _json(
        journey.webrag, "search", "--json", "--source", str(PAGES_DIRECTORY / NOTES), "gauge calibration"
    )
    assert {chunk["title"] for chunk in result["chunks"]} == {"Field notes from the tidal station"}
    of_site = _json(journey.webrag, "search", "--json", "--site", "127.0.0.1", "gauge calibration generator")
    assert {chunk["source_url"] for chunk in of_site["chunks"]} <= {journey.glossary}
    unknown = journey.webrag.run("search", "--site", "example.org", "anything")
    assert unknown.code == 2
    assert "example.org" in unknown.err
    failed = journey.glossary.replace(GLOSSARY, "/nothing-here")
    without_text = journey.webrag.run("search", "--source", failed, "anything")
    assert without_text.code == 2
    assert "no text" in without_text.err


def test_a_search_without_hits_is_no_failure(journey: Journey) -> None:
    found = journey.webrag.run("search", "qqqxzzv")
    assert found.code == 0
    assert "qqqxzzv" in found.out
    assert len(found.out.splitlines()) == 1


def test_an_empty_question_is_refused(journey: Journey) -> None:
    assert journey.webrag.run("search", "  ").code == 2


# -- Looking --------------------------------------------------------------------------------------------------


def test_list_and_show_have_the_documented_shape(journey: Journey) -> None:
    documents = [Document.model_validate(row) for row in _json(journey.webrag, "list", "--json")]
    assert [document.state for document in documents] == ["ready", "failed", "ready", "ready"]
    glossary, failed = documents[0], documents[1]
    assert glossary.source_url == journey.glossary
    assert glossary.tokens > 0
    assert failed.source_url.endswith("/nothing-here")
    assert failed.reason
    shown = DocumentText.model_validate(_json(journey.webrag, "show", "--json", str(glossary.id)[:8]))
    assert shown.id == glossary.id
    assert shown.markdown
    assert glossary.title
    assert glossary.title in journey.webrag.run("list").out
    assert shown.markdown in journey.webrag.run("show", journey.glossary).out


def test_chunks_of_both_levels_stand_in_the_text(journey: Journey) -> None:
    chunks = [
        ChunkOfDocument.model_validate(row)
        for row in _json(journey.webrag, "chunks", "--json", journey.glossary)
    ]
    markdown = _markdown(journey.webrag, journey.glossary)
    assert "".join(chunk.chunk_text for chunk in chunks if chunk.chunk_level == "parent") == markdown
    assert "".join(chunk.chunk_text for chunk in chunks if chunk.chunk_level == "child") == markdown
    parents = {chunk.id for chunk in chunks if chunk.chunk_level == "parent"}
    for chunk in chunks:
        assert markdown[chunk.char_start : chunk.char_end] == chunk.chunk_text
        assert chunk.embedded == (chunk.chunk_level == "child")
        assert (chunk.parent_id in parents) == (chunk.chunk_level == "child")


def test_characters_of_every_script_come_through(journey: Journey) -> None:
    shown = _markdown(journey.webrag, str(PAGES_DIRECTORY / SCRIPTS))
    original = (PAGES_DIRECTORY / SCRIPTS).read_text("utf-8")
    beyond_latin = {char for char in original if ord(char) > 0x2E7F}
    assert beyond_latin
    assert beyond_latin <= set(shown)


def test_status_and_doctor_have_the_documented_shape(journey: Journey) -> None:
    status = StatusReport.model_validate(_json(journey.webrag, "status", "--json"))
    assert status.home == str(journey.webrag.home)
    assert status.stack.parts[0].state == "running"
    assert status.library is not None
    assert status.library.states == {"ready": 3, "failed": 1}
    assert status.library.documents == 3
    assert status.embedding.settled
    doctor = DoctorReport.model_validate(_json(journey.webrag, "doctor", "--json"))
    assert doctor.ok
    assert len(doctor.checks) >= 10


@pytest.mark.parametrize("command", ["show", "remove"])
def test_an_unknown_id_is_named(journey: Journey, command: str) -> None:
    unknown = journey.webrag.run(command, "--json", "https://example.org/never-added")
    assert unknown.code == 2
    assert "never-added" in ErrorReport.model_validate(unknown.json).error.message


# -- Changing -------------------------------------------------------------------------------------------------


def test_files_are_read_anew_when_changed_and_removed_on_demand(journey: Journey, tmp_path: Path) -> None:
    note = tmp_path / "潮 🌊.md"
    note.write_text("# 潮汐\n\n满潮 means high tide 🌊.\n", "utf-8")
    assert journey.webrag.run("add", str(note)).code == 0
    note.write_text("# 潮汐\n\n干潮 means low tide 🌊.\n", "utf-8")
    changed = Report.model_validate(_json(journey.webrag, "add", "--json", str(note)))
    assert changed.items[0].outcome == "changed"
    assert "干潮" in _markdown(journey.webrag, str(note))
    removed = Report.model_validate(_json(journey.webrag, "remove", "--json", str(note)))
    assert removed.counts.removed == 1
    assert journey.webrag.run("show", str(note)).code == 2
    assert journey.webrag.run("doctor").code == 0


def test_two_addresses_of_one_page_become_one_document(journey: Journey) -> None:
    page = Page(
        "<title>One</title><main><h1>One page</h1><p>It answers to two addresses, and is one.</p></main>"
    )
    with PageServer({"/new": page, "/old": Page.redirect("/new")}) as site:
        report = Report.model_validate(
            _json(journey.webrag, "add", "--json", site.url("/new"), site.url("/old"))
        )
    assert sorted(item.outcome for item in report.items) == ["added", "present"]
    assert len({item.id for item in report.items}) == 1
    assert journey.webrag.run("remove", "--yes", site.url("/old")).code == 0


def test_addresses_come_from_standard_input(journey: Journey, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} text of two.", "utf-8")
    lines = "".join(f"{tmp_path / name}.txt\n\n" for name in ("first", "second"))
    added = journey.webrag.run("add", "--json", "-", given=lines)
    report = Report.model_validate(added.json)
    assert report.counts.added == 2
    ids = [str(item.id) for item in report.items]
    assert journey.webrag.run("remove", *ids).code == 0


# -- Trying it out --------------------------------------------------------------------------------------------


def test_the_demo_shows_the_first_commands_and_leaves_nothing(tmp_path: Path) -> None:
    webrag = Program(tmp_path / "own", {"TMPDIR": str(tmp_path), "TMP": str(tmp_path)})
    shown = webrag.run("demo")
    assert shown.code == 0, shown.out + shown.err
    for command in ("$ webrag add ", "$ webrag search ", "$ webrag list"):
        assert command in shown.out
    assert " 1. Tide pools — Living through low tide" in shown.out
    assert "Limpets survive low tide" in shown.out
    assert list(tmp_path.iterdir()) == []  # no library of its own, no demo folder, nothing a dependency noted


# -- Interrupted ----------------------------------------------------------------------------------------------


class HeldBack:
    """A page that is asked for and not answered until it is released."""

    def __init__(self) -> None:
        self.asked, self.released = Event(), Event()

    def __call__(self, handler: RequestHandler) -> None:
        self.asked.set()
        while not (self.released.is_set() or handler.wait(0.02)):
            continue
        handler.send_page(
            "<title>Late</title><main><h1>Late</h1><p>This page took its time to come.</p></main>"
        )


@pytest.fixture(scope="module")
def other() -> Iterator[Program]:
    """A library of its own for the tests that kill."""
    with program() as webrag:
        yield webrag


def test_killed_in_mid_add_it_resumes(other: Program) -> None:
    held = HeldBack()
    with PageServer({"/late": held}) as site:
        adding = other.start("add", site.url("/late"), str(PAGES_DIRECTORY / NOTES))
        assert held.asked.wait(60)
        worker = other.worker()
        assert worker is not None
        _kill(adding)
        worker.kill()
        psutil.wait_procs([worker], END_SECONDS)
        held.released.set()
        waiting = StatusReport.model_validate(_json(other, "status", "--json")).queue
        assert (waiting.waiting, waiting.running, waiting.worker) == (1, 1, False)
        resumed = Report.model_validate(_json(other, "work", "--json"))
    assert resumed.counts.added == 2
    assert other.run("doctor").code == 0
    assert other.run("work").out.strip() == "Nothing is queued."


def test_a_killed_worker_is_replaced_while_add_waits(other: Program) -> None:
    held = HeldBack()
    with PageServer({"/again": held}) as site:
        adding = other.start("add", "--json", site.url("/again"))
        assert held.asked.wait(60)
        worker = other.worker()
        assert worker is not None
        worker.kill()
        psutil.wait_procs([worker], END_SECONDS)
        held.asked.clear()
        assert held.asked.wait(60)  # by a successor
        assert other.worker() not in {None, worker}
        held.released.set()
        out, err = adding.communicate(timeout=60)
    assert adding.returncode == 0, err.decode()
    assert Report.model_validate(json.loads(out)).counts.added == 1
    assert other.run("doctor").code == 0


def test_killed_while_embedding_it_resumes(other: Program) -> None:
    page = str(PAGES_DIRECTORY / "sklearn_ensemble.html")
    adding = other.start("add", page)
    assert adding.stdout is not None
    for line in adding.stdout:
        if line.startswith(b"embedding"):
            break
    worker = other.worker()
    assert worker is not None
    worker.kill()
    _kill(adding)
    psutil.wait_procs([worker], END_SECONDS)
    assert _json(other, "show", "--json", page)["state"] == "embedding"
    assert other.run("work").code == 0
    assert _json(other, "show", "--json", page)["state"] == "ready"
    assert other.run("doctor").code == 0


def test_a_killed_database_ends_add_with_a_sentence_and_work_goes_on(other: Program) -> None:
    held = HeldBack()
    with PageServer({"/lost-server": held}) as site:
        adding = other.start("add", site.url("/lost-server"))
        assert held.asked.wait(60)
        worker = other.worker()
        assert worker is not None
        pid_file = other.home / "database" / "data" / "postmaster.pid"
        psutil.Process(int(pid_file.read_text(encoding="utf-8").split()[0])).kill()
        held.released.set()
        _out, err = adding.communicate(timeout=60)
        assert adding.returncode == 3
        assert "does not answer" in err.decode()
        assert "Traceback" not in err.decode()
        psutil.wait_procs([worker], END_SECONDS)
        assert other.run("work").code == 0
    assert _json(other, "show", "--json", site.url("/lost-server"))["state"] == "ready"
    assert other.run("doctor").code == 0


def test_the_next_add_takes_a_killed_one_along(other: Program) -> None:
    held = HeldBack()
    with PageServer({"/third": held}) as site:
        adding = other.start("add", site.url("/third"))
        assert held.asked.wait(60)
        worker = other.worker()
        assert worker is not None
        _kill(adding)
        worker.kill()
        held.released.set()
        again = Report.model_validate(_json(other, "add", "--json", site.url("/third")))
    assert again.items[0].state == "ready"


@pytest.mark.skipif(psutil.WINDOWS, reason="signals to another process are POSIX")
def test_interrupted_it_stops_its_worker_and_says_what_is_kept(other: Program) -> None:
    held = HeldBack()
    with PageServer({"/patience": held}) as site:
        adding = other.start("add", site.url("/patience"))
        assert held.asked.wait(60)
        psutil.Process(adding.pid).send_signal(signal.SIGINT)
        _out, err = adding.communicate(timeout=60)
        assert adding.returncode == 130
        assert "Nothing is lost" in err.decode()
        assert "Traceback" not in err.decode()
        assert other.worker() is None
        held.released.set()
        assert other.run("work").code == 0


def test_no_wait_leaves_it_to_the_background(other: Program) -> None:
    held = HeldBack()
    with PageServer({"/background": held}) as site:
        queued = Report.model_validate(_json(other, "add", "--no-wait", "--json", site.url("/background")))
        assert queued.items[0].outcome == "queued"
        assert held.asked.wait(60)
        held.released.set()
        assert other.run("work").code == 0
    assert _json(other, "show", "--json", site.url("/background"))["state"] == "ready"


def test_without_a_database_what_is_given_is_kept_for_when_it_is_back(other: Program) -> None:
    note = PAGES_DIRECTORY / "crlf_letter.txt"
    assert other.run("stack", "stop").code == 0
    version = other.home / "database" / "data" / "PG_VERSION"
    right = version.read_text(encoding="utf-8")
    version.write_text("9.6\n", encoding="utf-8")
    kept = other.run("add", "--json", str(note))
    version.write_text(right, encoding="utf-8")
    assert kept.code == 3
    assert Report.model_validate(kept.json).items[0].outcome == "kept"
    assert "Traceback" not in kept.err
    assert Report.model_validate(_json(other, "work", "--json")).counts.added == 1
    assert _json(other, "show", "--json", str(note))["state"] == "ready"


def test_what_is_kept_for_one_database_does_not_come_into_another(other: Program) -> None:
    note = PAGES_DIRECTORY / SCRIPTS
    nobody = Program(other.home, {"WEBRAG_DATABASE_URL": "postgresql://webrag@127.0.0.1:1/webrag"})
    kept = nobody.run("add", "--json", str(note))
    assert kept.code == 3
    assert Report.model_validate(kept.json).items[0].outcome == "kept"
    assert other.run("work").out.strip() == "Nothing is queued."
    assert other.run("show", str(note)).code == 2


def test_doctor_tells_damage_by_word_and_by_exit_code(other: Program) -> None:
    stack = EmbeddedStack(StackOptions(home=other.home))
    conn = Database.plain_connection(stack.open().keywords())
    try:
        conn.execute("UPDATE corpus SET tokens = tokens + 1")
        conn.commit()
        damaged = other.run("doctor")
        report = DoctorReport.model_validate(other.run("doctor", "--json").json)
        conn.execute("UPDATE corpus SET tokens = tokens - 1")
        conn.commit()
    finally:
        conn.close()
        stack.close()
    assert damaged.code == 5
    assert "BROKEN" in damaged.out
    assert [check.check for check in report.checks if not check.ok] == ["figures-true"]
    assert other.run("doctor").code == 0


# -- Starting and stopping ------------------------------------------------------------------------------------


def test_the_database_is_kept_running_until_it_is_stopped_and_nothing_stays(other: Program) -> None:
    started = StackReport.model_validate(_json(other, "stack", "start", "--json"))
    assert started.kept_running
    assert started.parts[0].state == "running"
    stopped = StackReport.model_validate(_json(other, "stack", "stop", "--json"))
    assert not stopped.kept_running
    assert stopped.parts[0].state == "stopped"
    status = StatusReport.model_validate(_json(other, "status", "--json"))
    assert status.stack.parts[0].state == "stopped"
    assert status.library is None
    _gone, alive = psutil.wait_procs(other.processes(), END_SECONDS)
    assert alive == []


def test_a_database_in_use_is_not_stopped(other: Program) -> None:
    held = HeldBack()
    with PageServer({"/in-use": held}) as site:
        adding = other.start("add", site.url("/in-use"))
        assert held.asked.wait(60)
        refused = other.run("stack", "stop", "--json")
        held.released.set()
        adding.communicate(timeout=60)
        assert adding.returncode == 0
    assert refused.code == 3
    assert "in use" in ErrorReport.model_validate(refused.json).error.message


def _json(webrag: Program, *arguments: str) -> Any:
    done = webrag.run(*arguments)
    assert done.code == 0, done.out + done.err
    return done.json


def _markdown(webrag: Program, reference: str) -> str:
    markdown = _json(webrag, "show", "--json", reference)["markdown"]
    assert isinstance(markdown, str)
    return markdown


def _kill(command: subprocess.Popen[bytes]) -> None:
    command.kill()
    command.communicate()
