"""The window's journey: real window, real server, real model, pages on loopback; offscreen, but nothing is faked."""

import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.conftest import Databases
from tests.support.command_line import Program
from tests.support.drags import drop, link_of_firefox, plain_text, uri_list
from tests.support.pages import PAGES_DIRECTORY, Page, PageServer, RequestHandler
from tests.support.window_under_test import LONG, Opener, Seen, ask, cite_best, settings_of, wait_ready
from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.gui.shell.main_window import RESEARCH
from webrag_desktop.text.plain_text import project

EMOJI_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signal lamps 🚨 at sea</title></head>
<body><main><h1>Signal lamps 🚨 at sea</h1>
<p>Before the war 🕯️ every keeper trimmed wicks by hand, and a wet wick 🌧️ was a dark night.</p>
<h2 id="arc">The arc lamp 👩🏽‍🔧</h2>
<p>The first arc lamp 💡 was lit by the engineer 👩🏽‍🔧 in December, and its beam 🌊 was seen at <em>twenty-one</em>
miles. Fishermen 🐟 complained of the glare.</p></main></body></html>"""
CJK_PAGE = """<!doctype html><html lang="ja"><head><meta charset="utf-8"><title>灯台の記録</title></head><body><main>
<h1>灯台の記録</h1>
<p>この灯台は明治時代に建てられました。初代の灯台守は毎晩油を運びました。</p>
<h2 id="kiri">霧の季節</h2><p>霧笛は三十秒ごとに鳴ります。
𠮷田さんは霧の夜に眠らなかったと日誌に書いています。</p>
</main></body></html>"""
RTL_PAGE = """<!doctype html><html lang="ar" dir="rtl"><head><meta charset="utf-8"><title>سجل المنارة</title></head>
<body><main><h1>سجل المنارة</h1><p>أضيئت المنارة أول مرة في شتاء عام 1858، وكان الزيت يُحمل على ظهور البغال.</p>
<h2 id="bahr">البحر والضباب</h2><p>كان حارس المنارة يقرع الجرس (bell) كل ثلاثين ثانية في الضباب الكثيف.</p>
</main></body></html>"""
CRLF_NOTE = (
    "# Keeper's notes\r\n\r\nThe oil store was repainted in spring.\r\n\r\n## Storm of the ninth\r\n\r\n"
    "At four bells the gallery glass cracked,\r\nand the second keeper bound it with tarred canvas.\r\n"
)


def click_citation(seen: Seen, number: int) -> None:
    citations = seen.window.view.research.citations.list
    rect = citations.visualRect(citations.model().index(number - 1, 0))
    citations.scrollTo(citations.model().index(number - 1, 0))
    rect = citations.visualRect(citations.model().index(number - 1, 0))
    QTest.mouseClick(citations.viewport(), Qt.MouseButton.LeftButton, pos=rect.topLeft() + QPoint(60, 12))


def check_shown_exactly(qtbot: QtBot, seen: Seen, citation: CitationRow) -> None:
    """The marked text is the quote, and the quote is the stored characters."""
    reader = seen.window.view.research.reader
    qtbot.waitUntil(
        lambda: (
            (shown := reader.highlighted_span()) is not None
            and (shown.version_id, shown.char_start, shown.char_end)
            == (citation.version_id, citation.char_start, citation.char_end)
        ),
        timeout=LONG,
    )
    assert reader.highlighted_text() == citation.quote
    assert citation.version_id is not None
    stored = seen.library.documents.version(citation.version_id)
    assert stored is not None
    verbatim = stored.markdown[citation.char_start : citation.char_end]
    assert verbatim == citation.verbatim
    assert project(stored.markdown).reading(citation.char_start, citation.char_end).strip() == citation.quote
    assert citation.state is CitationState.EXACT


# -- The journey ----------------------------------------------------------------------------------------------


def test_from_a_dropped_link_to_the_very_characters_of_its_source(
    opened: Opener, new_home: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "keeper.txt").write_bytes(CRLF_NOTE.encode())
    (tmp_path / "notes.md").write_bytes((PAGES_DIRECTORY / "field_notes.md").read_bytes())
    pages = {"/lamps": EMOJI_PAGE, "/toudai": CJK_PAGE, "/manara": RTL_PAGE}
    seen = opened(settings_of(new_home.home))
    view = seen.window.view
    with PageServer(directory=PAGES_DIRECTORY) as site:
        for path, page in pages.items():
            site.pages[path] = page
        assert drop(view, link_of_firefox(site.url("/python_glossary.html"), "Glossary"))
        assert drop(
            view, uri_list(site.url("/lamps"), site.url("/toudai")), view.query.mapTo(view, QPoint(30, 10))
        )
        assert drop(view, plain_text(f"Read ({site.url('/manara')}), it is worth it."))
        assert drop(view, uri_list(*((tmp_path / name).as_uri() for name in ("keeper.txt", "notes.md"))))
        wait_ready(qtbot, seen, 6)
    # The pages' server is gone. What follows needs nothing but this computer.
    cases = [
        ("what does a generator function return", "generator"),
        ("who lit the first arc lamp 💡", "👩🏽‍🔧"),
        ("霧笛は何秒ごとに鳴りますか", "霧笛"),
        ("متى أضيئت المنارة أول مرة", "1858"),
        ("how was the cracked gallery glass bound", "tarred canvas"),
        ("float gauge", "float gauge"),
    ]
    for number, (question, part) in enumerate(cases, 1):
        assert ask(qtbot, seen, question).degraded is None
        assert view.view == RESEARCH
        citation = cite_best(qtbot, seen, part)
        assert citation.number == number
        check_shown_exactly(qtbot, seen, citation)
    # And from the citations alone, in any order, by the mouse.
    for citation in reversed(seen.citations[-1]):
        click_citation(seen, citation.number)
        check_shown_exactly(qtbot, seen, citation)
    assert [row.quote for row in seen.citations[-1] if "\r" in row.quote] == []


def test_the_server_is_lost_in_mid_search_and_comes_back(opened: Opener, home: Program, qtbot: QtBot) -> None:
    seen = opened(settings_of(home.home))
    drop(seen.window.view, uri_list((PAGES_DIRECTORY / "field_notes.md").as_uri()))
    wait_ready(qtbot, seen, 1)
    ask(qtbot, seen, "float gauge")
    lost: list[object] = []
    seen.window.operations.session.lost.connect(lost.append)
    answered = len(seen.results)
    box = seen.window.view.query
    box.search_requested.emit("stilling well")
    for process in home.processes():
        if process.name().startswith("postgres"):
            process.kill()
    box.search_requested.emit("how often is the level recorded")
    qtbot.waitUntil(lambda: bool(lost), timeout=LONG)
    # It is opened again by itself, and the question that was open is answered.
    qtbot.waitUntil(lambda: seen.window.operations.session.is_open, timeout=LONG)
    qtbot.waitUntil(lambda: len(seen.results) > answered and seen.results[-1].passages > 0, timeout=LONG)
    assert seen.results[-1].query == "how often is the level recorded"
    assert len(lost) == 1
    assert drop(seen.window.view, uri_list((PAGES_DIRECTORY / "crlf_letter.txt").as_uri()))
    wait_ready(qtbot, seen, 2)


def test_closed_in_mid_import_it_goes_on_at_the_next_start(
    opened: Opener, home: Program, qtbot: QtBot
) -> None:
    def slow(handler: RequestHandler) -> None:
        handler.wait(0.4)
        handler.send_page(Page(EMOJI_PAGE.replace("Signal lamps", f"Lamps of {handler.path}")))

    with PageServer() as site:
        addresses = [site.url(f"/{number}") for number in range(6)]
        for number in range(6):
            site.pages[f"/{number}"] = slow
        first = opened(settings_of(home.home))
        assert drop(first.window.view, uri_list(*addresses))
        qtbot.waitUntil(lambda: bool(first.figures) and first.figures[-1].ready >= 1, timeout=LONG)
        first.window.close()
        assert first.figures[-1].ready < 6
        assert home.worker() is None
        again = opened(settings_of(home.home))
        wait_ready(qtbot, again, 6)
    assert home.run("doctor").code == 0


def test_what_is_dropped_before_the_library_is_open_is_kept(
    opened: Opener, new_home: Program, qtbot: QtBot
) -> None:
    seen = opened(settings_of(new_home.home))
    assert not seen.window.operations.session.is_open
    assert drop(seen.window.view, uri_list((PAGES_DIRECTORY / "field_notes.md").as_uri()))
    wait_ready(qtbot, seen, 1)


# -- Two windows ----------------------------------------------------------------------------------------------

START = "from webrag_desktop.__main__ import window; window()"


def start_window(home: Program, *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", START, *arguments],
        env=home.environment | {"QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def test_a_second_start_hands_over_and_the_first_ends_in_order(home: Program, qtbot: QtBot) -> None:
    with start_window(home, str(PAGES_DIRECTORY / "field_notes.md")) as first:
        qtbot.waitUntil(lambda: "field_notes" in home.run("list", "--json").out, timeout=LONG)
        with start_window(home, str(PAGES_DIRECTORY / "crlf_letter.txt")) as second:
            qtbot.waitUntil(lambda: second.poll() is not None, timeout=LONG)
            assert second.returncode == 0, second.stderr.read().decode() if second.stderr else ""
        qtbot.waitUntil(lambda: home.run("list").out.count("ready") == 2, timeout=LONG)
        assert first.poll() is None
        first.send_signal(signal.SIGTERM)
        qtbot.waitUntil(lambda: first.poll() is not None, timeout=LONG)
        assert first.returncode == 0, first.stderr.read().decode() if first.stderr else ""
    assert home.worker() is None


def test_two_windows_on_one_database_show_the_same(
    opened: Opener, home: Program, databases: Databases, migrated_template: str, qtbot: QtBot, tmp_path: Path
) -> None:
    address = databases.address(databases.create(migrated_template))
    url = f"postgresql://{address['user']}:{address['password']}@/{address['dbname']}?host={quote(str(address['host']))}&port={address['port']}"
    one, two = (opened(settings_of(tmp_path / name, WEBRAG_DATABASE_URL=url)) for name in ("first", "second"))
    qtbot.waitUntil(lambda: bool(one.figures and two.figures), timeout=LONG)
    assert drop(one.window.view, uri_list((PAGES_DIRECTORY / "field_notes.md").as_uri()))
    wait_ready(qtbot, two, 1)
    ask(qtbot, two, "float gauge")
    cite_best(qtbot, two, "float gauge")
    qtbot.waitUntil(lambda: bool(one.citations) and len(one.citations[-1]) == 1, timeout=LONG)
    assert one.citations[-1] == two.citations[-1]
    assert one.window.view.library.list.model().rowCount() == 1
