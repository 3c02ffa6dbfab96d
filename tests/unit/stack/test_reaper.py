"""A reaper that is about to end is no reaper for whoever starts next."""

from pathlib import Path

from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.postgres.reaper import stop_if_unused


def locks(tmp_path: Path) -> tuple[Layout, FileLock, FileLock]:
    layout = Layout.of(tmp_path)
    layout.folder.mkdir(parents=True)
    own = FileLock(layout.reaper_lock)
    assert own.acquire(shared=False, timeout=0)
    return layout, FileLock(layout.users_lock), own


def test_its_place_is_free_once_it_found_nothing_to_guard(tmp_path: Path) -> None:
    layout, users, own = locks(tmp_path)
    assert stop_if_unused(layout, users, own, 1.0)
    next_one = FileLock(layout.reaper_lock)
    assert next_one.acquire(shared=False, timeout=0)
    next_one.release()


def test_it_keeps_its_place_while_somebody_uses_the_server(tmp_path: Path) -> None:
    layout, users, own = locks(tmp_path)
    user = FileLock(layout.users_lock)
    assert user.acquire(shared=True, timeout=0)
    assert not stop_if_unused(layout, users, own, 1.0)
    assert not FileLock(layout.reaper_lock).acquire(shared=False, timeout=0)
    user.release()
    own.release()
