"""A small library and an empty one, each in a data folder of its own, and the first saved to a file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Address
from tests.support.backup_home import Home


@pytest.fixture
def full(small_address: Address, tmp_path: Path) -> Home:
    (tmp_path / "full").mkdir()
    return Home(small_address, tmp_path / "full")


@pytest.fixture
def empty(clone: Callable[[str], Address], migrated_template: str, tmp_path: Path) -> Home:
    (tmp_path / "empty").mkdir()
    return Home(clone(migrated_template), tmp_path / "empty")


@pytest.fixture
def saved(full: Home, tmp_path: Path) -> Path:
    return full.save(tmp_path / "library.webrag").path
