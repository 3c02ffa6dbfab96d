import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webrag_desktop.stack.locks import FileLock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def test_shared_locks_live_together_and_keep_an_exclusive_one_out(path: Path) -> None:
    one, two, alone = FileLock(path), FileLock(path), FileLock(path)
    assert one.acquire(shared=True, timeout=0)
    assert two.acquire(shared=True, timeout=0)
    assert not alone.acquire(shared=False, timeout=0)
    one.release()
    assert not alone.acquire(shared=False, timeout=0)
    two.release()
    assert alone.acquire(shared=False, timeout=0)
    assert not one.acquire(shared=True, timeout=0)
    assert not one.held
    alone.release()
    alone.release()


@settings(deadline=None)
@given(steps=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["shared", "exclusive", "release"]))))
def test_never_two_holders_unless_all_share(
    steps: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "property.lock"
    locks, holding = [FileLock(path) for _ in range(4)], dict[int, str]()
    for who, what in steps:
        if what == "release":
            locks[who].release()
            holding.pop(who, None)
        elif who not in holding:
            fits = not holding if what == "exclusive" else "exclusive" not in holding.values()
            assert locks[who].acquire(shared=what == "shared", timeout=0) == fits
            if fits:
                holding[who] = what
    for lock in locks:
        lock.release()


def test_waiting_ends_when_the_holder_releases(path: Path) -> None:
    holder, waiter = FileLock(path), FileLock(path)
    holder.acquire(shared=True, timeout=0)
    taken: list[bool] = []
    thread = threading.Thread(target=lambda: taken.append(waiter.acquire(shared=False, timeout=None)))
    thread.start()
    assert not taken
    holder.release()
    thread.join(30)
    assert taken == [True]
    waiter.release()


def test_a_bounded_wait_gives_up(path: Path) -> None:
    holder = FileLock(path)
    holder.acquire(shared=False, timeout=0)
    assert not FileLock(path).acquire(shared=True, timeout=0.05)
    holder.release()


def test_a_lock_ends_with_the_process_that_holds_it(path: Path) -> None:
    program = (
        "import sys, pathlib; from webrag_desktop.stack.locks import FileLock\n"
        "lock = FileLock(pathlib.Path(sys.argv[1])); lock.acquire(shared=True, timeout=0)\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    mine = FileLock(path)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert not mine.acquire(shared=False, timeout=0)
        process.kill()
        process.wait(30)
        assert mine.acquire(shared=False, timeout=0)
    mine.release()


@pytest.mark.skipif(sys.platform == "win32", reason="handed over by inheritance")
def test_a_lock_can_be_handed_to_a_child(path: Path) -> None:
    mine = FileLock(path)
    mine.acquire(shared=False, timeout=0)
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        pass_fds=[mine.descriptor],
    ) as child:
        mine.release()
        assert not FileLock(path).acquire(shared=True, timeout=0)
        child.kill()
        child.wait(30)
        assert mine.acquire(shared=True, timeout=0)
    mine.release()


def test_misuse_is_reported(path: Path) -> None:
    lock = FileLock(path)
    with pytest.raises(ValueError, match="not held"):
        _ = lock.descriptor
    lock.acquire(shared=True, timeout=0)
    with pytest.raises(ValueError, match="already held"):
        lock.acquire(shared=True, timeout=0)
    lock.release()
