"""A page is drawn as it looked, from memory alone, and what is absent is told."""

import importlib.util
import os
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.pages import PageServer
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.reader import page_look_dialog
from webrag_desktop.gui.reader.page_look_dialog import PageLookDialog, summary_words
from webrag_desktop.ingestion.page_look.addresses import name_of
from webrag_desktop.ingestion.page_look.markup import markup_of
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.subresources import AbsentSubresource, KeptSubresources, PageLook, StoredBody

ADDRESS = "https://site.example/"
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
drawn = pytest.mark.skipif(
    importlib.util.find_spec("PySide6.QtWebEngineWidgets") is None, reason="needs the extra page-view"
)
quiet = pytest.mark.qt_log_ignore(
    "QRhiGles2", "Failed to create RHI", "QVulkanInstance", "GBM is not", "js: ", "Not allowed to load", "Sandboxing",
    "GPUInfo",
    "^This plugin does not support ",
)  # fmt: skip


def png(colour: tuple[int, int, int], size: int = 40) -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
    rows = b"".join(b"\0" + bytes(colour) * size for _line in range(size))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def markup(body: str, content_type: str = "text/html", address: str = ADDRESS) -> str:
    headers = (("Content-Type", content_type),)
    return markup_of(
        Capture(url=address, final_url=address, headers=headers, body=body.encode(), fetched_at=NOW)
    ).text


def summary(**changes: object) -> KeptSubresources:
    made = KeptSubresources(uuid4(), NOW, is_open=False, kept=2, kept_bytes=40_000)
    return replace(made, **changes)  # type: ignore[arg-type]


def look(
    html: str, files: dict[str, StoredBody] | None = None, kept: KeptSubresources | None = None
) -> PageLook:
    return PageLook(uuid4(), "Rivers", ADDRESS, NOW, markup(html), files or {}, kept or summary())


@pytest.fixture
def dialog(qtbot: QtBot, application: QApplication, monkeypatch: pytest.MonkeyPatch) -> PageLookDialog:
    monkeypatch.setenv("QTWEBENGINE_DISABLE_SANDBOX", "1")  # tests may run as root
    monkeypatch.setenv("QTWEBENGINE_CHROMIUM_FLAGS", "--disable-gpu")
    made = PageLookDialog()
    made.resize(900, 640)
    qtbot.addWidget(made)
    return made


def drawing(dialog: PageLookDialog, qtbot: QtBot, page: PageLook) -> QImage:
    """The page as it is drawn."""
    dialog.show()
    dialog.show_look(page)
    assert dialog.view is not None
    with qtbot.waitSignal(dialog.view.loadFinished, timeout=60_000):
        pass
    view = dialog.view
    qtbot.waitUntil(lambda: view.grab().toImage().pixelColor(5, 5).isValid(), timeout=10_000)
    qtbot.wait(400)  # the first frame comes after the load
    return view.grab().toImage()


def holds(image: QImage, colour: QColor) -> bool:
    step = 4
    return any(
        image.pixelColor(x, y) == colour
        for x in range(0, image.width(), step)
        for y in range(0, image.height(), step)
    )


@drawn
@quiet
def test_a_page_is_drawn_with_its_styles_and_images_and_asks_for_nothing_else(
    dialog: PageLookDialog, qtbot: QtBot
) -> None:
    with PageServer({"/spy.png": png((1, 2, 3)).decode("latin-1")}) as server:
        sheet = markup(
            f"@import '{server.url('/spy.css')}'; body{{background:#00ff00}}", "text/css", ADDRESS + "s.css"
        )
        files = {
            name_of(ADDRESS + "s.css"): StoredBody("text/css; charset=utf-8", sheet.encode()),
            name_of(ADDRESS + "a.png"): StoredBody("image/png", png((255, 0, 0))),
        }
        html = (
            f"<link rel=stylesheet href=s.css><img src=a.png><img src='{server.url('/spy.png')}'>"
            f"<script>document.body.innerHTML = 'ran'</script><img src=x onerror=\"document.title='ran'\">"
        )
        image = drawing(dialog, qtbot, look(html, files))
        assert holds(image, QColor("#ff0000"))
        assert holds(image, QColor("#00ff00"))
        assert server.requests == []
    assert dialog.view is not None
    assert dialog.view.title() != "ran"


@drawn
@quiet
def test_the_engine_refuses_by_itself_what_a_page_should_never_have_asked_for(
    dialog: PageLookDialog, qtbot: QtBot
) -> None:
    """Even markup that nobody made harmless loads nothing and runs nothing."""
    with PageServer({"/spy": "x"}) as server:
        spy = server.url("/spy")
        hostile = (
            f"<body style='background:#0000ff'><img src='{spy}'><iframe src='{spy}'></iframe>"
            f"<iframe src='file:///etc/passwd'></iframe><link rel=stylesheet href='{spy}'>"
            f"<style>@import '{spy}'; @font-face{{font-family:f;src:url({spy})}}</style>"
            f"<script>document.title='ran'; fetch('{spy}')</script>"
            f"<svg><image href='{spy}'/></svg><object data='{spy}'></object>"
            f"<meta http-equiv=refresh content='0;url={spy}'><p style='font-family:f'>text</p>"
        )
        image = drawing(dialog, qtbot, replace(look(""), html=hostile))
        qtbot.wait(300)
        assert server.requests == []
        assert dialog.view is not None
        assert dialog.view.refusal.refused
        assert dialog.view.url().scheme() == "webrag-page"
        assert dialog.view.title() != "ran"
        assert holds(image, QColor("#0000ff"))


@drawn
@quiet
def test_no_file_of_the_page_shown_before_is_drawn_in_its_place(dialog: PageLookDialog, qtbot: QtBot) -> None:
    html = "<style>img{width:100vw;height:100vh}</style><img src=a.png>"
    red, green = (
        look(html, {name_of(ADDRESS + "a.png"): StoredBody("image/png", png(colour))})
        for colour in ((255, 0, 0), (0, 255, 0))
    )
    assert holds(drawing(dialog, qtbot, red), QColor("#ff0000"))
    image = drawing(dialog, qtbot, green)
    assert holds(image, QColor("#00ff00"))
    assert not holds(image, QColor("#ff0000"))
    assert not holds(drawing(dialog, qtbot, look(html)), QColor("#00ff00"))


@drawn
@quiet
def test_a_link_opens_in_the_browser_and_not_here(dialog: PageLookDialog, qtbot: QtBot) -> None:
    html = "<a href=/next style='position:fixed;inset:0;background:#00ff00'>next</a>"
    drawing(dialog, qtbot, look(html))
    assert dialog.view is not None
    target = dialog.view.focusProxy() or dialog.view
    with qtbot.waitSignal(dialog.browser_requested, timeout=10_000) as asked:
        QTest.mouseClick(target, Qt.MouseButton.LeftButton, pos=QPoint(60, 60))
    assert asked.args == ["https://site.example/next"]
    assert dialog.view.url().scheme() == "webrag-page"


@drawn
@quiet
def test_pictures_of_the_dialog(
    dialog: PageLookDialog, qtbot: QtBot, picture: Callable[[QWidget, str], Path]
) -> None:
    sheet = (
        "body{margin:0;font:16px/1.6 sans-serif;color:#223;background:#f4f6f8}"
        "header{display:flex;gap:16px;align-items:center;background:#0b5d6b;color:#fff;padding:14px 32px}"
        "header img{width:32px;border-radius:50%} nav{margin-left:auto;display:flex;gap:20px;font-size:14px}"
        "main{display:grid;grid-template-columns:2fr 1fr;gap:32px;padding:28px 32px}"
        "article{background:#fff;padding:24px 28px;border-radius:8px;box-shadow:0 1px 4px #0002}"
        "h1{margin:0 0 12px} .photo{width:100%;height:130px;border-radius:6px;object-fit:cover}"
        "aside{font-size:14px} aside h2{font-size:15px;border-bottom:2px solid #0b5d6b}"
    )
    files = {
        name_of(ADDRESS + "s.css"): StoredBody("text/css", sheet.encode()),
        name_of(ADDRESS + "logo.png"): StoredBody("image/png", png((240, 200, 60))),
        name_of(ADDRESS + "photo.png"): StoredBody("image/png", png((70, 140, 190))),
    }
    html = (
        "<!doctype html><link rel=stylesheet href=s.css><header><img src=logo.png><b>River Survey</b>"
        "<nav><span>Rivers</span><span>Gauges</span><span>About</span></nav></header><main><article>"
        "<h1>The Elbe in a dry year</h1><img class=photo src=photo.png><p>The water at Dresden stood lower than in "
        "any August since the gauge was set up. Ships carried half of their load for eleven weeks.</p>"
        "<img src=gone.png alt='Chart of the gauge at Dresden'></article><aside><h2>Gauges</h2>"
        "<p>Dresden 48 cm<br>Magdeburg 39 cm<br>Wittenberge 61 cm</p></aside></main>"
    )
    absent = (
        AbsentSubresource(ADDRESS + "gone.png", "The site has no file at this address (404)"),
        AbsentSubresource(ADDRESS + "big.png", "The file is larger than 5 MB"),
        AbsentSubresource(ADDRESS + "huge.png", "The file is larger than 5 MB"),
    )
    drawing(dialog, qtbot, look(html, files, summary(kept=11, kept_bytes=812_000, absent=absent)))
    picture(dialog, "page-look")
    drawing(dialog, qtbot, replace(look(html), summary=None))
    picture(dialog, "page-look-plain")


def test_what_is_absent_is_counted_with_its_reasons() -> None:
    absent = tuple(
        AbsentSubresource(f"https://x.example/{n}", "The file is larger than 5 MB") for n in range(2)
    )
    words = summary_words(look("", kept=summary(kept=12, absent=absent)))
    assert "12 of 14 images, styles and fonts are kept" in words
    assert "2 are absent: The file is larger than 5 MB." in words
    assert "All 2 images, styles and fonts are kept" in summary_words(look("", kept=summary()))
    left = summary(left_out=9, left_out_reason="A page may have 300 of them")
    assert "9 are absent: A page may have 300 of them." in summary_words(look("", kept=left))
    assert "More are still being fetched." in summary_words(look("", kept=summary(is_open=True)))
    stopped = summary(left_out_reason="You stopped it")
    assert summary_words(look("", kept=stopped)).endswith("You stopped it.")
    assert "It has no images and styles." in summary_words(look("", kept=summary(kept=0)))
    many = tuple(AbsentSubresource(f"https://x.example/{n}", f"Reason {n}") for n in range(5))
    assert "2 are absent for other reasons." in summary_words(look("", kept=summary(absent=many)))


def test_a_page_without_its_files_says_how_to_get_them(dialog: PageLookDialog, qtbot: QtBot) -> None:
    page = replace(look("<p>x"), summary=None)
    assert "Its images and styles are not kept" in summary_words(page)
    dialog.show_waiting(page.document_id)
    assert dialog.fetch_button.text() == "Fetch again with images and styles"
    with qtbot.waitSignal(dialog.fetch_requested) as asked:
        dialog.fetch_button.click()
    assert asked.args == [page.document_id]
    assert not dialog.fetch_button.isEnabled()


def test_a_page_that_was_added_as_a_file_is_not_to_be_fetched_for_its_images(
    dialog: PageLookDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    dialog.show_look(replace(look("<p>x"), summary=None, address="file:///home/me/saved.html"))
    assert "added as a file" in dialog.summary.text()
    assert "Fetching it again" not in dialog.summary.text()
    assert not dialog.fetch_button.isEnabled()
    assert dialog.browser_button.isEnabled()


@pytest.mark.parametrize("problem", ["no engine", "root"])
def test_where_pages_cannot_be_drawn_it_says_why(
    dialog: PageLookDialog, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    if problem == "root":
        monkeypatch.delenv("QTWEBENGINE_DISABLE_SANDBOX")
        monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())
        monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    else:
        monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    dialog.show_look(look("<p>x"))
    assert dialog.view is None
    words = page_look_dialog.engine_problem()
    assert ("sandbox" if problem == "root" else "webrag-desktop[page-view]") in words
    assert dialog.browser_button.isEnabled()


def test_a_failure_is_shown_in_place_of_the_page(dialog: PageLookDialog) -> None:
    dialog.show_failure(Failure("Nothing is kept of this page.", "It can be fetched again."))
    assert dialog.look is None
    assert not dialog.browser_button.isEnabled()
