"""Documents made to harm their reader fail with a reason; the worker and everything else go on."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.queue_work import OPTIONS, accepted, assert_sound, row
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions
from webrag_desktop.ingestion.reading_process.process import ReadingProcess
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs

STUBBORN = Path(__file__).parents[2] / "support" / "stubborn_reader.py"
MEMORY = 200 * MEGABYTE


@pytest.fixture
def reading() -> Iterator[ReadingProcess]:
    command = (sys.executable, "-P", str(STUBBORN), str(MEMORY), "1")
    with ReadingProcess(ReadingOptions(memory_bytes=MEMORY, seconds=1), command) as opened:
        yield opened


def test_what_takes_its_reader_down_fails_alone(
    database: Database,
    library: StoredLibrary,
    make_indexer: Callable[[Database], Indexer],
    reading: ReadingProcess,
    tmp_path: Path,
) -> None:
    reasons = {
        "eat": "memory than the limit of 200 MB",
        "spin": "longer than 1 s",
        "abort": "broke off",
        "words": "",
    }
    ids = {}
    for deed in reasons:
        file = tmp_path / f"{deed}.txt"
        file.write_text(f"{deed}\nA river carries cold water.", encoding="utf-8")
        ids[deed] = accepted(library.add([str(file)])[0]).source_id
    with database.dedicated() as lock:
        assert jobs.become_runner(lock)
        runner = Runner(database, lambda: make_indexer(database), OPTIONS, reading.read)
        assert runner.drain(lock, CancelToken()) == len(reasons)
    for deed, reason in reasons.items():
        found = row(library, ids[deed])
        assert found.state == ("failed" if reason else "ready")
        assert reason in (found.state_reason or "")
        assert bool(found.state_hint) == bool(reason)
    assert_sound(database)
