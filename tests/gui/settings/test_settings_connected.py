"""Settings written from the window hold in it at once: on a real library, with real model servers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.embedding_server import EmbeddingServer
from tests.support.fused_model import place_fused_model
from tests.support.gui_library import Address, Heard, heard, open_operations
from tests.support.keyrings import keyring_here
from tests.support.ollama_chat import OllamaChatServer
from webrag_desktop import Library, load_settings
from webrag_desktop.config import Settings, setting_names
from webrag_desktop.gui.data.upkeep import StackReport
from webrag_desktop.gui.settings.cost_dialog import CostDialog
from webrag_desktop.gui.settings.settings_dialog import SettingsDialog
from webrag_desktop.gui.settings.shortcuts_page import ShortcutsPage
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.gui.shell.window_state import KeptKeys
from webrag_desktop.library import server_trials

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
Clone = Callable[[str], Address]


@pytest.fixture
def settings(
    clone: Clone, migrated_template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    for name in setting_names():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(server_trials, "_SECONDS", 0.05)
    monkeypatch.setenv("WEBRAG_HOME", str(place_fused_model(tmp_path)))
    monkeypatch.setenv("WEBRAG_DATABASE_URL", make_conninfo("", **clone(migrated_template)))
    return load_settings()


@pytest.fixture
def do(settings: Settings, qtbot: QtBot, application: QApplication) -> Iterator[Operations]:
    with open_operations(settings, qtbot) as made:
        yield made


@pytest.fixture
def shown(do: Operations, qtbot: QtBot) -> Iterator[Connections]:
    window = MainWindow()
    qtbot.addWidget(window)
    connections = Connections(window, do)
    with qtbot.waitExposed(window):
        window.show()
    yield connections
    window.hide()


def opened(shown: Connections, qtbot: QtBot, section: str) -> SettingsDialog:
    shown.settings.open(section)
    heard(qtbot, lambda: shown.settings._dialog.shown is not None)
    dialog = shown.settings._dialog.shown
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def save(dialog: SettingsDialog, do: Operations, qtbot: QtBot) -> None:
    reopened = Heard(do.session.opened)
    dialog.save_button.click()
    heard(qtbot, lambda: len(reopened) > 0 and do.session.is_open)


def test_from_the_first_start_to_a_chat_model_that_answers(
    shown: Connections,
    do: Operations,
    qtbot: QtBot,
    settings: Settings,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
) -> None:
    reports = Heard(do.stack.report)
    do.stack.refresh()
    heard(qtbot, lambda: len(reports) > 0 and any(part.set_up for part in reports.last.parts))
    shown.stack._act("Chat")  # "Set up" beside "not set up"
    heard(qtbot, lambda: shown.settings._dialog.shown is not None)
    dialog = shown.settings._dialog.shown
    assert dialog is not None
    answers = dialog.page("answers")
    assert dialog.stack.currentWidget() is answers.area
    with (
        OllamaChatServer("llama3.1", answers=lambda _payload: "A harbour. " * 8) as server,
        keyring_here() as keyring,
    ):
        answers.rows["CHAT_BASE_URL"].set_text(server.url)
        trial = shown.settings._trials["answers"]
        trial.button.click()
        heard(qtbot, lambda: trial.banner.accessibleName() == "No model is named yet.")
        (listed,) = server.pulled
        model = answers.rows["CHAT_MODEL"]
        model.set_text(model.control.itemText(0))  # type: ignore[attr-defined]
        chosen = model.text()
        assert chosen.removesuffix(":latest") == listed
        trial.button.click()
        heard(qtbot, lambda: trial.banner.accessibleName() == "Connected")
        for dark in (False, True):
            themed(dark)
            for name in ("embedding", "fetching", "privacy", "answers"):
                dialog.show_section(name)
                picture(dialog, f"settings-{name}{'-dark' if dark else ''}")
            dialog.choose([page.title for page in dialog.pages].index("Appearance"))
            picture(dialog, f"settings-appearance{'-dark' if dark else ''}")
        answers.rows["CHAT_API_KEY"].set_text("sk-secret")
        save(dialog, do, qtbot)
        assert list(keyring.kept.values()) == ["sk-secret"]

        def ready() -> bool:
            report: StackReport = reports.last
            return any(part.name == "Chat" and part.health == "ok" for part in report.parts)

        heard(qtbot, ready)
    written = (settings.webrag_home / ".env").read_text(encoding="utf-8")
    assert "sk-secret" not in written
    assert f"CHAT_BASE_URL={server.url}" in written
    assert do.session.settings.chat_model == chosen
    key = do.session.settings.chat_api_key
    assert key is not None
    assert key.get_secret_value() == "sk-secret"
    heard(qtbot, lambda: shown.settings._dialog.shown is None)


def test_another_embedding_model_is_weighed_first_and_leads_into_the_move(
    shown: Connections,
    do: Operations,
    qtbot: QtBot,
    settings: Settings,
    tmp_path: Path,
    picture: Callable[[QWidget, str], Path],
) -> None:
    note = tmp_path / "note.md"
    note.write_text(
        "# Lock\n\nThe keeper opens the lock at dawn, and the boats wait for the tide.\n", encoding="utf-8"
    )
    do.documents.add((str(note),))
    with EmbeddingServer({"nomic-embed-text": 768}) as server:
        library = do.session._library
        assert library is not None
        heard(qtbot, lambda: _is_idle(library) and library.moves.look().active is not None)
        dialog = opened(shown, qtbot, "embedding")
        page = dialog.page("embedding")
        page.rows["EMBEDDING_BACKEND"].set_text("ollama")
        page.rows["EMBEDDING_BASE_URL"].set_text(server.url)
        page.rows["EMBEDDING_MODEL"].set_text("nomic-embed-text")
        dialog.save_button.click()
        heard(qtbot, lambda: bool(dialog.findChildren(CostDialog)))
        (asking,) = dialog.findChildren(CostDialog)
        assert "a second, as measured just now" in asking.text.text()
        assert "of disk" in asking.text.text()
        picture(asking, "settings-move")
        assert not (settings.webrag_home / ".env").exists()
        asking.cancel_button.click()
        assert not (settings.webrag_home / ".env").exists()
        dialog.save_button.click()
        heard(qtbot, lambda: any(one.isVisible() for one in dialog.findChildren(CostDialog)))
        (asking,) = [one for one in dialog.findChildren(CostDialog) if one.isVisible()]
        reported = Heard(do.moving.noticed)
        asking.now_button.click()
        heard(qtbot, lambda: any("searched with nomic-embed-text" in one.text for one in reported.all))


def test_a_model_that_does_not_answer_can_be_saved_all_the_same(
    shown: Connections, do: Operations, qtbot: QtBot, settings: Settings, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Lock\n\nThe keeper opens the lock at dawn.\n", encoding="utf-8")
    do.documents.add((str(note),))
    library = do.session._library
    assert library is not None
    heard(qtbot, lambda: _is_idle(library) and library.moves.look().active is not None)
    dialog = opened(shown, qtbot, "embedding")
    page = dialog.page("embedding")
    page.rows["EMBEDDING_BACKEND"].set_text("openai")
    page.rows["EMBEDDING_BASE_URL"].set_text("http://127.0.0.1:9")
    page.rows["EMBEDDING_MODEL"].set_text("nobody-knows-it")
    dialog.save_button.click()
    heard(qtbot, lambda: bool(dialog.findChildren(CostDialog)))
    (asking,) = dialog.findChildren(CostDialog)
    assert asking.windowTitle() == "Move the library"
    assert asking.now_button.isHidden()
    said = " ".join(label.text() for label in asking.findChildren(QLabel))
    assert "“Dimensions” (settings, Embedding model)" in said
    reopened = Heard(do.session.opened)
    asking.later_button.click()
    heard(qtbot, lambda: len(reopened) > 0)
    assert "EMBEDDING_MODEL=nobody-knows-it" in (settings.webrag_home / ".env").read_text(encoding="utf-8")


def _is_idle(library: Library) -> bool:
    queue = library.status().queue
    return queue.waiting + queue.running == 0


def test_a_setting_that_moves_nothing_is_saved_without_a_question(
    shown: Connections, do: Operations, qtbot: QtBot, settings: Settings
) -> None:
    dialog = opened(shown, qtbot, "fetching")
    dialog.page("fetching").rows["FETCH_TIMEOUT"].set_text("45")
    asked = Heard(do.settings.cost)
    save(dialog, do, qtbot)
    assert asked.all == [None]
    assert (settings.webrag_home / ".env").read_text(encoding="utf-8") == "FETCH_TIMEOUT=45\n"
    assert do.session.settings.fetch_timeout == 45


def test_a_keyring_that_is_locked_at_the_start_is_waited_for_behind_the_window(
    clone: Clone, migrated_template: str, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with keyring_here() as keyring:
        from webrag_desktop import DataFolder
        from webrag_desktop.config import keys

        DataFolder(settings).change_settings({"CHAT_API_KEY": "sk-late"})
        keyring.lock()
        monkeypatch.setattr(keys, "PATIENCE", 0.05)
        without = load_settings()
        assert without.chat_api_key is None
        with open_operations(without, qtbot) as do:
            changed = Heard(do.session.settings_changed)
            do.settings.fetch_awaited_keys()
            keyring.unlocked.set()
            heard(qtbot, lambda: len(changed) > 0)
            key = do.session.settings.chat_api_key
            assert key is not None
            assert key.get_secret_value() == "sk-late"
            heard(qtbot, lambda: do.session.is_open)


def test_the_search_history_is_cleared_from_the_page_about_privacy(
    shown: Connections, do: Operations, qtbot: QtBot
) -> None:
    library = do.session._library
    assert library is not None
    library.searches.note("why did the cable fail")
    dialog = opened(shown, qtbot, "privacy")
    (clear,) = [one for one in dialog.findChildren(QPushButton) if one.text() == "Clear search history"]
    clear.click()
    heard(qtbot, lambda: library.searches.history() == [])


def test_a_key_that_is_chosen_in_the_settings_is_there_at_the_next_start(
    shown: Connections, settings: Settings, qtbot: QtBot
) -> None:
    dialog = opened(shown, qtbot, "embedding")
    (page,) = [one for one in dialog.pages if isinstance(one, ShortcutsPage)]
    dialog.choose(dialog.pages.index(page))
    line = page.line("window/palette")
    line.change_button.click()
    QTest.keyClick(line.field, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert KeptKeys(settings.webrag_home).read() == {"window/palette": "Ctrl+J"}
    dialog.reject()
    (again,) = [one for one in opened(shown, qtbot, "embedding").pages if isinstance(one, ShortcutsPage)]
    assert again.line("window/palette").reset_button.isVisibleTo(again)


def test_the_menu_leads_to_the_embedding_model(shown: Connections, qtbot: QtBot) -> None:
    (command,) = [one for one in shown.commands.actions if one.text() == "Embedding model…"]
    command.trigger()
    heard(qtbot, lambda: shown.settings._dialog.shown is not None)
    dialog = shown.settings._dialog.shown
    assert dialog is not None
    assert dialog.stack.currentWidget() is dialog.page("embedding").area
    dialog.reject()
    heard(qtbot, lambda: shown.settings._dialog.shown is None)
    (button,) = [one for one in dialog.findChildren(QPushButton) if one.text() == "Save"]
    assert not button.isEnabled()
