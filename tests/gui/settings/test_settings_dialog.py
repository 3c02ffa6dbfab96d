"""The dialog of the settings: generated from what is declared, checked as one types, by mouse and keyboard."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from webrag_desktop import DataFolder
from webrag_desktop.config import setting_names
from webrag_desktop.gui.settings.fields import commands_quoted
from webrag_desktop.gui.settings.operations.changing import SettingsOperations
from webrag_desktop.gui.settings.pages import SettingsPage
from webrag_desktop.gui.settings.settings_dialog import SettingsDialog
from webrag_desktop.gui.settings.trials import ModelTrial
from webrag_desktop.models.stack import ServerTrial

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
LEFT = Qt.MouseButton.LeftButton
WRITTEN = "CHAT_MODEL=llama3.1\nCHAT_API_KEY=sk-kept\nFETCH_TIMEOUT=30\nCHAT_TEMPERATURE=0.5\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in setting_names():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    monkeypatch.setenv("FETCH_MAX_BYTES", "1000000")
    (tmp_path / ".env").write_text(WRITTEN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def dialog(home: Path, qtbot: QtBot, application: QApplication) -> SettingsDialog:
    pages = [
        SettingsPage(one, SettingsOperations.check, "globe") for one in DataFolder.unread().all_settings()
    ]
    made = SettingsDialog(pages)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def test_every_setting_has_a_row_with_its_help_default_and_bounds(dialog: SettingsDialog) -> None:
    rows = {name: row for page in dialog._forms() for name, row in page.rows.items()}
    assert set(rows) == set(setting_names())
    for row in rows.values():
        assert row.control.accessibleName()
        assert commands_quoted(row.state.description) in row.help.text()
        assert "`" not in row.help.text()
    assert "after “ollama pull llama3.1”." in rows["CHAT_MODEL"].help.text()
    assert "Default: 1." in rows["FETCH_HOST_DELAY_SECONDS"].help.text()
    assert "at most 600" in rows["FETCH_HOST_DELAY_SECONDS"].help.text()
    kinds = {"CHAT_CHECK_AGAIN": QCheckBox, "EMBEDDING_BACKEND": QComboBox, "FETCH_TIMEOUT": QLineEdit}
    for name, kind in kinds.items():
        assert isinstance(rows[name].control, kind)


def test_what_is_typed_is_checked_at_once_and_nothing_wrong_can_be_saved(
    dialog: SettingsDialog, qtbot: QtBot
) -> None:
    dialog.show_section("fetching", "FETCH_HOST_DELAY_SECONDS")
    row = dialog.page("fetching").rows["FETCH_HOST_DELAY_SECONDS"]
    assert row.control.hasFocus()
    assert not dialog.save_button.isEnabled()
    QTest.keyClicks(row.control, "9999")
    assert "it must be at least 0 and at most 600" in row.problem.text()
    assert row.problem.isVisible()
    assert not dialog.save_button.isEnabled()
    assert "Fetching" in dialog.status.text()
    QTest.keyClick(row.control, Qt.Key.Key_Backspace)
    QTest.keyClick(row.control, Qt.Key.Key_Backspace)
    assert not row.problem.isVisible()
    with qtbot.waitSignal(dialog.save_requested) as saved:
        QTest.mouseClick(dialog.save_button, LEFT)
    assert saved.args == [{"FETCH_HOST_DELAY_SECONDS": "99"}]


def test_the_environment_is_shown_and_cannot_be_changed_here(dialog: SettingsDialog) -> None:
    row = dialog.page("fetching").rows["FETCH_MAX_BYTES"]
    assert not row.control.isEnabled()
    assert row.text() == "1000000"
    assert "FETCH_MAX_BYTES" in row.note.text()
    assert row.reset_button.isHidden()
    home = dialog.page("library").rows["WEBRAG_HOME"]
    assert not home.control.isEnabled()


def test_reset_takes_a_setting_out_of_the_file(dialog: SettingsDialog) -> None:
    row = dialog.page("fetching").rows["FETCH_TIMEOUT"]
    row.reset_button.click()
    assert dialog.changes() == {"FETCH_TIMEOUT": None}
    assert "default will hold" in row.note.text()
    row.set_text("45")
    assert dialog.changes() == {"FETCH_TIMEOUT": "45"}
    row.set_text("30")
    assert dialog.changes() == {}


def test_a_key_is_never_shown_and_left_empty_stays_as_it_is(dialog: SettingsDialog) -> None:
    row = dialog.page("answers").rows["CHAT_API_KEY"]
    assert isinstance(row.control, QLineEdit)
    assert row.control.echoMode() == QLineEdit.EchoMode.Password
    assert row.text() == ""
    assert row.control.placeholderText() == "Kept in the settings file"
    assert dialog.changes() == {}
    row.set_text("sk-new")
    assert dialog.changes() == {"CHAT_API_KEY": "sk-new"}
    row.set_text("")
    assert dialog.changes() == {}
    row.reset_button.click()
    assert dialog.changes() == {"CHAT_API_KEY": None}


def test_choices_and_flags_are_written_as_the_file_has_them(dialog: SettingsDialog) -> None:
    dialog.page("answers").rows["CHAT_CHECK_AGAIN"].set_text("false")
    dialog.page("embedding").rows["EMBEDDING_BACKEND"].set_text("openai")
    assert dialog.changes() == {"CHAT_CHECK_AGAIN": "false", "EMBEDDING_BACKEND": "openai"}


def test_the_words_of_every_row_have_the_width_of_the_page(dialog: SettingsDialog) -> None:
    for page in dialog._forms():
        dialog.show_section(page.id)
        QTest.qWait(0)
        for row in page.rows.values():
            if row.isVisible():
                assert row.help.width() > dialog.width() // 3, row.state.name


def test_advanced_settings_are_folded_unless_one_is_set(dialog: SettingsDialog) -> None:
    dialog.show_section("embedding")
    page = dialog.page("embedding")
    assert not page.rows["EMBEDDING_TOKENIZER"].isVisible()
    page.advanced_button.click()
    assert page.rows["EMBEDDING_TOKENIZER"].isVisible()
    dialog.show_section("answers")
    assert dialog.page("answers").rows["CHAT_TEMPERATURE"].isVisible()  # it is set


def test_searching_leaves_what_is_looked_for(dialog: SettingsDialog) -> None:
    dialog.search.setFocus()
    QTest.keyClicks(dialog.search, "tokenizer")
    assert dialog.stack.currentWidget() is dialog.page("embedding").area
    assert dialog.page("embedding").rows["EMBEDDING_TOKENIZER"].isVisible()
    assert not dialog.page("embedding").rows["EMBEDDING_BASE_URL"].isVisible()
    shown = [button.text() for button in dialog._group.buttons() if button.isVisible()]
    assert "Embedding model" in shown
    assert "Fetching" not in shown
    dialog.search.setText("nothing is called so")
    assert dialog.none_found.isVisible()
    dialog.search.clear()
    assert dialog.page("embedding").rows["EMBEDDING_BASE_URL"].isVisible()
    assert not dialog.none_found.isVisible()


def test_arrow_keys_walk_the_sections_and_tab_leads_into_the_page(dialog: SettingsDialog) -> None:
    first = dialog._group.button(0)
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Down)
    assert dialog._group.checkedId() == 1
    assert dialog.stack.currentIndex() == 1
    focused = QApplication.focusWidget()
    assert focused is dialog._group.button(1)
    QTest.keyClick(focused, Qt.Key.Key_Tab)
    inside = QApplication.focusWidget()
    assert inside is not None
    assert dialog.stack.isAncestorOf(inside)


def test_a_trial_offers_the_models_of_the_server_and_tells_how_fast_it_is(
    dialog: SettingsDialog, qtbot: QtBot
) -> None:
    page = dialog.page("answers")
    trial = ModelTrial(page, "CHAT_BASE_URL", "CHAT_MODEL")
    dialog.show_section("answers")
    page.rows["CHAT_BASE_URL"].set_text("http://localhost:8080")
    with qtbot.waitSignal(trial.requested) as asked:
        trial.button.click()
    assert asked.args is not None
    assert asked.args[0]["CHAT_BASE_URL"] == "http://localhost:8080"
    assert "CHAT_API_KEY" not in asked.args[0]  # the kept one holds
    assert trial.button.text() == "Stop"
    trial.show_trial(
        ServerTrial("llama3.1", "http://localhost:8080", ("llama3.1", "qwen3"), rate=41.2, seconds=0.2)
    )
    assert trial.banner.accessibleName() == "Connected"
    assert "41 tokens a second" in trial.banner.accessibleDescription()
    model = page.rows["CHAT_MODEL"].control
    assert isinstance(model, QComboBox)
    assert [model.itemText(at) for at in range(model.count())] == ["llama3.1", "qwen3"]
    assert page.rows["CHAT_MODEL"].text() == "llama3.1"
    assert "CHAT_MODEL" not in dialog.changes()
    page.rows["CHAT_MODEL"].set_text("qwen3")
    assert trial.banner.isHidden()  # it spoke of another model


def test_a_trial_that_fails_tells_what_to_do_and_one_that_was_stopped_nothing(
    dialog: SettingsDialog, qtbot: QtBot
) -> None:
    page = dialog.page("embedding")
    trial = ModelTrial(page, "EMBEDDING_BASE_URL", "EMBEDDING_MODEL")
    trial.button.click()
    trial.show_trial(ServerTrial("m", problem="No server answers.", remedy="Start it."))
    assert trial.banner.accessibleName() == "No server answers."
    assert "Start it." in trial.banner.accessibleDescription()
    trial.button.click()
    with qtbot.waitSignal(trial.stopped):
        trial.button.click()
    trial.show_trial(ServerTrial("m", problem="Too late."))
    assert trial.banner.isHidden()
