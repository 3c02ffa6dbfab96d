import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import (
    ServerProcess,
    child_environment,
    is_alive,
    read_pid_file,
    running_server,
    start_detached,
    wait_for_end,
)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    found = Layout.of(tmp_path)
    found.data.mkdir(parents=True)
    return found


def test_a_pid_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "postmaster.pid"
    file.write_text("4711\n/data\n1700000000\n5432\n/run/x\n\n  123   0\nready   \n", "utf-8")
    assert read_pid_file(file) == ServerProcess(4711, "/run/x", 5432, ready=True)


def test_a_server_on_a_port_names_its_address(tmp_path: Path) -> None:
    file = tmp_path / "postmaster.pid"
    file.write_text("4711\n/data\n1700000000\n50123\n\n127.0.0.1\n123\nstarting\n", "utf-8")
    assert read_pid_file(file) == ServerProcess(4711, "127.0.0.1", 50123, ready=False)


def test_a_half_written_pid_file_tells_at_least_the_process(tmp_path: Path) -> None:
    file = tmp_path / "postmaster.pid"
    file.write_text("4711\n/data\n", "utf-8")
    assert read_pid_file(file) == ServerProcess(4711, "", 0, ready=False)


@settings(deadline=None)
@given(content=st.binary())
def test_rubbish_in_a_pid_file_is_no_server(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    layout = Layout(tmp_path_factory.getbasetemp())
    layout.data.mkdir(parents=True, exist_ok=True)
    layout.pid_file.write_bytes(content)
    assert running_server(layout) is None


def test_a_living_process_that_is_no_server_of_ours_is_not_taken_for_it(layout: Layout) -> None:
    layout.pid_file.write_text(f"{os.getpid()}\n", "ascii")
    assert running_server(layout) is None


def test_an_ended_child_that_was_not_collected_counts_as_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert psutil.pid_exists(child.pid)
        assert not is_alive(child.pid)
        assert wait_for_end(child.pid, 0)


def test_waiting_for_a_living_process_is_bounded() -> None:
    assert is_alive(os.getpid())
    assert not wait_for_end(os.getpid(), 0)


def test_what_outlives_us_learns_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMBEDDING_API_KEY", "WEBRAG_DATABASE_URL", "PGPASSWORD", "PGHOSTADDR", "LANG"):
        monkeypatch.setenv(name, "something")
    environment = child_environment(EXTRA="given")
    assert "something" not in environment.values()
    assert environment["EXTRA"] == "given"
    assert environment["LC_ALL"] == "C"
    assert environment["PATH"] == os.environ["PATH"]


def test_a_detached_program_has_its_own_session_and_writes_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("before\n", "ascii")
    program = "import os; print(os.getsid(0) == os.getpid(), os.getcwd())"
    pid = start_detached([sys.executable, "-c", program], log, child_environment())
    assert wait_for_end(pid, 30)
    assert log.read_text("ascii") == "before\nTrue /\n"
