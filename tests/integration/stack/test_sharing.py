"""One server, many processes: who starts it, who keeps it, what is left when they are killed."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.server import SURVIVES_KILLS
from tests.support.stack_processes import PATIENCE, StackUser, copy_cluster, reapers
from webrag_desktop.errors import DataFolderGoneError, StackError
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.postgres.reaper import stop_if_unused
from webrag_desktop.stack.processes import orphaned_backends, running_server
from webrag_desktop.storage.database import Database

MakeStack = Callable[..., EmbeddedStack]


def server_pid(home: Path) -> int:
    server = running_server(Layout.of(home))
    assert server is not None
    return server.pid


def connect(address: DatabaseAddress) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.Connection.connect(**address.keywords(), autocommit=True)  # type: ignore[arg-type]


def wait_until_all_is_gone(home: Path, server: psutil.Process) -> None:
    watching = reapers(home)
    server.wait(PATIENCE)
    for reaper in watching:
        reaper.wait(PATIENCE)
    assert reapers(home) == []
    assert orphaned_backends(Layout.of(home)) == []


def wait_for_the_idle_to_notice(home: Path, busy: int) -> None:
    """A killed server's processes end by themselves, each in its own time; only the busy one does not."""
    idle = [psutil.Process(pid) for pid in orphaned_backends(Layout.of(home)) if pid != busy]
    psutil.wait_procs(idle, PATIENCE)
    assert orphaned_backends(Layout.of(home)) == [busy]


def test_killing_the_only_user_leaves_nothing_behind(home: Path) -> None:
    with StackUser(home) as user:
        server = user.server()
        assert len(reapers(home)) == 1
        user.kill()
    wait_until_all_is_gone(home, server)
    assert running_server(Layout.of(home)) is None
    assert "database system is shut down" in Layout.of(home).log.read_text("utf-8")


def test_leaving_in_good_order_ends_the_server_too(home: Path) -> None:
    with StackUser(home) as user:
        server = user.server()
        user.leave()
    wait_until_all_is_gone(home, server)


def test_killing_one_of_two_users_leaves_the_server_to_the_other(home: Path) -> None:
    with StackUser(home) as one, StackUser(home) as two:
        server, same = one.server(), two.server()
        assert server.pid == same.pid
        assert one.count() == 1
        one.kill()
        assert two.count() == 2
        assert len(reapers(home)) == 1
        two.leave()
    wait_until_all_is_gone(home, server)


def test_the_reaper_leaves_a_used_server_running(home: Path, make_stack: MakeStack) -> None:
    layout = Layout.of(home)
    stack = make_stack()
    stack.open()
    (reaper,) = reapers(home)
    reaper.kill()  # this test does its work
    reaper.wait(PATIENCE)
    assert not stop_if_unused(layout, FileLock(layout.users_lock), FileLock(layout.reaper_lock), PATIENCE)
    assert running_server(layout) is not None
    stack.close()
    assert stop_if_unused(layout, FileLock(layout.users_lock), FileLock(layout.reaper_lock), PATIENCE)
    assert running_server(layout) is None


def test_the_server_stays_warm_during_the_grace_period(home: Path, make_stack: MakeStack) -> None:
    stack = make_stack(grace=PATIENCE)
    stack.open()
    first = server_pid(home)
    stack.close()
    stack.open()
    assert server_pid(home) == first


def test_the_reaper_ends_with_a_server_that_was_stopped(home: Path, make_stack: MakeStack) -> None:
    stack = make_stack(grace=10 * PATIENCE)
    stack.open()
    (reaper,) = reapers(home)
    stack.stop()
    reaper.wait(PATIENCE)


def test_coming_and_going_without_a_grace_period_always_finds_a_server(make_stack: MakeStack) -> None:
    stack = make_stack(grace=0.0)
    for _ in range(12):
        with connect(stack.open()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        stack.close()


def test_two_commands_at_once_on_an_empty_folder_make_one_server(tmp_path: Path) -> None:
    home = tmp_path / "empty"
    with StackUser(home) as one, StackUser(home) as two, StackUser(home) as three:
        servers = {user.server().pid for user in (one, two, three)}
        assert len(servers) == 1
        assert len(reapers(home)) == 1
        assert sorted([one.count(), two.count(), three.count()]) == [1, 2, 3]
        server = psutil.Process(servers.pop())
    wait_until_all_is_gone(home, server)


def test_a_killed_server_is_started_again_with_all_that_was_stored(home: Path) -> None:
    with StackUser(home) as one:
        killed = one.server()
        assert one.count() == 1
        killed.kill()
        killed.wait(PATIENCE)
        with StackUser(home) as two:
            server = two.server()
            assert server.pid != killed.pid
            assert two.count() == 2
            assert len(reapers(home)) == 1
    wait_until_all_is_gone(home, server)


def test_a_busy_backend_of_a_killed_server_does_not_block_the_next(home: Path, make_stack: MakeStack) -> None:
    stack = make_stack()
    with closing(connect(stack.open())) as busy, closing(connect(stack.open())) as watch:
        busy.pgconn.send_query(b"DO $$ BEGIN LOOP END LOOP; END $$")
        query = "SELECT state FROM pg_stat_activity WHERE pid = %s"
        while watch.execute(query, (busy.info.backend_pid,)).fetchone() != ("active",):
            pass
        killed = psutil.Process(server_pid(home))
        killed.kill()
        killed.wait(PATIENCE)
        wait_for_the_idle_to_notice(home, busy.info.backend_pid)
        with connect(stack.open()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert busy.info.backend_pid not in orphaned_backends(Layout.of(home))


def test_a_killed_reaper_is_replaced(home: Path) -> None:
    with StackUser(home) as one:
        server = one.server()
        (reaper,) = reapers(home)
        reaper.kill()
        reaper.wait(PATIENCE)
        assert server.is_running()
        with StackUser(home) as two:
            assert two.server().pid == server.pid
            (successor,) = reapers(home)
            assert successor.pid != reaper.pid
    wait_until_all_is_gone(home, server)


def test_user_and_reaper_killed_together_leave_a_server_that_is_adopted(home: Path) -> None:
    with StackUser(home) as one:
        server = one.server()
        assert one.count() == 1
        (reaper,) = reapers(home)
        reaper.kill()
        one.kill()
    reaper.wait(PATIENCE)
    with StackUser(home) as two:
        assert two.server().pid == server.pid
        assert two.count() == 2
    wait_until_all_is_gone(home, server)


def test_lock_files_left_by_killed_processes_lock_nobody_out(home: Path) -> None:
    layout = Layout.of(home)
    for path in (layout.startup_lock, layout.users_lock, layout.reaper_lock):
        path.write_text("4711\n", "ascii")
    with StackUser(home) as user:
        assert user.count() if user.server() else False


def test_a_startup_that_never_ends_is_reported_after_the_timeout(home: Path, make_stack: MakeStack) -> None:
    lock = FileLock(Layout.of(home).startup_lock)
    assert lock.acquire(shared=False, timeout=0)
    try:
        with pytest.raises(StackError, match="for a long time"):
            make_stack(lock_timeout=0.0).open()
    finally:
        lock.release()


def test_the_data_folder_vanishing_ends_the_reaper(home: Path, make_stack: MakeStack) -> None:
    stack = EmbeddedStack(StackOptions(home=home, grace=0.0))
    stack.open()
    (reaper,) = reapers(home)
    server = psutil.Process(server_pid(home))
    server.terminate()
    server.wait(PATIENCE)
    Layout.of(home).folder.rename(home / "moved")
    stack.close()
    reaper.wait(PATIENCE)


def test_passwords_and_secrets_stay_out_of_the_environment_of_what_runs_on(
    home: Path, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAT_API_KEY", "sk-secret")
    monkeypatch.setenv("PGOPTIONS", "-c search_path=nowhere")
    make_stack().open()
    for process in (psutil.Process(server_pid(home)), *reapers(home)):
        environment = json.dumps(process.environ())
        assert "sk-secret" not in environment
        assert "PGOPTIONS" not in environment


def test_a_server_whose_folder_was_moved_is_stopped_and_watched_where_it_is_now(
    home: Path, make_stack: MakeStack
) -> None:
    stack = EmbeddedStack(StackOptions(home=home, grace=0.0), SURVIVES_KILLS)
    with closing(connect(stack.open())) as connection:
        connection.execute("CREATE TABLE moved (id int)")
    (reaper,) = reapers(home)
    server = psutil.Process(server_pid(home))
    moved = home.rename(home.with_name("moved"))
    with pytest.raises(DataFolderGoneError, match="moved or removed"):
        stack.ensure_in_place()
    server.wait(PATIENCE)
    assert "database system is shut down" in Layout.of(moved).log.read_text("utf-8")
    with pytest.raises(DataFolderGoneError, match="moved or removed"):
        stack.open()  # which makes no new library in the old place
    assert not home.exists()
    stack.close()
    there = make_stack(moved)
    with closing(connect(there.open())) as connection:
        assert connection.execute("SELECT count(*) FROM moved").fetchone() == (0,)
    there.close()
    reaper.wait(PATIENCE)


def test_a_moved_folder_is_used_where_it_is_now_before_anybody_noticed(
    home: Path, make_stack: MakeStack
) -> None:
    with StackUser(home) as user:
        server = user.server()
        moved = home.rename(home.with_name("moved"))
        stack = make_stack(moved)
        with closing(connect(stack.open())) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert server_pid(moved) != server.pid
    second = psutil.Process(server_pid(moved))
    stack.close()
    second.wait(PATIENCE)  # the first reaper watches here by now


def test_a_server_whose_folder_was_removed_is_stopped(home: Path) -> None:
    stack = EmbeddedStack(StackOptions(home=home, grace=0.0), SURVIVES_KILLS)
    stack.open()
    (reaper,) = reapers(home)
    server = psutil.Process(server_pid(home))
    shutil.rmtree(home)
    reaper.wait(PATIENCE)
    server.wait(PATIENCE)
    with pytest.raises(DataFolderGoneError):
        stack.ensure_in_place()
    stack.close()


def test_another_folder_in_the_place_of_the_one_in_use_is_no_place_to_save(
    home: Path, cluster_template: Path, make_stack: MakeStack
) -> None:
    stack = EmbeddedStack(StackOptions(home=home, grace=0.0), SURVIVES_KILLS)
    database = Database(stack.open().keywords(), ensure_in_place=stack.ensure_in_place)

    def replace_folder() -> None:
        home.rename(home.with_name("moved"))
        copy_cluster(cluster_template, home)

    with pytest.raises(DataFolderGoneError), database.connection():
        replace_folder()
    with closing(connect(make_stack(home).open())) as connection:  # it is another library
        assert connection.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(DataFolderGoneError):
        database.warm_up()
    database.close()
    stack.close()
