import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from webrag_desktop.errors import StackError
from webrag_desktop.models.stack import StackKind
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.choice import ReadOnlyStack, choose_stack
from webrag_desktop.stack.layout import Layout

_HOME = Path("unused")
_URL = "postgresql://h/d"


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (StackOptions(_HOME), "embedded"),
        (StackOptions(_HOME, kind="embedded"), "embedded"),
        (StackOptions(_HOME, kind="compose"), "compose"),
        (StackOptions(_HOME, database_url=_URL), "external"),
        (StackOptions(_HOME, database_url=_URL, kind="compose"), "external"),
        (StackOptions(_HOME, database_url=""), "embedded"),
    ],
)
def test_an_address_wins_and_auto_means_embedded(options: StackOptions, kind: StackKind) -> None:
    assert choose_stack(options).kind == kind


def test_a_library_that_cannot_be_written_to_is_read_from_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root, permissions do not hold: the system is asked as it would answer where a disk is mounted for reading."""
    assert not choose_stack(StackOptions(tmp_path)).read_only
    data = Layout.of(tmp_path).data
    data.mkdir(parents=True)
    assert not choose_stack(StackOptions(tmp_path)).read_only
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    assert choose_stack(StackOptions(tmp_path)).read_only
    assert not choose_stack(StackOptions(tmp_path, database_url=_URL)).read_only
    data.rmdir()
    assert not choose_stack(StackOptions(tmp_path)).read_only


def test_no_room_for_a_copy_is_reported_with_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Layout.of(tmp_path).data
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_bytes(bytes(3_000_000))
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: SimpleNamespace(free=100_000_000))
    with pytest.raises(StackError, match=r"no room in .* for a copy of its database \(4 MB\)"):
        ReadOnlyStack(StackOptions(tmp_path)).open()
