import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.server_pin import ServerPin


@pytest.fixture
def home() -> Iterator[Path]:
    """A data folder whose pin is ended, however the test went."""
    with tempfile.TemporaryDirectory(prefix="webrag-keeper-") as folder:
        layout = Layout.of(Path(folder))
        layout.folder.mkdir(mode=0o700)
        yield Path(folder)
        ServerPin(Path(folder)).stop()


def pid_of(home: Path) -> int:
    return int((Layout.of(home).folder / "keeper.pid").read_text("ascii"))


def is_used(home: Path) -> bool:
    users = FileLock(Layout.of(home).users_lock)
    alone = users.acquire(shared=False, timeout=0)
    users.release()
    return not alone


def test_it_counts_as_a_user_until_it_is_stopped(home: Path) -> None:
    pin = ServerPin(home)
    assert not pin.running()
    pin.start()
    assert pin.running()
    assert is_used(home)
    assert pin.stop()
    assert not pin.running()
    assert not is_used(home)
    assert not pin.stop()


def test_starting_it_twice_starts_one(home: Path) -> None:
    ServerPin(home).start()
    first = pid_of(home)
    ServerPin(home).start()
    assert pid_of(home) == first


def test_a_killed_one_counts_no_more_and_can_be_started_again(home: Path) -> None:
    ServerPin(home).start()
    killed = psutil.Process(pid_of(home))
    killed.kill()
    psutil.wait_procs([killed], 30)
    assert not ServerPin(home).running()
    assert not is_used(home)
    ServerPin(home).start()
    assert pid_of(home) != killed.pid


def test_another_process_with_its_number_is_left_alone(home: Path) -> None:
    lock = FileLock(Layout.of(home).folder / "keeper.lock")
    assert lock.acquire(shared=False, timeout=0)
    (Layout.of(home).folder / "keeper.pid").write_text(str(os.getpid()), "ascii")
    assert not ServerPin(home).stop()
    lock.release()
