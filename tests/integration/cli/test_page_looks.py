"""Keeping what shows pages as they looked, from the command line."""

from collections.abc import Iterator

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.pages import Page, PageServer
from tests.support.queue_work import article
from webrag_desktop import DataFolder
from webrag_desktop.config import Settings
from webrag_desktop.jobs.subresource_wishes import wish_for_page

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture
def site() -> Iterator[PageServer]:
    page = article("Rhine").replace("<main>", "<img src=/a.png><img src=/gone.png><main>")
    image = Page(PNG, headers=(("Content-Type", "image/png"),))
    with PageServer({"/rhine": page, "/a.png": image}) as server:
        yield server


def test_a_page_added_with_images_says_what_is_kept_and_what_is_absent(
    webrag: Program, site: PageServer
) -> None:
    assert webrag.run("add", "--with-images", site.url("/rhine")).code == 0
    webrag.until_no_worker()
    shown = webrag.run("show", site.url("/rhine"))
    assert "1 of 2 files kept (108 bytes)" in shown.out
    assert "1 absent: The site has no file at this address (404)" in shown.out
    look = webrag.run("show", "--json", site.url("/rhine")).json["page_look"]
    assert (look["kept"], look["is_open"]) == (1, False)
    assert [one["url"] for one in look["absent"]] == [site.url("/gone.png")]


def test_without_the_option_nothing_is_kept_until_it_is_fetched_again_with_it(
    webrag: Program, site: PageServer
) -> None:
    assert webrag.run("add", site.url("/rhine")).code == 0
    assert "kept (" not in webrag.run("show", site.url("/rhine")).out
    assert webrag.run("show", "--json", site.url("/rhine")).json["page_look"] is None
    assert webrag.run("refresh", "--with-images", site.url("/rhine")).code == 0
    webrag.until_no_worker()
    assert "1 of 2 files kept" in webrag.run("show", site.url("/rhine")).out


def test_work_has_those_files_fetched_that_no_worker_came_to(webrag: Program, site: PageServer) -> None:
    assert webrag.run("add", site.url("/rhine")).code == 0
    webrag.until_no_worker()
    with DataFolder(Settings.of(WEBRAG_HOME=webrag.home, **webrag.extra)).open() as library:
        (source,) = library.documents.all()
        with library.database.connection() as conn:
            wish_for_page(conn, source.id, wanted=True)
    done = webrag.run("work")
    assert (done.code, "Images and styles of pages are being fetched" in done.err) == (0, True)
    webrag.until_no_worker()
    assert "1 of 2 files kept" in webrag.run("show", site.url("/rhine")).out
