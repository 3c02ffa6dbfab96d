"""Who expands a library and who works for it are killed at random points; what was begun goes on to the same end.

``WEBRAG_TEST_SITE`` and ``WEBRAG_TEST_KILLS`` ask for a larger site and more kills (307 pages: width 17, two levels),
``WEBRAG_TEST_SEED`` for other points.
"""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.pages import PageServer
from tests.support.queue_work import assert_sound
from tests.support.server import prepared_cluster
from tests.support.sites import robots, site, tree
from tests.support.stack_processes import copy_cluster
from webrag_desktop import Library, open_library
from webrag_desktop.expansion.events import Expansion

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed by signals")
MODEL = "small"
WIDTH = int(os.environ.get("WEBRAG_TEST_SITE", "3"))
KILLS = int(os.environ.get("WEBRAG_TEST_KILLS", "3"))
SEED = int(os.environ.get("WEBRAG_TEST_SEED", "20261123"))
QUESTION = "Which heliograph hangs in the observatory?"


def environment(models: EmbeddingServer, home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "WEBRAG_HOME": str(home),
        "EMBEDDING_BACKEND": "openai",
        "EMBEDDING_BASE_URL": models.url,
        "EMBEDDING_MODEL": MODEL,
        "EMBEDDING_DIMENSIONS": "48",
        "EMBEDDING_TOKENIZER": "bert-base-uncased",
    }


def started(home: Path, given: dict[str, str], pages: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.expanding_process", str(home), QUESTION, str(pages)],
        env=given,
        stdout=subprocess.PIPE,
        text=True,
    )


def workers(home: Path) -> list[psutil.Process]:
    """The processes at the queue of that data folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if "--background" in process.cmdline() and process.environ().get("WEBRAG_HOME") == str(home):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return found


def test_what_was_killed_anywhere_goes_on_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(SEED)
    topics = tree(WIDTH, 2)
    forbidden = topics[-1].path
    with (
        EmbeddingServer({MODEL: 48}) as models,
        PageServer(site(topics, robots_txt=robots(f"User-agent: *\nDisallow: {forbidden}\n"))) as pages,
    ):
        ends: list[Expansion] = []
        for name, kills in (("quiet", 0), ("killed", KILLS)):
            home = copy_cluster(prepared_cluster(), tmp_path / name)
            given = environment(models, home)
            for variable, value in given.items():
                monkeypatch.setenv(variable, value)
            with open_library(home) as library:
                library.wait([one.source_id for one in library.add([pages.url("/")])])  # type: ignore[union-attr]
            pages.requests.clear()
            killed = expand_to_the_end(home, given, len(topics), kills, chance)
            with open_library(home) as library:
                ends.append(ended(library, killed, kills))
                assert_sound(library.database)
                counted = Counter(request.path for request in pages.requests)
                assert forbidden not in counted
                assert {path for path in counted if path != "/robots.txt"} == {
                    topic.path for topic in topics[1:-1]
                }
                most = max(count for path, count in counted.items() if path != "/robots.txt")
                assert most <= 1 + len(killed), counted
    assert outcomes(ends[0]) == outcomes(ends[1])
    assert ends[0].reason == ends[1].reason == "nothing_to_follow"


def expand_to_the_end(
    home: Path, given: dict[str, str], pages: int, kills: int, chance: random.Random
) -> list[str]:
    """Begin and go on until nobody was killed on the way; returns whom it was."""
    killed: list[str] = []
    while True:
        point = chance.randint(1, 12) if len(killed) < kills else None
        with started(home, given, pages) as asking:
            assert asking.stdout is not None
            for number, _event in enumerate(asking.stdout, 1):
                if number != point:
                    continue
                roles = chance.choice((("asking",), ("worker",), ("asking", "worker")))
                if "worker" in roles:
                    for worker in workers(home):
                        worker.kill()
                killed += roles
                point = None
                if "asking" in roles:
                    asking.send_signal(signal.SIGKILL)
                    break
            asking.stdout.read()
        if asking.returncode == 0:
            return killed
        assert asking.returncode == -signal.SIGKILL


def ended(library: Library, killed: list[str], kills: int) -> Expansion:
    """The one run there is, which has ended."""
    (run,) = library.expansions.all()
    assert run.ended_at is not None
    assert len(killed) >= min(kills, 1)
    assert library.queue.unfinished() == []
    assert {row.state for row in library.documents.all()} == {"ready"}
    return run


def outcomes(run: Expansion) -> dict[str, tuple[str, int, str | None]]:
    """What became of each page, and by which way it was come to."""
    return {visit.url: (visit.outcome, visit.depth, visit.parent_url) for visit in run.visits}
