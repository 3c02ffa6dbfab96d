"""What the window remembers: geometry, panes and zoom; a file that is damaged or of something else is ignored."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.filters import FOUR
from webrag_desktop.gui.data.filters import Period
from webrag_desktop.gui.data.questions import LastQuestion
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.gui.shell.window_state import FILE, Remembered, WindowState

Show = Callable[[], MainWindow]


@pytest.fixture
def show(application: QApplication, qtbot: QtBot, tmp_path: Path) -> Show:
    """A window as the program shows it: with what is remembered in the data folder."""

    def make() -> MainWindow:
        window = MainWindow()
        qtbot.addWidget(window)
        window.resize(1440, 900)  # the offscreen screen is smaller than any window of ours
        WindowState(tmp_path).restore(window)
        with qtbot.waitExposed(window):
            window.show()
        return window

    return make


def arrangement(window: MainWindow) -> tuple[object, ...]:
    details = window.library.details_button.isChecked()
    return window.size().toTuple(), window.body.sizes(), details, window.research.reader.zoom


def without_geometry(home: Path) -> None:
    """The screen of the tests is too small for it."""
    saved = QSettings(str(home / FILE), QSettings.Format.IniFormat)
    assert isinstance(saved.value("geometry"), QByteArray)
    saved.remove("geometry")
    saved.sync()


def test_the_first_window_has_the_usual_arrangement(show: Show) -> None:
    window = show()
    assert window.body.sizes()[0] == 228
    assert window.research.reader.zoom == 0


def test_the_next_window_is_as_large_as_the_last_one(show: Show, tmp_path: Path) -> None:
    first = show()
    first.resize(960, 640)
    WindowState(tmp_path).save(first)
    assert show().size() == first.size()


@pytest.mark.parametrize("run", [(), ("command:Go/Map",), ("command:Go/Map", "tag:a, b; ü")])
def test_what_was_run_in_the_command_palette_is_known_next_time(
    show: Show, tmp_path: Path, run: tuple[str, ...]
) -> None:
    first = show()
    first.recently_run = run
    WindowState(tmp_path).save(first)
    assert show().recently_run == run


def test_the_panes_are_as_they_were_left(show: Show, tmp_path: Path) -> None:
    first = show()
    usual = arrangement(first)
    first.body.setSizes([300, 1140])
    first.library.details_button.setChecked(not first.library.details_button.isChecked())
    first.research.reader.set_zoom(2)
    first.research._panes.setSizes([500, 700])
    left, panes = arrangement(first), first.research.saved_layout()
    assert all(new != old for new, old in zip(left[1:], usual[1:], strict=True))
    WindowState(tmp_path).save(first)
    without_geometry(tmp_path)
    again = show()
    assert arrangement(again) == left
    assert again.research.saved_layout()["research-panes"] == panes["research-panes"]


def test_a_window_that_was_closed_narrow_has_its_panes_again_when_it_is_wide(
    show: Show, tmp_path: Path
) -> None:
    first = show()
    first.body.setSizes([300, 1140])
    first.resize(1100, 800)
    WindowState(tmp_path).save(first)
    without_geometry(tmp_path)
    assert show().body.sizes()[0] == 300


@pytest.mark.parametrize("name", ["geometry", "body", "library", "research-panes", "research-column"])
@pytest.mark.parametrize("value", [QByteArray(b""), QByteArray(b"\x00\x01 of another program"), "text", 7])
def test_a_foreign_value_is_ignored(show: Show, tmp_path: Path, name: str, value: object) -> None:
    usual = arrangement(show())
    foreign = QSettings(str(tmp_path / FILE), QSettings.Format.IniFormat)
    foreign.setValue(name, value)
    foreign.sync()
    assert arrangement(show()) == usual


@pytest.mark.parametrize("zoom", ["large", "", "1e3", "@Invalid()", "nan"])
def test_a_zoom_that_is_no_number_is_ignored(show: Show, tmp_path: Path, zoom: str) -> None:
    (tmp_path / FILE).write_text(f"[General]\nzoom={zoom}\n", "utf-8")
    assert show().research.reader.zoom == 0


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00garbage", b"[General\ngeometry=@ByteArray(\\x1", b"=\n[[]]"]
)
def test_a_damaged_file_is_as_good_as_none(show: Show, tmp_path: Path, content: bytes) -> None:
    usual = arrangement(show())
    (tmp_path / FILE).write_bytes(content)
    window = show()
    assert arrangement(window) == usual
    WindowState(tmp_path).save(window)  # and the next start finds a sound one
    without_geometry(tmp_path)
    assert arrangement(show()) == usual


def test_a_folder_that_cannot_be_written_costs_the_memory_only(show: Show, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    WindowState(tmp_path / "file").save(show())


LAST = LastQuestion(
    "why “did” it fail", FOUR.having("fetched", Period("", "2020-05")), asked=True, passage=UUID(int=7)
)


def test_view_and_question_are_as_they_were_left(show: Show, tmp_path: Path) -> None:
    order = Listing(sort="title", descending=False, grouping="site")
    WindowState(tmp_path).save(show(), Remembered("map", LAST, as_typed=False, order=order))
    again = WindowState(tmp_path).remembered()
    assert again == Remembered("map", LAST, as_typed=False, order=order)
    assert again.question.filters.fields == LAST.filters.fields  # in their order


@pytest.mark.parametrize(
    "written", ["", "7", "{", "[]", '{"question": 1}', '{"question": "q", "filters": 3, "asked": 1}']
)
def test_a_question_of_another_program_is_none(show: Show, tmp_path: Path, written: str) -> None:
    foreign = QSettings(str(tmp_path / FILE), QSettings.Format.IniFormat)
    foreign.setValue("question", written)
    foreign.setValue("view", "cinema")
    foreign.setValue("order", written or '["taste", true, "site"]')
    foreign.sync()
    assert WindowState(tmp_path).remembered() == Remembered()
