"""Links into the library lead to the very characters, in the real window: from other programs, keys and clicks."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess, QProcessEnvironment, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.links import HOSTILE_LINKS
from tests.support.window_under_test import LONG, Opener, Seen, settings_of, wait_ready
from webrag_desktop.gui.shell.error_dialog import ErrorDialog
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH
from webrag_desktop.gui.shell.single_instance import SingleInstance
from webrag_desktop.models.citations import CiteId, is_link

OLD = "# Tide pools\n\nWhere the 🌊 meets rock.\n\n## Low tide\n\nLimpets **clamp** their shells.\n"
NEW = OLD.replace("**clamp**", "fasten")
CITED = "Limpets **clamp** their shells."
READ = "Limpets clamp their shells."


@pytest.fixture(autouse=True)
def short_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sockets go here, in every process; the data folders of tests can be too long for them."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="wr") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "pools.md"
    path.write_text(OLD, encoding="utf-8")
    return path


@pytest.fixture
def seen(opened: Opener, home: Program, qtbot: QtBot, note: Path) -> Iterator[Seen]:
    """The window, which takes what further starts are given; its one document has changed since it was cited."""
    window = opened(settings_of(home.home))
    instance = SingleInstance.of_home(home.home)
    assert instance.claim([])
    instance.listen()
    instance.arguments_received.connect(window.window.receive)
    window.window.operations.documents.add((str(note),))
    wait_ready(qtbot, window, 1)
    yield window
    instance.release()


@pytest.fixture
def old_link(seen: Seen, note: Path, qtbot: QtBot) -> str:
    """The link of what the note said before it changed."""
    library = seen.library
    source = library.document(str(note))
    text = library.documents.text(source.id)
    assert text is not None
    start = text.markdown.index(CITED)
    note.write_text(NEW, encoding="utf-8")
    seen.window.operations.documents.add((str(note),))
    qtbot.waitUntil(lambda: len(library.versions.of(source.id)) == 2, timeout=LONG)
    return CiteId.of(text.id, start, start + len(CITED)).link


@pytest.fixture
def run(home: Program, qtbot: QtBot) -> Callable[..., tuple[int, str]]:
    """Run a process of the program to its end while the window goes on; its exit code and what it said of errors."""

    def ended(*arguments: str) -> tuple[int, str]:
        process, environment = QProcess(), QProcessEnvironment()
        for name, value in home.environment.items():
            environment.insert(name, value)
        process.setProcessEnvironment(environment)
        with qtbot.waitSignal(process.finished, timeout=LONG):
            process.start(sys.executable, list(arguments))
        return process.exitCode(), bytes(process.readAllStandardError().data()).decode()

    return ended


def dialogs(seen: Seen) -> list[ErrorDialog]:
    return [one for one in seen.window.view.findChildren(ErrorDialog) if one.isVisible()]


def dismissed(qtbot: QtBot, seen: Seen) -> str:
    """What the one dialog says that comes, which is closed."""
    qtbot.waitUntil(lambda: bool(dialogs(seen)), timeout=LONG)
    (dialog,) = dialogs(seen)
    reported = dialog.accessibleName() + dialog.accessibleDescription()
    dialog.reject()
    qtbot.waitUntil(lambda: not dialogs(seen), timeout=LONG)
    return reported


def test_a_second_start_opens_the_place_in_the_older_text(
    seen: Seen, old_link: str, run: Callable[..., tuple[int, str]], qtbot: QtBot
) -> None:
    view, reader = seen.window.view, seen.window.view.research.reader
    assert view.view == LIBRARY
    assert run("-m", "webrag_desktop", "open", old_link) == (0, "")
    qtbot.waitUntil(lambda: reader.highlighted_text() == READ, timeout=LONG)
    assert view.view == RESEARCH
    assert view.research.is_full
    assert reader._document is not None
    assert not reader._document.current
    assert reader._note.isVisible()  # it says that this is an older text
    whole = f"webrag://document/{reader._document.document_id}"
    start = "from webrag_desktop.__main__ import window; window()"
    assert run("-c", start, whole)[0] == 0
    qtbot.waitUntil(lambda: reader._document is not None and reader._document.current, timeout=LONG)
    assert "fasten" in reader._text.toPlainText()
    view.back_button.click()
    qtbot.waitUntil(lambda: reader.highlighted_text() == READ, timeout=LONG)


def test_a_link_that_names_nothing_says_so_and_leaves_what_is_shown(
    seen: Seen, old_link: str, run: Callable[..., tuple[int, str]], qtbot: QtBot
) -> None:
    seen.window.receive([old_link])
    reader = seen.window.view.research.reader
    qtbot.waitUntil(lambda: reader.highlighted_text() == READ, timeout=LONG)
    code, reported = run("-m", "webrag_desktop", "open", "webrag://cite/ffffffffffffffff")
    assert code == 2
    assert "is not in this library" in reported
    start = "from webrag_desktop.__main__ import window; window()"
    assert run("-c", start, "webrag://cite/ffffffffffffffff")[0] == 0
    said = dismissed(qtbot, seen)
    assert "is not in this library" in said
    assert "webrag search" in said
    assert reader.highlighted_text() == READ


def test_hostile_links_show_nothing_and_add_nothing(seen: Seen, qtbot: QtBot, note: Path) -> None:
    figures, added = seen.figures[-1], []
    seen.window.operations.documents.add = lambda given, *_: added.append(given)  # type: ignore[method-assign]
    hostile = [link for link in HOSTILE_LINKS if is_link(link)]
    assert len(hostile) > 30
    for link in hostile:
        seen.window.receive([link])
        assert dismissed(qtbot, seen)
    assert added == []
    assert seen.figures[-1] == figures
    assert seen.window.view.view == LIBRARY


def test_a_pasted_link_and_one_in_a_note_lead_to_their_places(
    seen: Seen, old_link: str, qtbot: QtBot, tmp_path: Path
) -> None:
    reader = seen.window.view.research.reader
    QApplication.clipboard().setText(f" {old_link}\n")
    seen.window.connections.adding.paste()
    qtbot.waitUntil(lambda: reader.highlighted_text() == READ, timeout=LONG)
    other = tmp_path / "other.md"
    other.write_text(f"# Other\n\nSee {old_link} for more.\n", encoding="utf-8")
    seen.window.operations.documents.add((str(other),))
    wait_ready(qtbot, seen, 2)
    source = seen.library.document(str(other))
    seen.window.connections.links.open_among([f"webrag://document/{source.id}"])
    text = reader._text
    qtbot.waitUntil(lambda: old_link in text.toPlainText(), timeout=LONG)
    cursor = QTextCursor(text.document())
    cursor.setPosition(text.toPlainText().index(old_link) + 10)
    at = text.cursorRect(cursor).center()
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: reader.highlighted_text() == READ, timeout=LONG)
    seen.window.view.back_button.click()  # to the very link
    qtbot.waitUntil(lambda: reader.highlighted_text() == old_link, timeout=LONG)


def test_a_copied_link_comes_back_to_what_was_selected(seen: Seen, note: Path, qtbot: QtBot) -> None:
    reader = seen.window.view.research.reader
    source = seen.library.document(str(note))
    seen.window.connections.links.open_among([f"webrag://document/{source.id}"])
    qtbot.waitUntil(lambda: READ in reader._text.toPlainText(), timeout=LONG)
    reader._text.setTextCursor(reader._text.document().find("their shells"))
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(reader._text, Qt.Key.Key_L, keys)
    link = QApplication.clipboard().text()
    assert seen.library.cited.place(link).text == "their shells"
    seen.window.view.show_view(LIBRARY)
    seen.window.receive([link])
    qtbot.waitUntil(lambda: reader.highlighted_text() == "their shells", timeout=LONG)


def test_the_window_is_started_at_the_place(
    opened: Opener, home: Program, qtbot: QtBot, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.run("add", str(note)).code == 0
    (place,) = home.answer("verify", "--json", READ)["places"]
    from webrag_desktop.gui.shell.application import Window

    start = Window.open
    link = CiteId.parse(place["cite_id"]).link
    monkeypatch.setattr(Window, "open", lambda self: start(self, (link,)))
    seen = opened(settings_of(home.home))
    qtbot.waitUntil(lambda: seen.window.view.research.reader.highlighted_text() == READ, timeout=LONG)
    assert seen.window.view.view == RESEARCH
