"""Answers in the real window: real library, real model for searching, a stand-in chat server on the real protocol."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.chat_server import ChatServer
from tests.support.chat_streams import cut, paused, streamed
from tests.support.command_line import Program
from tests.support.drags import drop, uri_list
from tests.support.gui_library import Heard
from tests.support.window_under_test import LONG, Opener, Seen, settings_of, wait_ready
from webrag_desktop.gui.data.answers import ShownAnswer
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.research.answer.view import AnswerView
from webrag_desktop.gui.shell.status_strip import PartButton

QUESTION = "How do limpets survive low tide?"
CLAMP = "Limpets clamp their shells to the rock at low tide, and so they survive until the sea is back."
GROUND = "Each of them has ground its shell to fit one place, to which it returns after grazing."
TIDES = f"# Tides\n\n## Low tide\n\n{CLAMP} {GROUND}\n"
OTTERS = (
    "# Otters\n\nOtters swim away at low tide, and sleep on their backs when the sea is **calm and grey**.\n"
)
INVENTED = "limpets fly when nobody looks"
CONTROL = Qt.KeyboardModifier.ControlModifier
Json = dict[str, Any]


class Teller:
    """A model that makes claims and points at the sentences that hold some words; asked again it does the same."""

    def __init__(self) -> None:
        self.claims: list[tuple[str, tuple[str, ...]]] = []
        self.server = ChatServer("teller", answers=self._answer)

    def _answer(self, payload: Json) -> str:
        if "You check which sentences" in payload["messages"][0]["content"]:
            asked = json.loads(payload["messages"][1]["content"])
            ids = {one["text"]: one["id"] for one in asked["sentences"]}
            again = [
                {
                    "text": one["number"],
                    "ids": [ids[text] for text in ids if any(at in text for at in self._at(one))],
                }
                for one in asked["claims"]
            ]
            return json.dumps({"claims": again})
        context = payload["messages"][1]["content"]
        reported = [
            {"text": text, "ids": [id_of(words, context) for words in at]} for text, at in self.claims
        ]
        return json.dumps({"claims": reported}, ensure_ascii=False)

    def _at(self, claim: Json) -> tuple[str, ...]:
        return next((at for text, at in self.claims if text[:20] == claim["text"][:20]), ())

    @property
    def asked(self) -> list[str]:
        """What was sent to be answered, without what was asked to check it."""
        payloads = [one["messages"] for one in self.server.payloads]
        return [one[1]["content"] for one in payloads if "You check which sentences" not in one[0]["content"]]


def id_of(words: str, context: str) -> str:
    found = re.findall(r"\[(s\d+)\] ([^\[]*)", context)
    return str(next(id_ for id_, text in found if words in text))


@pytest.fixture
def teller() -> Iterator[Teller]:
    made = Teller()
    made.claims = [
        ("Limpets clamp their shells to the rock at low tide.", ("clamp their shells",)),
        ("Each returns to its one place after 12 hours of grazing.", ("ground its shell",)),
        (f"A keeper wrote: “{INVENTED}”.", ("clamp their shells",)),
        ("Mussels envy them.", ()),
    ]
    with made.server:
        yield made


def notes(folder: Path) -> list[str]:
    folder.mkdir()
    for name, text in (("tides", TIDES), ("otters", OTTERS)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return [(folder / f"{name}.md").as_uri() for name in ("tides", "otters")]


def filled(seen: Seen, qtbot: QtBot, folder: Path) -> None:
    qtbot.waitUntil(lambda: bool(seen.figures), timeout=LONG)
    assert drop(seen.window.view, uri_list(*notes(folder)))
    wait_ready(qtbot, seen, 2)


@pytest.fixture
def seen(opened: Opener, home: Program, teller: Teller, qtbot: QtBot, tmp_path: Path) -> Seen:
    started = opened(settings_of(home.home, CHAT_BASE_URL=teller.server.url, CHAT_MODEL="teller"))
    filled(started, qtbot, tmp_path / "notes")
    return started


def view_of(seen: Seen) -> AnswerView:
    return seen.window.view.research.answer


def shown(seen: Seen) -> ShownAnswer:
    answer = view_of(seen).answer
    assert answer is not None
    return answer


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifiers)


def answer(seen: Seen, question: str = QUESTION) -> None:
    """Type a question and press Ctrl+Enter."""
    seen.window.view.query.focus()
    seen.window.view.query.set_text(question)
    press(Qt.Key.Key_Return, CONTROL)


def ended(qtbot: QtBot, seen: Seen) -> ShownAnswer:
    def is_ended() -> bool:
        reported = view_of(seen).answer
        return reported is not None and not reported.is_running

    qtbot.waitUntil(is_ended, timeout=LONG)
    return shown(seen)


def words(seen: Seen) -> list[str]:
    return [one.text() for one in view_of(seen).findChildren(Label) if one.isVisible() and one.text()]


def status(seen: Seen) -> str:
    """What the foot of the window says of the chat model."""
    parts = seen.window.view.status.findChildren(PartButton)
    return next((one.accessibleName() for one in parts if one.accessibleName().startswith("Chat")), "")


def verbatim(seen: Seen, answer: ShownAnswer, number: int) -> str:
    """What is stored where a citation says that it stands."""
    cited = answer.citation(number)
    assert cited is not None
    assert cited.span is not None
    version = seen.library.documents.version(cited.span.version_id)
    assert version is not None
    return version.markdown[cited.span.char_start : cited.span.char_end]


def go_to(seen: Seen, is_it: Callable[[Any], bool]) -> None:
    """Bring the keyboard to a mark, by Tab from the first on."""
    view = view_of(seen)
    view.text.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(20):
        if view.text.current_mark is not None and is_it(view.text.current_mark):
            return
        press(Qt.Key.Key_Tab)
    raise AssertionError("there is no such mark")


def test_a_question_is_answered_read_cited_and_found_again(
    seen: Seen, teller: Teller, qtbot: QtBot, tmp_path: Path
) -> None:
    window, research = seen.window.view, seen.window.view.research
    resting = threading.Event()
    teller.server.misbehave(streamed(paused(resting, after=24)))
    answer(seen)
    # It is written while the passages are there already.
    qtbot.waitUntil(lambda: "Limpets clamp" in view_of(seen).text.toPlainText(), timeout=LONG)
    assert view_of(seen).header.stop.isVisible()
    assert any(one.startswith("Writing, ") for one in words(seen))
    qtbot.waitUntil(lambda: status(seen) == "Chat: teller, writing", timeout=LONG)
    qtbot.waitUntil(lambda: bool(seen.results) and research.results.list.isVisible(), timeout=LONG)
    resting.set()
    reported = ended(qtbot, seen)
    assert reported.stage == "complete"
    assert reported.basis is not None
    assert status(seen) == "Chat: teller, ready"
    assert any(one.startswith("based on ") for one in words(seen))
    # Quoted exactly is one fact, supports the claim another.
    assert verbatim(seen, reported, 1) == CLAMP
    assert [one.support for one in reported.claims] == ["supported", "doubtful", "doubtful", "unsupported"]
    assert {"1 quote is not in your documents", "1 claim has no passage behind it"} <= set(words(seen))
    copied = view_of(seen).text._written.copied(0, 10_000)
    assert "at low tide [1]." in copied
    assert f"{INVENTED} [not\u00a0found]" in copied
    assert f"“{INVENTED}" not in copied
    # A number leads to the very sentence, and cites it.
    go_to(seen, lambda mark: mark.number == 1)
    press(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: research.reader.highlighted_text() == CLAMP, timeout=LONG)
    press(Qt.Key.Key_C)
    qtbot.waitUntil(lambda: bool(seen.citations) and len(seen.citations[-1]) == 1, timeout=LONG)
    assert seen.citations[-1][0].verbatim == CLAMP
    press(Qt.Key.Key_C)
    qtbot.waitUntil(lambda: seen.citations[-1] == (), timeout=LONG)
    seen.window.operations.citing.cite_all([one.span for one in reported.citations if one.span is not None])
    qtbot.waitUntil(lambda: len(seen.citations[-1]) == len(reported.citations), timeout=LONG)
    seen.window.operations.undo.undo()  # all at once
    qtbot.waitUntil(lambda: seen.citations[-1] == (), timeout=LONG)
    # Another question is stopped; what is written of it stays.
    teller.server.misbehave(streamed(paused(threading.Event(), after=30)))
    answer(seen, "Do limpets fly?")
    qtbot.waitUntil(
        lambda: shown(seen).question == "Do limpets fly?" and bool(shown(seen).draft), timeout=LONG
    )
    press(Qt.Key.Key_Escape)
    stopped = ended(qtbot, seen)
    assert stopped.stage == "stopped"
    assert "Limpets clamp" in view_of(seen).text.toPlainText()
    # The first is found again in the history, and nobody is asked.
    asked = len(teller.asked)
    press(Qt.Key.Key_H, CONTROL)
    card = seen.window.connections.answering.history
    qtbot.waitUntil(lambda: card.isVisible() and card.list.questions.rowCount() == 2, timeout=LONG)
    QTest.keyClick(card.list, Qt.Key.Key_Down)
    QTest.keyClick(card.list, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: shown(seen).question == QUESTION and shown(seen).asked_at is not None, timeout=LONG
    )
    assert shown(seen).claims == reported.claims
    assert len(teller.asked) == asked
    assert window.query.text() == QUESTION
    # What it cites is removed: it says so.
    document = reported.citations[0].span
    assert document is not None
    seen.library.documents.delete_all([document.document_id])
    other = next(one for one in (tmp_path / "notes").iterdir() if one.stem == "otters")
    assert other.exists()
    research.reader.clear()
    seen.window.connections.research._shown = None
    seen.window.operations.reading._kept.clear()
    go_to(seen, lambda mark: mark.number == 1)
    press(Qt.Key.Key_Space)
    qtbot.waitUntil(
        lambda: "This document is not in your library any more." in research.reader._state.accessibleName(),
        timeout=LONG,
    )


def test_a_broken_answer_keeps_what_is_written_and_can_be_tried_again(
    seen: Seen, teller: Teller, qtbot: QtBot
) -> None:
    teller.server.misbehave(streamed(cut(after=30)))
    answer(seen)
    failed = ended(qtbot, seen)
    assert failed.stage == "failed"
    assert failed.problem in words(seen)
    assert "Limpets clamp" in view_of(seen).text.toPlainText()
    view_of(seen).again.click()
    qtbot.waitUntil(lambda: shown(seen).is_running, timeout=LONG)
    assert ended(qtbot, seen).stage == "complete"


def test_a_question_about_selected_text_is_answered_from_it_alone(
    seen: Seen, teller: Teller, qtbot: QtBot
) -> None:
    teller.claims = [("It clamps its shell.", ("clamp their shells",))]
    answer(seen)
    reported = ended(qtbot, seen)
    span = reported.citations[0].span
    assert span is not None
    research = seen.window.view.research
    seen.window.connections.research.show_span(span)
    qtbot.waitUntil(lambda: research.reader.highlighted_text() == CLAMP, timeout=LONG)
    place = research.reader._text.active_places()[0]
    research.reader._text.setTextCursor(research.reader._text._cursor(*place))
    research.reader.ask_about_selection()
    seen.window.view.query.set_text("What do they do?")
    press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown(seen).question == "What do they do?", timeout=LONG)
    about = ended(qtbot, seen)
    assert about.basis == "selected_text_only"
    assert "based on the selected text alone" in words(seen)
    assert verbatim(seen, about, 1) == CLAMP
    assert CLAMP in teller.asked[-1].replace("[s1] ", "")
    assert "Otters" not in teller.asked[-1]
    assert GROUND not in teller.asked[-1]


def test_without_a_model_the_sentences_that_answer_are_shown(
    opened: Opener, home: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    seen = opened(settings_of(home.home))
    filled(seen, qtbot, tmp_path / "notes")
    answer(seen)
    reported = ended(qtbot, seen)
    assert (reported.kind, reported.stage) == ("extract", "complete")
    assert "Extract: sentences that answer, word for word" in words(seen)
    assert "Search works. Answers need a chat model." in words(seen)
    assert CLAMP in [verbatim(seen, reported, one.number) for one in reported.citations]
    assert f"“{CLAMP}”" in view_of(seen).text.toPlainText()


def test_an_answer_that_is_being_written_ends_before_the_library_is_restored(
    seen: Seen, teller: Teller, qtbot: QtBot, tmp_path: Path
) -> None:
    keeping, session = seen.window.operations.safekeeping, seen.window.operations.session
    outcomes, contents, opened = Heard(keeping.ended), Heard(keeping.backup_read), Heard(session.opened)
    keeping.save(str(tmp_path / "saved.webrag"))
    qtbot.waitUntil(lambda: len(outcomes) == 1, timeout=LONG)
    keeping.read_backup(str(tmp_path / "saved.webrag"))
    qtbot.waitUntil(lambda: len(contents) == 1, timeout=LONG)
    teller.server.misbehave(streamed(paused(threading.Event(), after=30)))
    answer(seen)
    qtbot.waitUntil(lambda: "Limpets clamp" in view_of(seen).text.toPlainText(), timeout=LONG)
    order: list[str] = []
    seen.window.operations.answering.answer.connect(lambda shown: order.append(shown.stage))
    session.opened.connect(lambda: order.append("opened"))
    keeping.restore(contents.last)
    qtbot.waitUntil(lambda: len(opened) == 1 and len(outcomes) == 2, timeout=LONG)
    assert order.index("stopped") < order.index("opened")
    assert "failed" not in order
    stopped = shown(seen)
    assert (stopped.stage, stopped.problem) == ("stopped", None)
    assert stopped.kept_as is not None  # in the library that was replaced, which was saved with it
    assert outcomes.last.headline.startswith("Your library is that of ")
