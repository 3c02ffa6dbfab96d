"""Commands that are killed, interrupted or left without a database: what was given is kept, and work goes on."""

import json
import signal
import subprocess
from collections.abc import Iterator
from threading import Event

import psutil
import pytest

from tests.support.command_line import END_SECONDS, Program, ProgramHere, program
from tests.support.pages import PAGES_DIRECTORY, PageServer, RequestHandler
from webrag_desktop.cli.shapes.reports import ErrorReport, Report, StackReport, StatusReport
from webrag_desktop.cli.shapes.upkeep import DoctorReport
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.storage.database import Database

NOTES = "field_notes.md"
SCRIPTS = "scripts_and_emoji.md"


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
    """A library of its own for the tests that kill.

    What is started and killed is a process of its own; what is asked before and after is asked in this one.
    """
    with program(ProgramHere) as webrag:
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
        waiting = StatusReport.model_validate(other.answer("status", "--json")).queue
        assert (waiting.waiting, waiting.running, waiting.worker) == (1, 1, False)
        resumed = Report.model_validate(other.answer("work", "--json"))
    assert resumed.counts["added"] == 2
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
    assert Report.model_validate(json.loads(out)).counts["added"] == 1
    assert other.run("doctor").code == 0


def test_killed_while_embedding_it_resumes(other: Program) -> None:
    page = str(PAGES_DIRECTORY / "sklearn_ensemble.html")
    adding = other.start("add", page)
    while '"embedding"' not in other.run("show", "--json", page).out:
        assert adding.poll() is None, "embedded before it was looked at"
    worker = other.worker()
    assert worker is not None
    worker.kill()
    _kill(adding)
    psutil.wait_procs([worker], END_SECONDS)
    assert other.answer("show", "--json", page)["state"] == "embedding"
    assert other.run("work").code == 0
    assert other.answer("show", "--json", page)["state"] == "ready"
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
    assert other.answer("show", "--json", site.url("/lost-server"))["state"] == "ready"
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
        again = Report.model_validate(other.answer("add", "--json", site.url("/third")))
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
        queued = Report.model_validate(other.answer("add", "--no-wait", "--json", site.url("/background")))
        assert queued.items[0].outcome == "queued"
        assert held.asked.wait(60)
        held.released.set()
        assert other.run("work").code == 0
    assert other.answer("show", "--json", site.url("/background"))["state"] == "ready"


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
    assert Report.model_validate(other.answer("work", "--json")).counts["added"] == 1
    assert other.answer("show", "--json", str(note))["state"] == "ready"


def test_what_is_kept_for_one_database_does_not_come_into_another(other: Program) -> None:
    note = PAGES_DIRECTORY / SCRIPTS
    nobody = ProgramHere(other.home, {"WEBRAG_DATABASE_URL": "postgresql://webrag@127.0.0.1:1/webrag"})
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
        report = other.run("doctor", "--json").json
        DoctorReport.model_validate(report)
        conn.execute("UPDATE corpus SET tokens = tokens - 1")
        conn.commit()
    finally:
        conn.close()
        stack.close()
    assert damaged.code == 5
    assert "BROKEN" in damaged.out
    assert [check["check"] for check in report["checks"] if not check["ok"]] == ["figures-true"]
    assert other.run("doctor").code == 0


# -- Starting and stopping ------------------------------------------------------------------------------------


def test_the_database_is_kept_running_until_it_is_stopped_and_nothing_stays(other: Program) -> None:
    started = StackReport.model_validate(other.answer("stack", "start", "--json"))
    assert started.kept_running
    assert started.parts[0].state == "running"
    stopped = StackReport.model_validate(other.answer("stack", "stop", "--json"))
    assert not stopped.kept_running
    assert stopped.parts[0].state == "stopped"
    status = StatusReport.model_validate(other.answer("status", "--json"))
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


def _kill(command: subprocess.Popen[bytes]) -> None:
    command.kill()
    command.communicate()
