"""The embedded server alone: created, started, adopted, found broken, stopped."""

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.stack_processes import PATIENCE, copy_cluster
from webrag_desktop import progress
from webrag_desktop.errors import DatabaseError, DatabaseUnreachableError, StackError
from webrag_desktop.models.stack import PartStatus
from webrag_desktop.progress import Step
from webrag_desktop.stack import connecting
from webrag_desktop.stack.base import DatabaseAddress
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.processes import ServerProcess, running_server

MakeStack = Callable[..., EmbeddedStack]
LONG_NAME = "Meine Bücher und Söhne, \"zitiert\" & 'so' – データ "


def ask(address: DatabaseAddress, query: str) -> object:
    with psycopg.Connection.connect(**address.keywords()) as connection:  # type: ignore[arg-type]
        row = connection.execute(query).fetchone()
    return row and row[0]


def server_of(home: Path) -> ServerProcess:
    server = running_server(Layout.of(home))
    assert server is not None
    return server


def database_part(stack: EmbeddedStack) -> PartStatus:
    (part,) = stack.status().parts
    return part


def test_first_open_creates_everything_and_tells_its_steps(tmp_path: Path, make_stack: MakeStack) -> None:
    stack, steps = make_stack(tmp_path / "new"), list[Step]()
    assert database_part(stack).state == "stopped"

    address = stack.open(steps.append)

    assert [step.name for step in steps] == ["Creating the database", "Starting the database"]
    assert ask(address, "SELECT '[1,0]'::vector <-> '[1,1]'::vector") == 1.0
    assert ask(address, "SHOW server_encoding") == "UTF8"
    assert ask(address, "SELECT datlocale FROM pg_database WHERE datname = 'webrag'") == "C.UTF-8"
    assert ask(address, "SHOW timezone") == "UTC"
    part = database_part(stack)
    assert part.state == "running"
    assert part.version is not None
    assert part.version.startswith("PostgreSQL 18.")
    assert "pgvector 0.8." in part.version


def test_only_the_owner_can_read_the_password_and_the_data(home: Path, make_stack: MakeStack) -> None:
    address, layout = make_stack().open(), Layout.of(home)
    assert stat.S_IMODE(layout.password.stat().st_mode) == 0o600
    assert stat.S_IMODE(layout.data.stat().st_mode) == 0o700
    assert stat.S_IMODE(Path(address.host).stat().st_mode) == 0o700
    assert address.password not in repr(address)
    commands = [
        " ".join(process.info["cmdline"] or ())  # None for a process that ended meanwhile
        for process in psutil.process_iter(["cmdline"])
        if process.pid != os.getpid()
    ]
    assert not any(address.password in command for command in commands)


def test_a_wrong_password_is_refused(make_stack: MakeStack) -> None:
    keywords = make_stack().open().keywords()
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        psycopg.Connection.connect(**(keywords | {"password": "guessed"}))  # type: ignore[arg-type]


def test_it_listens_on_no_tcp_port(home: Path, make_stack: MakeStack) -> None:
    make_stack().open()
    postmaster = psutil.Process(server_of(home).pid)
    assert postmaster.net_connections("inet") == []
    assert any(found.laddr for found in postmaster.net_connections("unix"))
    for child in postmaster.children(recursive=True):
        with suppress(psutil.Error):  # a backend may end while it is looked at
            assert child.net_connections("inet") == []


def test_a_long_path_with_spaces_umlauts_and_quotes(
    tmp_path: Path, cluster_template: Path, make_stack: MakeStack
) -> None:
    folder = tmp_path / (LONG_NAME * 2) / (LONG_NAME * 2) / "end"
    assert len(os.fsencode(folder)) > 250
    stack = make_stack(copy_cluster(cluster_template, folder))
    address = stack.open()
    assert ask(address, "SELECT current_setting('data_directory')") == str(Layout.of(folder).data)
    assert not address.host.startswith(str(folder))


def test_a_path_over_150_characters_from_nothing(tmp_path: Path, make_stack: MakeStack) -> None:
    assert ask(make_stack(tmp_path / LONG_NAME / LONG_NAME / LONG_NAME).open(), "SELECT 1") == 1


def test_a_second_open_adopts_the_running_server(home: Path, make_stack: MakeStack) -> None:
    first = make_stack().open()
    pid = server_of(home).pid
    assert make_stack().open() == first
    assert server_of(home).pid == pid


def test_stop_refuses_while_somebody_else_uses_it(home: Path, make_stack: MakeStack) -> None:
    mine, other = make_stack(), make_stack()
    address = mine.open()
    other.open()
    with pytest.raises(StackError, match="in use by another"):
        mine.stop()
    assert ask(address, "SELECT 1") == 1
    other.close()
    mine.stop()
    assert running_server(Layout.of(home)) is None
    mine.stop()


def test_settings_of_the_caller_win(home: Path, make_stack: MakeStack) -> None:
    assert ask(make_stack().open(), "SHOW fsync") == "off"


def test_a_stale_pid_file_naming_a_living_stranger_does_not_keep_it_from_starting(
    home: Path, make_stack: MakeStack
) -> None:
    layout = Layout.of(home)
    layout.pid_file.write_text(
        f"{os.getpid()}\n{layout.data}\n1700000000\n5432\n/nowhere\n\n1 1\nready\n", "utf-8"
    )
    assert running_server(layout) is None
    assert ask(make_stack().open(), "SELECT 1") == 1


def test_leftover_socket_files_do_not_keep_it_from_starting(home: Path, make_stack: MakeStack) -> None:
    stack = make_stack()
    folder = Path(stack.open().host)
    stack.stop()
    folder.mkdir(mode=0o700)
    (folder / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n", "ascii")
    with socket.socket(socket.AF_UNIX) as leftover:
        leftover.bind(str(folder / ".s.PGSQL.5432"))
    assert ask(stack.open(), "SELECT 1") == 1


def test_a_server_that_lost_its_socket_is_replaced(home: Path, make_stack: MakeStack) -> None:
    stack = make_stack()
    address = stack.open()
    before = server_of(home).pid
    (Path(address.host) / f".s.PGSQL.{address.port}").unlink()
    assert ask(stack.open(), "SELECT 1") == 1
    assert server_of(home).pid != before


def test_a_lost_password_file_is_explained(home: Path, make_stack: MakeStack) -> None:
    stack = make_stack()
    stack.open()
    Layout.of(home).password.rename(home / "kept")
    with pytest.raises(DatabaseError, match="password of the database is missing"):
        make_stack().open()
    assert database_part(stack).state == "failing"
    Layout.of(home).password.write_text("guessed", "ascii")
    with pytest.raises(DatabaseError, match="refused the stored password"):
        make_stack().open()


def test_a_cluster_of_another_version_is_left_alone(home: Path, make_stack: MakeStack) -> None:
    (Layout.of(home).data / "PG_VERSION").write_text("17\n", "ascii")
    with pytest.raises(DatabaseError, match="made by PostgreSQL 17"):
        make_stack().open()
    (Layout.of(home).data / "PG_VERSION").unlink()
    with pytest.raises(DatabaseError, match="is no database"):
        make_stack().open()


def test_a_server_that_refuses_its_settings_says_why(home: Path, make_stack: MakeStack) -> None:
    (Layout.of(home).data / "postgresql.conf").write_text("no_such_setting = on\n", "ascii")
    with pytest.raises(DatabaseError, match=r"did not start.*errors"):
        make_stack().open()


def test_a_folder_that_cannot_be_used_is_explained(tmp_path: Path, make_stack: MakeStack) -> None:
    (tmp_path / "file").write_text("", "ascii")
    stack = make_stack(tmp_path / "file" / "home")
    with pytest.raises(StackError, match="cannot be used: Not a directory") as caught:
        stack.open()
    assert "WEBRAG_HOME" in caught.value.hint
    assert database_part(stack).state == "stopped"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs mount namespaces")
def test_a_full_disk_is_explained(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "support" / "stack_user.py"
    mount = 'mount -t tmpfs -o size=8m full "$0" && exec "$1" "$2" "$0" 0'
    finished = subprocess.run(
        [
            "unshare",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            mount,
            str(tmp_path),
            sys.executable,
            str(script),
        ],
        env=os.environ | {"PYTHONPATH": str(script.parents[2])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if "Operation not permitted" in finished.stderr:
        pytest.skip("this machine forbids mount namespaces")
    assert "is full, so the database cannot run" in finished.stdout, finished.stderr


def test_status_of_a_broken_server_does_not_raise(home: Path, make_stack: MakeStack) -> None:
    stack = make_stack()
    address = stack.open()
    socket_file = Path(address.host) / f".s.PGSQL.{address.port}"
    socket_file.rename(socket_file.with_name("moved"))
    part = database_part(stack)
    assert part.state == "failing"
    assert address.password not in part.detail
    assert part.remedy


def test_a_server_that_does_not_listen_yet_is_not_looked_for_elsewhere(
    home: Path, make_stack: MakeStack
) -> None:
    """Without a host the driver would try the system's own PostgreSQL."""
    stack = make_stack(start_timeout=0.0)
    make_stack().open()
    layout = Layout.of(home)
    whole = layout.pid_file.read_text("utf-8")
    layout.pid_file.write_text("\n".join(whole.splitlines()[:2]) + "\n", "utf-8")
    assert database_part(stack).detail == "It is starting, or stopping."
    with pytest.raises(DatabaseError, match="does not listen"):
        stack.open()
    layout.pid_file.write_text(whole, "utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="there, no signal halts a process")
def test_a_halted_server_is_waited_for_reported_of_and_ended(home: Path, make_stack: MakeStack) -> None:
    make_stack().open()
    server = running_server(Layout.of(home))
    assert server is not None
    os.kill(server.pid, signal.SIGSTOP)
    other = make_stack(answer_timeout=0.0)
    with pytest.raises(
        DatabaseUnreachableError, match=rf"process {server.pid}\) was halted by a signal"
    ) as caught:
        other.open()
    assert f"kill -CONT {server.pid}" in caught.value.hint


def test_what_is_waited_for_is_reported(
    home: Path, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By steps, which a window shows, and in the log, of which a command shows warnings."""
    steps: list[Step] = []
    said = threading.Event()
    monkeypatch.setattr(progress, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(connecting, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(progress.log, "warning", lambda *_words: said.set())
    nowhere = DatabaseAddress(str(home), 1, "webrag", "webrag", "none")
    with pytest.raises(DatabaseUnreachableError, match="did not answer"):
        connecting.wait_until_ready(nowhere, lambda: True, 0.1, steps.append)
    assert said.wait(60)
    assert {(step.name, step.detail) for step in steps} == {
        ("Waiting for the database", "it does not answer yet")
    }
    said.clear()
    lock = FileLock(Layout.of(home).startup_lock)
    assert lock.acquire(shared=False, timeout=0)

    def release() -> None:
        said.wait(60)
        lock.release()

    released = threading.Thread(target=release)
    released.start()
    make_stack().open(steps.append)
    released.join()
    assert "Waiting for another WebRAG program" in [step.name for step in steps]
