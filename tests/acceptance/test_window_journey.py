"""The window's journey: real window, real server, real model, pages on loopback; offscreen, but nothing is faked."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program, program
from tests.support.drags import drag_over, drop, link_of_firefox, plain_text, uri_list
from tests.support.pages import PAGES_DIRECTORY, Page, PageServer, RequestHandler
from webrag_desktop.config import Settings
from webrag_desktop.gui.application import Window
from webrag_desktop.gui.main_window import LIBRARY, RESEARCH
from webrag_desktop.gui.theme.applying import prepare
from webrag_desktop.gui.view_data import CitationRow, CitationState, LibraryFigures, SearchResults
from webrag_desktop.indexing.plain_text import project
from webrag_desktop.orchestration.library import Library

LONG = 90_000  # milliseconds; a wait ends as soon as what it waits for is there

EMOJI_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signal lamps 🚨 at sea</title></head>
<body><main><h1>Signal lamps 🚨 at sea</h1>
<p>Before the war 🕯️ every keeper trimmed wicks by hand, and a wet wick 🌧️ was a dark night.</p>
<h2 id="arc">The arc lamp 👩🏽‍🔧</h2>
<p>The first arc lamp 💡 was lit by the engineer 👩🏽‍🔧 in December, and its beam 🌊 was seen at <em>twenty-one</em>
miles. Fishermen 🐟 complained of the glare.</p></main></body></html>"""
CJK_PAGE = """<!doctype html><html lang="ja"><head><meta charset="utf-8"><title>灯台の記録</title></head><body><main>
<h1>灯台の記録</h1><p>この灯台は明治時代に建てられました。初代の灯台守は毎晩油を運びました。</p>
<h2 id="kiri">霧の季節</h2><p>霧笛は三十秒ごとに鳴ります。𠮷田さんは霧の夜に眠らなかったと日誌に書いています。</p></main></body></html>"""
RTL_PAGE = """<!doctype html><html lang="ar" dir="rtl"><head><meta charset="utf-8"><title>سجل المنارة</title></head>
<body><main><h1>سجل المنارة</h1><p>أضيئت المنارة أول مرة في شتاء عام 1858، وكان الزيت يُحمل على ظهور البغال.</p>
<h2 id="bahr">البحر والضباب</h2><p>كان حارس المنارة يقرع الجرس (bell) كل ثلاثين ثانية في الضباب الكثيف.</p></main></body></html>"""
CRLF_NOTE = (
    "# Keeper's notes\r\n\r\nThe oil store was repainted in spring.\r\n\r\n## Storm of the ninth\r\n\r\n"
    "At four bells the gallery glass cracked,\r\nand the second keeper bound it with tarred canvas.\r\n"
)



@dataclass(frozen=True)
class Seen:
    """The window under test with what its operations last said."""

    window: Window
    figures: list[LibraryFigures]
    results: list[SearchResults]
    citations: list[tuple[CitationRow, ...]]

    @property
    def library(self) -> Library:
        services = self.window.operations.session.services
        assert services is not None
        return services.library


Opener = Callable[[Settings], Seen]


def settings_of(home: Path, **extra: str) -> Settings:
    return Settings.model_validate({"WEBRAG_HOME": home, "EMBEDDING_BACKEND": "embedded", **extra})


@pytest.fixture
def home() -> Iterator[Program]:
    """A data folder of its own; whatever runs for it is ended afterwards."""
    with program() as ours:
        ours.home.mkdir(parents=True)
        yield ours


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot) -> Iterator[Opener]:
    prepare(qapp)
    windows: list[Window] = []

    def start(settings: Settings) -> Seen:
        window = Window(settings)
        windows.append(window)
        seen = Seen(window, [], [], [])
        operations = window.operations
        operations.documents.figures.connect(seen.figures.append)
        operations.searching.results.connect(seen.results.append)
        operations.citing.citations.connect(seen.citations.append)
        window.open()
        with qtbot.waitExposed(window.view):
            pass
        return seen

    yield start
    for window in windows:
        window.close()


def wait_ready(qtbot: QtBot, seen: Seen, count: int) -> None:
    qtbot.waitUntil(
        lambda: bool(seen.figures) and seen.figures[-1].ready == count and not seen.figures[-1].waiting,
        timeout=LONG,
    )


def ask(qtbot: QtBot, seen: Seen, question: str) -> SearchResults:
    """Type a question into the box and press Enter."""
    before = len(seen.results)
    QTest.keyClick(seen.window.view, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    box = QApplication.focusWidget()
    assert box is not None
    QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    seen.window.view.query.set_text(question)
    QTest.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(seen.results) > before, timeout=LONG)
    return seen.results[-1]
