"""A restore that is killed leaves the former library, whole, and nothing that would keep another one from it."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.support.backup_home import Home
from tests.support.data_folders import data_folder
from tests.support.server import SURVIVES_KILLS, prepared_cluster
from tests.support.stack_processes import copy_cluster
from webrag_desktop.errors import DatabaseUnreachableError
from webrag_desktop.progress import Step
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import running_server
from webrag_desktop.storage.backups import restore

ROOT = Path(__file__).parents[3]
END_SECONDS = 60


def steps_of(home: Home, saved: Path) -> list[str]:
    """The names of all steps of a restore that ends well."""
    names: list[str] = []
    home.restore(saved, replace=True, progress=lambda step: names.append(step.name))
    return names


@contextmanager
def restoring_processes(home: Home, saved: Path) -> Iterator[Callable[[int], int]]:
    """Has a process of its own restore until a step, and tells how it ended."""
    arguments = (json.dumps(home.address), str(saved), str(home.folder))
    command = [sys.executable, "-m", "tests.support.killed_restore", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        asked, reported = parent.stdin, parent.stdout
        assert asked is not None
        assert reported is not None

        def killed_at(step: int) -> int:
            asked.write(f"{step}\n")
            asked.flush()
            return int(reported.readline())

        yield killed_at


def alone_again(home: Home) -> None:
    """Wait until the server has noticed that the process is gone."""
    deadline = time.monotonic() + END_SECONDS
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with home.connect() as conn:
        while conn.execute(query).fetchone() != (0,):
            assert time.monotonic() < deadline
            conn.rollback()
            time.sleep(0.02)


def test_a_killed_process_leaves_the_former_library(full: Home, saved: Path) -> None:
    restored = full.content()
    names = steps_of(full, saved)
    full.run("UPDATE sources SET user_title = 'Changed'; DELETE FROM citations")
    former = full.content()
    firsts = {names.index(name) for name in names}
    lasts = {len(names) - 1 - names[::-1].index(name) for name in names}
    with restoring_processes(full, saved) as killed_at:
        for step in sorted(firsts | lasts):
            assert killed_at(step) == -signal.SIGKILL
            alone_again(full)
            assert full.content() == former, names[step]
        assert killed_at(len(names)) == 0
    assert full.content() == restored


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder with a server of its own to kill."""
    with data_folder("killed") as made:
        yield copy_cluster(prepared_cluster(), made)


@pytest.mark.parametrize("at", [restore.RESTORING, restore.INDEXING, restore.REPLACING])
def test_a_killed_server_comes_back_with_the_former_library(saved: Path, folder: Path, at: str) -> None:
    stack = EmbeddedStack(StackOptions(home=folder, grace=0.0), SURVIVES_KILLS)
    try:
        home = Home(stack.open().keywords(), folder)
        home.run("INSERT INTO collections (id, name) VALUES (gen_random_uuid(), 'Mine')")
        former = home.content()

        def kill_the_server(step: Step) -> None:
            server = running_server(Layout.of(folder))
            if step.name == at and server is not None:
                postmaster = psutil.Process(server.pid)
                processes = [postmaster, *postmaster.children(recursive=True)]
                for process in processes:
                    with suppress(psutil.NoSuchProcess):  # it ended with the one before
                        process.kill()
                psutil.wait_procs(processes, END_SECONDS)

        with pytest.raises(DatabaseUnreachableError):
            home.restore(saved, replace=True, progress=kill_the_server)
        again = Home(stack.open().keywords(), folder)
        assert again.content() == former
        again.restore(saved, replace=True)
    finally:
        stack.stop()
