"""What the program runs on, as the strip and its dialog show it; and what can be taken back, and for how long."""

import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.embedding_server import EmbeddingServer, json_reply
from tests.support.gui_library import (
    Address,
    Heard,
    Outage,
    heard,
    open_operations,
    operations_on,
    settings_for,
)
from tests.support.ollama_chat import OllamaChatServer
from tests.support.pages import PageServer, RequestHandler
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings
from webrag_desktop.embedding.catalog import MINILM_FUSED
from webrag_desktop.embedding.languages import foreign_texts_note
from webrag_desktop.gui.data.upkeep import StackPart, StackReport
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.kit.widgets.messages import Toast, ToastArea
from webrag_desktop.gui.session import session
from webrag_desktop.gui.session.failures import HIDDEN, without_secrets
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.application import _write_log
from webrag_desktop.gui.shell.connections.window import show_notice

Clone = Callable[[str], Address]


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def settings(address: Address, tmp_path: Path) -> Settings:
    return settings_for(address, tmp_path)


@pytest.fixture
def do(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings, qtbot) as made:
        yield made


def reported(do: Operations, qtbot: QtBot) -> StackReport:
    reports = Heard(do.stack.report)
    do.stack.refresh()
    heard(qtbot, lambda: len(reports) > 0)
    report: StackReport = reports.last
    return report


def part(report: StackReport, name: str) -> StackPart:
    return next(part for part in report.parts if part.name == name)


# -- What runs ----------------------------------------------------------------------------------------------------


def test_everything_that_runs_is_reported_with_its_version(
    do: Operations, qtbot: QtBot, settings: Settings
) -> None:
    report = reported(do, qtbot)
    database, embedding = part(report, "Database"), part(report, "Embedding")
    assert (database.word, database.health, database.action) == ("ready", "ok", "")
    assert database.version is not None
    assert database.version.startswith("PostgreSQL ")
    assert (embedding.word, embedding.health) == ("ready", "ok")
    assert embedding.detail.startswith("all-MiniLM-L6-v2-fused, part of the program. Its weights: ")
    assert report.folder == str(settings.webrag_home)


def test_a_model_for_the_languages_of_the_texts_is_offered_beside_the_one_that_runs(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = foreign_texts_note(MINILM_FUSED, (("de", 3),))
    assert note is not None
    monkeypatch.setattr(Library, "language_note", lambda _library: note)
    embedding = part(reported(do, qtbot), "Embedding")
    assert (embedding.word, embedding.health) == ("ready", "ok")
    assert DataFolder.in_words(note) in embedding.detail


def test_the_stack_is_looked_at_once_the_documents_of_an_opened_library_are_listed(
    settings: Settings, qtbot: QtBot
) -> None:
    with operations_on(settings) as do:
        reports = Heard(do.stack.report)
        do.stack.refresh()
        heard(qtbot, lambda: len(reports) == 1)
        assert part(reports.last, "Database").word == "starting"
        do.session.opened.connect(lambda: do.documents.list_documents(Listing()))
        do.session.open()
        heard(qtbot, lambda: part(reports.last, "Database").word == "ready")


def test_a_model_that_does_not_answer_comes_with_a_remedy(
    address: Address, tmp_path: Path, qtbot: QtBot
) -> None:
    nobody = PageServer()
    base = nobody.url("/v1")
    nobody.stop()
    more = {"EMBEDDING_BACKEND": "openai", "EMBEDDING_BASE_URL": base, "EMBEDDING_MODEL": "nomic-embed-text"}
    with open_operations(settings_for(address, tmp_path, **more), qtbot) as do:
        embedding = part(reported(do, qtbot), "Embedding")
        assert (embedding.word, embedding.health) == ("not answering", "failing")
        assert embedding.detail
        assert embedding.remedy
        assert embedding.action == "Check again"
        reports = Heard(do.stack.report)
        do.stack.act("Embedding")
        heard(qtbot, lambda: len(reports) == 1)


def test_a_server_that_lists_its_model_under_another_name_is_ready_and_the_name_is_reported(
    address: Address, tmp_path: Path, qtbot: QtBot
) -> None:
    with EmbeddingServer({"nomic-embed-text": 768}) as server:
        row = {"id": "/models/nomic.gguf", "object": "model"}
        server.misbehave(lambda _: json_reply({"data": [row]}), path="/v1/models", times=9)
        more = {
            "EMBEDDING_BACKEND": "openai",
            "EMBEDDING_BASE_URL": server.url,
            "EMBEDDING_MODEL": "nomic-embed-text",
        }
        with open_operations(settings_for(address, tmp_path, **more), qtbot) as do:
            embedding = part(reported(do, qtbot), "Embedding")
    assert (embedding.word, embedding.health) == ("ready", "ok")
    assert "The server lists /models/nomic.gguf." in embedding.detail


def test_the_model_is_busy_while_documents_are_read(do: Operations, qtbot: QtBot) -> None:
    asked = threading.Event()

    def hang(handler: RequestHandler) -> None:
        asked.set()
        handler.wait(30)

    with PageServer({"/slow": hang}) as pages:
        do.documents.add((pages.url("/slow"),))
        heard(qtbot, asked.is_set)
        embedding = part(reported(do, qtbot), "Embedding")
        assert (embedding.word, embedding.health) == ("indexing", "busy")
        assert do.session.close(30)


def test_a_lost_database_can_be_started_from_its_button(
    do: Operations, qtbot: QtBot, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "REOPEN_SECONDS", (3600,))
    reports, opened = Heard(do.stack.report), Heard(do.session.opened)
    do.session.opened.connect(lambda: do.documents.list_documents(Listing()))
    outage = Outage(address)
    outage.begin()
    heard(qtbot, lambda: bool(reports.all) and part(reports.last, "Database").health == "failing")
    database = part(reports.last, "Database")
    assert (database.word, database.action) == ("not answering", "Start again")
    assert "does not answer" in database.detail
    assert part(reports.last, "Embedding").health == "off"
    outage.end()
    do.stack.act("Database")
    heard(qtbot, lambda: len(opened) == 1)
    heard(qtbot, lambda: part(reports.last, "Database").word == "ready")


def test_logs_are_named_and_read_from_their_end_without_secrets(
    do: Operations, qtbot: QtBot, settings: Settings
) -> None:
    folder = settings.webrag_home / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "window.log"
    log.write_text("".join(f"line {n}\n" for n in range(1000)) + "password=s3same\n", "utf-8")
    report = reported(do, qtbot)
    assert dict(report.logs)["Window"] == str(log)
    texts = Heard(do.stack.log_text)
    do.stack.read_log(str(log))
    heard(qtbot, lambda: len(texts) == 1)
    assert texts.last.path == str(log)
    assert "line 999\n" in texts.last.text
    assert "line 1\n" not in texts.last.text
    assert "s3same" not in texts.last.text


def test_no_other_file_is_read_as_a_log(do: Operations, qtbot: QtBot, tmp_path: Path) -> None:
    secret = tmp_path / "diary.txt"
    secret.write_text("dear diary", "utf-8")
    texts = Heard(do.stack.log_text)
    do.stack.read_log(str(secret))
    heard(qtbot, lambda: len(texts) == 1)
    assert texts.last.text == "There is no such log."


# -- The chat model -----------------------------------------------------------------------------------------------


def chat_of(reports: Heard) -> StackPart | None:
    return next((one for one in reports.last.parts if one.name == "Chat"), None) if len(reports) else None


def chat_says(reports: Heard, word: str) -> Callable[[], bool]:
    return lambda: (chat := chat_of(reports)) is not None and chat.word == word


def test_without_a_chat_model_it_is_reported_how_to_set_one_up(
    do: Operations, qtbot: QtBot, settings: Settings
) -> None:
    reports = Heard(do.stack.report)
    do.stack.look_again()
    heard(qtbot, lambda: (chat := chat_of(reports)) is not None and chat.remedy != "")
    chat = chat_of(reports)
    assert chat is not None
    assert (chat.word, chat.health, chat.action, chat.set_up) == ("not set up", "off", "Set up", True)
    assert "ollama pull" in chat.remedy
    assert "choose it in the settings, under Answers" in chat.remedy
    assert "CHAT_MODEL" not in chat.remedy
    assert [one.name for one in reports.last.parts] == ["Database", "Embedding", "Chat"]


def test_the_chat_model_is_reported_with_its_size_and_whether_it_writes(
    address: Address, tmp_path: Path, qtbot: QtBot
) -> None:
    with OllamaChatServer("llama3.1", version="0.12.6") as server:
        more = {"CHAT_MODEL": "llama3.1", "CHAT_BASE_URL": server.url}
        with open_operations(settings_for(address, tmp_path, **more), qtbot) as do:
            reports = Heard(do.stack.report)
            do.stack.refresh()
            heard(qtbot, chat_says(reports, "llama3.1 8B, ready"))
            chat = chat_of(reports)
            assert chat is not None
            assert (chat.health, chat.version, chat.action) == ("ok", "Ollama 0.12.6", "")
            do.stack.show_writing(writing=True)
            assert chat_says(reports, "llama3.1 8B, writing")()
            assert (chat := chat_of(reports)) is not None
            assert chat.health == "busy"
            do.stack.show_writing(writing=False)
            assert chat_says(reports, "llama3.1 8B, ready")()


def test_the_chat_server_is_asked_once_and_then_when_the_user_wants_to_know(
    address: Address, tmp_path: Path, qtbot: QtBot
) -> None:
    with OllamaChatServer("llama3.1") as server:
        server.pulled = []
        more = {"CHAT_MODEL": "llama3.1", "CHAT_BASE_URL": server.url}
        with open_operations(settings_for(address, tmp_path, **more), qtbot) as do:
            reports = Heard(do.stack.report)
            do.stack.refresh()
            heard(qtbot, chat_says(reports, "model missing"))
            server.pulled = ["llama3.1"]
            looks, seen = len(server.looked_up), len(reports)
            do.stack.refresh()
            heard(qtbot, lambda: len(reports) > seen)
            assert len(server.looked_up) == looks
            assert (chat := chat_of(reports)) is not None
            assert (chat.health, chat.action) == ("warning", "Check again")
            assert chat.remedy.startswith("Fetch it with: ollama pull llama3.1.")
            do.stack.act("Chat")
            heard(qtbot, chat_says(reports, "llama3.1 8B, ready"))


def test_a_chat_server_that_says_nothing_holds_nothing_up(
    address: Address, tmp_path: Path, qtbot: QtBot
) -> None:
    released = threading.Event()

    def hang(handler: RequestHandler) -> None:
        handler.wait(30)
        released.set()

    with PageServer({"/v1/models": hang}) as pages:
        more = {"CHAT_MODEL": "owner/llama3.1-instruct-of-a-very-long-name", "CHAT_BASE_URL": pages.url("")}
        with open_operations(settings_for(address, tmp_path, **more), qtbot) as do:
            report = reported(do, qtbot)
            assert not released.is_set()
            assert part(report, "Database").word == "ready"
            chat = part(report, "Chat")
            assert (chat.word, chat.health) == ("llama3.1-instruct-of-a-very…", "off")


# -- What can be taken back ---------------------------------------------------------------------------------------


class Deeds:
    """An undo stack, and what became of the deeds on it."""

    def __init__(self, milliseconds: int = 3_600_000) -> None:
        self.stack = UndoStack(milliseconds=milliseconds)
        self.done: list[str] = []

    def do(self, name: str) -> "Callable[[], None]":
        notice = self.stack.push(
            name, lambda: self.done.append(f"undo {name}"), lambda: self.done.append(f"finish {name}")
        )
        assert (notice.text, notice.action, notice.shortcut) == (name, "Undo", "Ctrl+Z")
        assert notice.on_action is not None
        self.expired = notice.on_expired
        return notice.on_action


def test_the_latest_is_taken_back_first_and_each_once(qtbot: QtBot) -> None:
    deeds = Deeds()
    deeds.do("a")
    undo_b = deeds.do("b")
    deeds.do("c")
    undo_b()
    undo_b()
    deeds.stack.undo()
    deeds.stack.undo()
    deeds.stack.undo()
    assert deeds.done == ["undo b", "undo c", "undo a"]
    assert deeds.stack.is_empty


def test_a_deed_is_final_once_its_notice_is_gone(qtbot: QtBot) -> None:
    deeds = Deeds()
    undo = deeds.do("a")
    deeds.expired()
    deeds.expired()
    undo()
    assert deeds.done == ["finish a"]


@pytest.fixture
def window(application: QApplication, qtbot: QtBot) -> QWidget:
    made = QWidget()  # what owns the widgets has to live as long as the test
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def test_a_deed_can_be_undone_as_long_as_its_notice_is_seen(window: QWidget, qtbot: QtBot) -> None:
    stack, done, turns = UndoStack(milliseconds=0), list[str](), list[int]()
    toasts = ToastArea(window)
    show_notice(toasts, stack.push("a", lambda: done.append("undo"), lambda: done.append("finish")))
    QTimer.singleShot(20, lambda: turns.append(1))
    qtbot.waitUntil(lambda: bool(turns))
    assert done == []  # its time has passed, but it is in sight
    (toast,) = toasts.findChildren(Toast)
    (undo,) = toast.findChildren(QPushButton)
    undo.click()
    assert done == ["undo"]
    show_notice(toasts, stack.push("b", lambda: done.append("undo"), lambda: done.append("finish")))
    toasts.findChildren(Toast)[-1].dismiss()
    qtbot.waitUntil(lambda: done == ["undo", "finish"])


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlc"),
        ("Proxy-Authorization: Digest username=ada, response=c0ffee", "c0ffee"),
        ("{'authorization': 'Bearer abc.def'}", "abc.def"),
        ("Cookie: theme=dark; session=abcdef123", "abcdef123"),
        ("Set-Cookie: id=a3fWa; Secure; HttpOnly", "a3fWa"),
        ("Incorrect API key provided: AIzaSyABCDEF12345678901234", "SyABC"),
        ("the key AIzaSyABCDEF12345678901234 was refused", "SyABC"),
        ("EMBEDDING_API_KEY=s3same", "s3same"),
        ("password=s", "=s"),
    ],
)
def test_secrets_are_blotted_out(text: str, secret: str) -> None:
    printed = without_secrets(f"before\n{text}\nafter")
    assert secret not in printed
    assert HIDDEN in printed
    assert printed.startswith(f"before\n{text[:3]}")
    assert printed.endswith("\nafter")


def test_the_windows_log_is_nobody_elses(tmp_path: Path) -> None:
    path, logger = tmp_path / "logs" / "window.log", logging.getLogger("webrag_desktop")
    (tmp_path / ".env").write_text("RETREIVAL_BLEND=rrf\n", encoding="utf-8")
    before, level = list(logger.handlers), logger.level
    try:
        _write_log(DataFolder.at(tmp_path))
        (made,) = [handler for handler in logger.handlers if handler not in before]
        assert isinstance(made, RotatingFileHandler)
        assert "Did you mean RETRIEVAL_BLEND?" in path.read_text("utf-8")
        made.doRollover()
        assert path.stat().st_mode & 0o777 == 0o600
        logger.removeHandler(made)
        made.close()
    finally:
        logger.setLevel(level)


def test_a_deed_is_final_after_a_while_and_at_the_end(qtbot: QtBot) -> None:
    deeds = Deeds(milliseconds=0)
    deeds.do("a")
    qtbot.waitUntil(lambda: deeds.done == ["finish a"])
    deeds = Deeds()
    deeds.do("b")
    deeds.do("c")
    deeds.stack.finish_all()
    assert deeds.done == ["finish b", "finish c"]


def test_a_stack_that_nobody_holds_any_more_ends_in_peace(application: QApplication, qtbot: QtBot) -> None:
    """Its timers are its children: none may hold the last reference to it when it is freed."""
    ended: list[int] = []
    for number in range(50):
        stack = UndoStack(milliseconds=0)
        stack.destroyed.connect(partial(ended.append, number))
        stack.push("a", lambda: None, lambda: None)
        del stack
    qtbot.waitUntil(lambda: len(ended) == 50)
