"""Documents are read in a process that can be ended, and what ends it is reported in plain words."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.captures import page_capture
from webrag_desktop.errors import Cancelled, ExtractionError, IngestionError
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions
from webrag_desktop.ingestion.reading_process.process import ReadingProcess, reader_arguments
from webrag_desktop.models.documents import Capture
from webrag_desktop.progress import CancelToken

ROOT = Path(__file__).parents[4]
STUBBORN = ROOT / "tests" / "support" / "stubborn_reader.py"
PAGE = (
    "<html lang=de><head><title>Wasser</title><link rel=canonical href=/eins></head><body><main><h1 id=a>Wasser</h1>"
    "<p>Ein Fluss trägt <b>kaltes</b> Wasser 🧭.<pre><code class=language-c>int x;</code></pre>"
    "<table><tr><th>a<tr><td>b</table><p>Und noch ein Absatz, damit es eine Seite ist.</main></body></html>"
)
Opened = Callable[..., ReadingProcess]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Open reading processes whose parser does what a text file's first line says."""
    made: list[ReadingProcess] = []

    def open_one(
        seconds: float = 60, memory_mb: int = 1024, most_documents: int = 500, *, lenient: bool = False
    ) -> ReadingProcess:
        """``lenient``: the process itself keeps to no such limits."""
        limits = ("4000000000", "600") if lenient else (str(memory_mb * MEGABYTE), str(seconds))
        options = ReadingOptions(memory_mb * MEGABYTE, seconds, most_documents)
        made.append(ReadingProcess(options, (sys.executable, "-P", str(STUBBORN), *limits)))
        return made[-1]

    yield open_one
    for process in made:
        process.close()


def text(body: str) -> Capture:
    return page_capture(body, content_type="text/plain")


def test_it_reads_what_extraction_reads() -> None:
    pages = [page_capture(PAGE), page_capture("# Heading\n\nText.", content_type="text/markdown")]
    with ReadingProcess() as reading:
        for capture in pages:
            read = reading.read(capture)
            assert read.document == extract(capture)
            assert list(read.addresses) == addresses_of(capture, read.document)


def test_reasons_arrive_as_they_were_given() -> None:
    capture = page_capture("<p></p>")
    with pytest.raises(ExtractionError) as here:
        extract(capture)
    with ReadingProcess() as reading, pytest.raises(ExtractionError) as there:
        reading.read(capture)
    assert (there.value.message, there.value.hint) == (here.value.message, here.value.hint)


def test_it_is_kept_for_the_next_document_but_not_for_ever(opened: Opened) -> None:
    reading = opened(most_documents=2)
    reading.read(text("one"))
    first = reading.pid
    assert first is not None
    reading.read(text("two"))
    assert not psutil.pid_exists(first)
    assert reading.pid not in {None, first}


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("eat", "Reading this needs more memory than the limit of 200 MB"),
        ("eat at once", "Reading this needs more memory than the limit of 200 MB"),
        ("spin", "Reading this took longer than 1 s"),
        ("abort", "The program that reads documents broke off at this one"),
        ("exit", "The program that reads documents broke off at this one"),
        ("rubbish", "The program that reads documents broke off at this one"),
    ],
)
def test_what_takes_it_down_fails_with_a_reason_and_the_next_is_read(
    opened: Opened, deed: str, words: str
) -> None:
    reading = opened(seconds=20 if "memory" in words else 1, memory_mb=200)
    reading.prepare()
    before = reading.pid
    with pytest.raises(ExtractionError, match=words) as failure:
        reading.read(text(deed))
    assert failure.value.hint
    assert before is not None
    assert not psutil.pid_exists(before)
    assert reading.read(text("words")).document.markdown == "words"


@pytest.mark.parametrize(
    ("deed", "words"),
    [("hold", "needs more memory than the limit of 200 MB"), ("work", "took longer than 1 s")],
)
def test_it_is_watched_from_outside_too(opened: Opened, deed: str, words: str) -> None:
    with pytest.raises(ExtractionError, match=words):
        opened(seconds=1, memory_mb=200, lenient=True).read(text(deed))


def test_what_earlier_documents_left_behind_is_not_held_against_one(opened: Opened) -> None:
    reading = opened()
    reading.read(text("one"))
    assert reading.read(text("second\nwords")).document.markdown == "second\nwords"


def test_a_fault_of_our_own_stops_nothing(opened: Opened) -> None:
    reading = opened()
    reading.prepare()
    before = reading.pid
    with pytest.raises(IngestionError, match="the fault is its own"):
        reading.read(text("fault"))
    assert reading.read(text("print\nwords")).document.markdown == "print\nwords"
    assert reading.pid == before


def test_an_answer_about_another_page_is_not_believed(opened: Opened) -> None:
    with pytest.raises(IngestionError, match="the fault is its own"):
        opened().read(text("lie"))


def test_cancelling_ends_it_at_once(opened: Opened) -> None:
    reading = opened()
    reading.prepare()
    process = psutil.Process(reading.pid)
    cancel = CancelToken()
    threading.Timer(0.05, cancel.cancel).start()
    with pytest.raises(Cancelled):
        reading.read(text("spin"), cancel)
    assert not process.is_running()
    with pytest.raises(Cancelled):
        reading.read(text("words"), cancel)


@pytest.mark.parametrize("deed", ["hang", "spin"])  # "spin" lets no other thread run
def test_it_does_not_outlive_a_killed_worker(deed: str) -> None:
    program = (
        "import sys\n"
        "from tests.support.captures import page_capture\n"
        "from webrag_desktop.ingestion.reading_process.process import ReadingProcess\n"
        f"reading = ReadingProcess(command=(sys.executable, '-P', {str(STUBBORN)!r}, '1000000000', '0.1'))\n"
        "reading.read(page_capture('words', content_type='text/plain'))\n"
        "print(reading.pid, flush=True)\n"
        f"reading.read(page_capture({deed!r}, content_type='text/plain'))\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with worker:
        assert worker.stdout is not None
        reader = psutil.Process(int(worker.stdout.readline()))
        worker.kill()
    psutil.wait_procs([reader], timeout=30)
    assert not reader.is_running()


def test_it_knows_no_keys(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_API_KEY", "hunter2")
    monkeypatch.setenv("PYTHONSTARTUP", "evil.py")
    with pytest.raises(ExtractionError) as reported:
        opened().read(text("environment"))
    known = json.loads(reported.value.message)
    assert not {"EMBEDDING_API_KEY", "PYTHONSTARTUP"} & known.keys()
    assert known["PYTHONHASHSEED"] == "0"


def test_a_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    options = ReadingOptions(memory_bytes=200_000_000, seconds=2.5)
    installed = reader_arguments("/bin/python", options)
    assert installed == ("/bin/python", "-P", "-m", "webrag_desktop", "read-documents", "200000000", "2.5")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert reader_arguments("/opt/webrag", options) == ("/opt/webrag", "read-documents", "200000000", "2.5")


def test_it_loads_neither_window_nor_database_nor_model() -> None:
    program = "import sys; import webrag_desktop.ingestion.reading_process.child; print(*sys.modules)"
    reported = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in reported.stdout.split()}
    assert not loaded & {"PySide6", "psycopg", "onnxruntime", "numpy", "tokenizers", "httpx", "click"}
    parts = {name.split(".")[1] for name in reported.stdout.split() if name.startswith("webrag_desktop.")}
    assert parts <= {"bounds", "errors", "ingestion", "models", "progress", "text", "version"}
