"""What leaves the window for the browser: pages, and the user's own files and folders."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Heard,
    OpenedAddresses,
)
from webrag_desktop.gui.session.browsing import Browsing


@pytest.fixture
def system() -> OpenedAddresses:
    return OpenedAddresses()


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "file://host/share/x.exe",
        "smb://host/x",
        "mailto:a@b",
        "data:text/html,x",
        "vbscript:x",
        "https:",
        "//host/x",
        "x-apple.systempreferences:",
        "",
    ],
)
def test_only_pages_are_opened(qtbot: QtBot, system: OpenedAddresses, address: str) -> None:
    browsing = Browsing(system)
    failures = Heard(browsing.failed)
    assert not browsing.open(address)
    assert not browsing.open_place(address) or address == "file:///etc/passwd"
    assert not [url for url in system.all if url != "file:///etc/passwd"]
    assert failures.all


def test_pages_are_opened_as_they_are_written(qtbot: QtBot, system: OpenedAddresses) -> None:
    browsing = Browsing(system)
    assert browsing.open("https://example.org/a%20b?q=%26#c")
    assert browsing.open_place("http://example.org/", "A heading", None, "words, and — more")
    assert system.all == [
        "https://example.org/a%20b?q=%26#c",
        "http://example.org/#a-heading:~:text=words%2C%20and%20%E2%80%94%20more",
    ]


def test_the_user_s_own_files_are_opened_and_no_others(qtbot: QtBot, system: OpenedAddresses) -> None:
    browsing = Browsing(system, lambda address: address.endswith("mine.md"))
    assert browsing.open("file:///home/me/mine.md")
    assert not browsing.open("file:///home/me/other.md")
    assert browsing.open_place("file:///home/me/mine.md", "A heading", "anchor", "words")
    assert system.all == ["file:///home/me/mine.md"] * 2


def test_a_folder_is_opened_for_a_file_in_it(qtbot: QtBot, system: OpenedAddresses, tmp_path: Path) -> None:
    browsing = Browsing(system)
    log = tmp_path / "worker.log"
    log.write_text("x")
    assert browsing.open_folder(str(log))
    assert browsing.open_folder(str(tmp_path))
    assert system.all == [QUrl.fromLocalFile(str(tmp_path)).toString()] * 2


def test_a_system_that_does_not_open_it_is_reported(qtbot: QtBot) -> None:
    browsing = Browsing(lambda _url: False)
    failures = Heard(browsing.failed)
    assert not browsing.open("https://example.org/")
    assert failures.last.details == "https://example.org/"
