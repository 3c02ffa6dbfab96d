"""Pages as they looked, asked for by the window of a real library: added with images, shown, fetched again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, heard, listed, open_operations, settings_for
from tests.support.pages import Page, PageServer
from tests.support.queue_work import article
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.ingestion.page_look.addresses import name_of

Clone = Callable[[str], Address]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def do(clone: Clone, migrated_template: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(clone(migrated_template), tmp_path / "home"), qtbot) as made:
        yield made


@pytest.fixture
def site() -> Iterator[PageServer]:
    page = article("Rhine").replace("<main>", "<img src=/a.png><main>")
    with PageServer(
        {"/rhine": page, "/a.png": Page(PNG, headers=(("Content-Type", "image/png"),))}
    ) as server:
        yield server


def test_a_page_is_shown_again_once_its_images_are_there(
    do: Operations, qtbot: QtBot, site: PageServer
) -> None:
    figures, looks = Heard(do.documents.figures), Heard(do.page_looks.look)
    do.documents.add((site.url("/rhine"),))
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
    (document,) = listed(do, qtbot)
    do.page_looks.show(document)
    heard(qtbot, lambda: len(looks) >= 1)
    assert looks.last.summary is None
    do.page_looks.fetch(document)
    heard(qtbot, lambda: looks.last.summary is not None and looks.last.summary.kept == 1)
    assert looks.last.files[name_of(site.url("/a.png"))].body == PNG


def test_what_is_added_with_images_has_them(do: Operations, qtbot: QtBot, site: PageServer) -> None:
    figures, looks = Heard(do.documents.figures), Heard(do.page_looks.look)
    do.documents.add((site.url("/rhine"),), subresources=True)
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
    (document,) = listed(do, qtbot)
    do.page_looks.show(document)
    heard(qtbot, lambda: len(looks) > 0 and looks.last.summary is not None and looks.last.summary.kept == 1)


def test_of_a_document_that_is_no_page_it_is_said(do: Operations, qtbot: QtBot, tmp_path: Path) -> None:
    figures, failures = Heard(do.documents.figures), Heard(do.page_looks.failed)
    (tmp_path / "note.md").write_text("# Note\n\nThe river is cold.", encoding="utf-8")
    do.documents.add((str(tmp_path / "note.md"),))
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
    (document,) = listed(do, qtbot)
    do.page_looks.show(document)
    heard(qtbot, lambda: len(failures) == 1)
    assert "no web page" in failures.last.message
