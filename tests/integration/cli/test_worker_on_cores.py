"""The worker embeds on the cores it may use; ended in the middle, it leaves no process, and its work goes on."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.command_line import Program, ProgramHere, program
from webrag_desktop.progress import wait_for

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signals and nice values are of POSIX systems"
)
PATIENCE = 120.0
SECTIONS = 200


@pytest.fixture(params=["1", "2"], ids=["one core", "two cores"])
def webrag(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Program]:
    """A program that embeds a long document in the background."""
    text = "\n\n".join(f"## Part {n}\n\n" + f"River {n} carries cold water. " * 50 for n in range(SECTIONS))
    (tmp_path / "rivers.md").write_text(f"# Rivers\n\n{text}\n", encoding="utf-8")
    with program(ProgramHere, EMBEDDING_CORES=request.param) as started:
        started.answer("add", "--no-wait", "--json", str(tmp_path / "rivers.md"))
        yield started


def embedding(webrag: Program) -> psutil.Process:
    """The worker, once it has kept some vectors."""
    worker = wait_for(webrag.worker, PATIENCE, every=0.1)
    assert worker is not None
    assert wait_for(lambda: embedded(webrag) > 0, PATIENCE, every=0.2)
    return worker


def embedded(webrag: Program) -> int:
    (listed,) = webrag.answer("list", "--json")
    return int(listed["progress_done"] or 0) if listed["state"] == "embedding" else 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_ends_in_the_middle_leaves_no_process_and_loses_nothing(
    webrag: Program, how: signal.Signals
) -> None:
    worker = embedding(webrag)
    beside = worker.children(recursive=True)
    worker.send_signal(how)
    assert psutil.wait_procs([worker, *beside], PATIENCE)[1] == []
    (listed,) = webrag.answer("list", "--json")
    assert listed["state"] == ("embedding" if how is signal.SIGKILL else "queued")
    assert webrag.run("work").code == 0
    (listed,) = webrag.answer("list", "--json")
    assert listed["state"] == "ready"
    assert webrag.run("doctor").code == 0
