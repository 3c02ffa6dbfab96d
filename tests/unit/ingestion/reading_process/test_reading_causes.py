"""Why a reading process ended decides what becomes of its document: only what the document did is held against it."""

import errno
import logging
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.captures import page_capture
from tests.support.stubborn_reader import HANGING
from webrag_desktop.errors import (
    ExtractionError,
    ReaderEndedError,
    ResourceError,
)
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, PATIENCE, ReadingOptions
from webrag_desktop.ingestion.reading_process.process import ReadingProcess
from webrag_desktop.models.documents import Capture

ROOT = Path(__file__).parents[4]
STUBBORN = ROOT / "tests" / "support" / "stubborn_reader.py"
MEMORY = 200 * MEGABYTE
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
Clock = Callable[[], float]


class Observed(ReadingProcess):
    """A reading process whose parser does what a text's first line says, with limits of its own if ``own``."""

    def __init__(
        self, seconds: float = 60.0, *, own: float | None = None, clock: Clock | None = None
    ) -> None:
        limits = (str(MEMORY), str(seconds if own is None else own))
        command = (sys.executable, "-P", str(STUBBORN), *limits)
        super().__init__(ReadingOptions(MEMORY, seconds), command, *([clock] if clock else []))


@pytest.fixture
def reading() -> Iterator[ReadingProcess]:
    with Observed() as process:
        yield process


def text(body: str) -> Capture:
    return page_capture(body, content_type="text/plain")


def deaths(caplog: pytest.LogCaptureFixture) -> int:
    return sum("the reading process ended with" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("deed", ["be killed", "be terminated"])
def test_a_process_that_is_ended_from_outside_says_nothing_of_its_document(
    reading: ReadingProcess, deed: str
) -> None:
    for _ in range(3):
        with pytest.raises(ReaderEndedError, match="ended from outside") as ended:
            reading.read(text(deed))
        assert ended.value.transient
    assert reading.read(text("words")).document.markdown == "words"


@pytest.mark.parametrize(
    ("deed", "words"), [("crash", "broke off"), ("abort", "broke off"), ("eat at once", "limit of 200 MB")]
)
def test_a_document_is_judged_by_two_fresh_processes(
    reading: ReadingProcess, caplog: pytest.LogCaptureFixture, deed: str, words: str
) -> None:
    caplog.set_level(logging.WARNING)
    with pytest.raises(ExtractionError, match=words):
        reading.read(text(deed))
    assert deaths(caplog) == 2
    reading.read(text("words"))
    caplog.clear()
    with pytest.raises(ExtractionError, match=words):
        reading.read(text(deed))
    assert deaths(caplog) == 3, "the first was not fresh"


def test_what_a_document_of_a_lacking_computer_meets_is_not_its_fault(reading: ReadingProcess) -> None:
    with pytest.raises(ResourceError, match="too little"):
        reading.read(text("lack files"))
    assert reading.read(text("words")).document.markdown == "words"


def test_its_own_limit_of_processor_time_ends_it_where_nobody_looks(caplog: pytest.LogCaptureFixture) -> None:
    """The other process allows more; the one that reads ends itself by the limit that it was given."""
    with Observed(seconds=8, own=0.1) as reading, pytest.raises(ExtractionError, match="longer than 8 s"):
        reading.read(text("spin"))
    assert f"ended with {-signal.SIGXCPU}" in caplog.text


def test_a_busy_computer_fails_no_document() -> None:
    """A second of work takes five minutes by the clock; 20 s of the processor's time are allowed."""

    def clock() -> float:
        try:
            times = psutil.Process(process.pid).cpu_times() if process.pid is not None else None
        except psutil.NoSuchProcess:
            times = None
        return 300.0 * (times.user + times.system) if times is not None else 0.0

    process = Observed(seconds=20, clock=clock)
    with process:
        assert process.read(text("work\nwords")).document.markdown == "work\nwords"


class Watching:
    """A clock that jumps once its process came to a state, by ``seconds``."""

    def __init__(self, reached: Callable[[psutil.Process], bool], seconds: float) -> None:
        self.reading: ReadingProcess | None = None
        self.then: Callable[[psutil.Process], None] = lambda _process: None
        self._reached, self._seconds, self._now = reached, seconds, 0.0

    def __call__(self) -> float:
        if self.reading is not None and self.reading.pid is not None:
            process = psutil.Process(self.reading.pid)
            if self._reached(process):
                self._now += self._seconds
                self.then(process)
        return self._now


def is_halted(process: psutil.Process) -> bool:
    return process.status() == psutil.STATUS_STOPPED


def hangs(process: psutil.Process) -> bool:
    return process.nice() >= psutil.Process().nice() + HANGING and process.status() == psutil.STATUS_SLEEPING


def test_a_process_that_was_halted_for_a_while_goes_on() -> None:
    clock = Watching(is_halted, PATIENCE * 20 - 1)
    clock.then = lambda process: process.send_signal(signal.SIGCONT)
    with Observed(seconds=20, clock=clock) as reading:
        clock.reading = reading
        assert reading.read(text("be halted\nwords")).document.markdown == "be halted\nwords"


def test_a_process_that_stays_halted_is_replaced_and_its_document_not_blamed() -> None:
    clock = Watching(is_halted, PATIENCE * 20 + 1)
    with Observed(seconds=20, clock=clock) as reading:
        clock.reading = reading
        with pytest.raises(ReaderEndedError, match="halted from outside"):
            reading.read(text("be halted"))
        assert reading.read(text("words")).document.markdown == "words"


def test_a_process_that_does_nothing_for_long_is_replaced() -> None:
    clock = Watching(hangs, PATIENCE * 20 + 1)
    with Observed(seconds=20, clock=clock) as reading:
        clock.reading = reading
        with pytest.raises(ReaderEndedError, match="did not get on for 80 s"):
            reading.read(text("hang"))
        assert reading.read(text("words")).document.markdown == "words"


# -- No process at all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ("/nowhere/python",),
        (sys.executable, "-c", "raise SystemExit(1)"),
        (sys.executable, "-c", "print('no')"),
    ],
)
def test_what_ends_before_it_is_ready_has_met_no_document(command: tuple[str, ...]) -> None:
    with ReadingProcess(command=command) as reading, pytest.raises(ReaderEndedError, match="not be started"):
        reading.read(text("words"))


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE])
def test_a_computer_that_starts_no_process_is_not_the_documents_fault(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(number, "refused")

    with monkeypatch.context() as lacking, ReadingProcess() as reading:
        reading.close()
        lacking.setattr(subprocess, "Popen", refuse)
        with pytest.raises(ReaderEndedError, match="could not be started"):
            reading.read(text("words"))
        lacking.undo()
        assert reading.read(text("words")).document.markdown == "words"


def test_a_computer_that_starts_no_thread_is_not_the_documents_fault(
    reading: ReadingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as lacking:
        lacking.setattr(threading.Thread, "start", refuse)
        with pytest.raises(ResourceError, match="another process or thread"):
            reading.read(text("words"))
    assert reading.read(text("words")).document.markdown == "words"


# -- Less memory than a reading process may have ----------------------------------------------------------------

UNDER_A_LIMIT = """
import resource, sys
from tests.support.captures import page_capture
from webrag_desktop.errors import WebragError
from webrag_desktop.ingestion.reading_process.process import ReadingProcess
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]) << 20,) * 2)
command = (sys.executable, "-P", sys.argv[3], str(1 << 30), "60")
with ReadingProcess(command=command) as reading:
    try:
        print(reading.read(page_capture(sys.argv[1], content_type="text/plain")).document.markdown)
    except WebragError as error:
        print(type(error).__name__, error.message)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
@pytest.mark.parametrize(
    ("deed", "megabytes", "words"),
    [
        ("words", 300, "words"),
        ("eat", 300, "ResourceError"),
        ("eat at once", 300, "ResourceError"),
        ("abort", 300, "ResourceError"),
        ("crash", 300, "ResourceError"),
        ("call it damaged", 300, "ResourceError"),
        ("call it damaged", 4000, "ExtractionError The file is damaged"),
        ("crash", 4000, "ExtractionError The program that reads documents broke off"),
        ("words", 60, "(ResourceError|ReaderEndedError)"),
    ],
)
def test_less_memory_than_it_may_have_is_not_the_documents_fault(
    deed: str, megabytes: int, words: str
) -> None:
    arguments = (deed, str(megabytes), str(STUBBORN))
    reported = subprocess.run(
        [sys.executable, "-c", UNDER_A_LIMIT, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.match(words, reported.stdout), reported.stdout + reported.stderr
