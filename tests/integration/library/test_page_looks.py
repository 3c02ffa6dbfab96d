"""Stylesheets and images of pages are kept where that is wanted, each once, and shown without the network."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from uuid import UUID

import pytest

from tests.conftest import Address
from tests.support.backup_home import Home
from tests.support.pages import Page, PageServer, RequestHandler, Served
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, drain_queue, read_markup, row
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.options import SubresourceOptions
from webrag_desktop.ingestion.page_look.addresses import name_of
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.jobs.fetching import PageFetcher
from webrag_desktop.jobs.site_capturing import SiteCapturing
from webrag_desktop.jobs.subresources import MOST_SILENT, SILENT, SubresourceFetching
from webrag_desktop.library.pages.looks import PageLooks
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.maintenance import backup
from webrag_desktop.maintenance.checking import DeepCheck, Mending
from webrag_desktop.maintenance.checks import CHECKS
from webrag_desktop.maintenance.mends import MENDS
from webrag_desktop.maintenance.upkeep import delete_all
from webrag_desktop.models.documents import NormalizedDocument
from webrag_desktop.models.markup import Reference
from webrag_desktop.models.subresources import KeptSubresources, StoredBody
from webrag_desktop.progress import CancelToken, NoIdleTask
from webrag_desktop.storage.captures import page_looks, subresources
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database

PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)
CSS = (("Content-Type", "text/css"),)
IMAGE = (("Content-Type", "image/png"),)
ALL = SubresourceOptions(keep=True)
Work = Callable[..., int]


def page(title: str, head: str = "", body: str = "") -> str:
    return article(title, head=head).replace("<main>", f"{body}<main>")


@pytest.fixture
def site() -> Iterator[PageServer]:
    pages: dict[str, Served] = {
        "/rhine": page(
            "Rhine", "<link rel=stylesheet href=/s.css>", "<img src=/logo.png><img src=/gone.png>"
        ),
        "/elbe": page("Elbe", "<link rel=stylesheet href=/s.css>", "<img src=/logo.png>"),
        "/s.css": Page("@import 'more.css'; body{background:url(bg.png)}", headers=CSS),
        "/more.css": Page("@import 's.css'; h1{color:teal}", headers=CSS),
        "/bg.png": Page(PNG + b"b", headers=IMAGE),
        "/logo.png": Page(PNG, headers=IMAGE),
    }
    with PageServer(pages) as server:
        yield server


@pytest.fixture
def work(database: Database, make_indexer: Callable[[Database], Indexer]) -> Work:
    def drain(
        keeping: SubresourceOptions = ALL,
        cancel: CancelToken | None = None,
        fetcher: PageFetcher | None = None,
    ) -> int:
        return drain_queue(database, lambda: make_indexer(database), cancel, keeping=keeping, fetcher=fetcher)

    return drain


@pytest.fixture
def looks(database: Database, library: StoredLibrary) -> PageLooks:
    return PageLooks(database, library.documents, ReadingOptions())


def added(library: StoredLibrary, address: str, *, subresources: bool | None = None) -> UUID:
    return accepted(library.add([address], subresources=subresources)[0]).source_id


def kept(looks: PageLooks, source_id: UUID) -> KeptSubresources:
    found = looks.kept(source_id)
    assert found is not None
    return found


def count(database: Database, table: str) -> int:
    with database.connection() as conn:
        found = conn.execute(f"SELECT count(*) FROM {table}").fetchone()
    assert found is not None
    return int(found[0])


def test_a_page_is_shown_as_it_looked_after_its_site_is_gone(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    source = added(library, site.url("/rhine"), subresources=True)
    work(SubresourceOptions())
    site.stop()
    assert row(library, source).state == "ready"
    summary = kept(looks, source)
    assert (summary.kept, summary.referred, summary.is_open) == (4, 5, False)
    assert [one.url for one in summary.absent] == [site.url("/gone.png")]
    assert "no file at this address (404)" in summary.absent[0].reason
    shown = looks.show(source)
    logo = shown.files[name_of(site.url("/logo.png"))]
    assert (logo.media_type, logo.body) == ("image/png", PNG)
    assert f'src="{name_of(site.url("/logo.png"))}"' in shown.html
    sheet = shown.files[name_of(site.url("/s.css"))].body.decode()
    assert f'url("{name_of(site.url("/bg.png"))}")' in sheet
    assert site.url("/") not in sheet
    assert name_of(site.url("/gone.png")) not in shown.files
    assert_sound(database)


def test_nothing_is_kept_unless_it_is_wanted(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    source = added(library, site.url("/rhine"))
    work(SubresourceOptions())
    assert looks.kept(source) is None
    assert {request.path for request in site.requests} == {"/rhine"}
    assert "<h1>Rhine" in looks.show(source).html
    assert looks.show(source).files == {}


def test_sites_have_their_own_rule_and_what_the_user_says_of_a_page_outranks_it() -> None:
    sites = SubresourceOptions(sites="example.org, -news.example.org www.other.example")
    asked = ("example.org", "a.example.org", "news.example.org", "x.news.example.org")
    assert [sites.are_kept(one) for one in asked] == [True, True, False, False]
    assert sites.are_kept("other.example")
    assert not sites.are_kept("notexample.org")
    assert not sites.are_kept(None)
    assert ALL.are_kept("any.example")
    assert not SubresourceOptions(keep=True, sites="-any.example").are_kept("any.example")


def test_what_is_said_of_a_page_outranks_the_settings(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    without = added(library, site.url("/rhine"), subresources=False)
    by_site = added(library, site.url("/elbe"))
    work(SubresourceOptions(sites="127.0.0.1"))
    assert looks.kept(without) is None
    assert kept(looks, by_site).kept == 4


def test_what_is_said_of_a_page_is_said_of_those_that_its_links_bring_in(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    site.pages["/spree"] = page(
        "Spree", body="<p>It flows into <a href=/elbe>the Havel and the Elbe</a>.</p>"
    )
    accepted(library.add([site.url("/spree")], links=1, subresources=True)[0])
    work(SubresourceOptions())
    capturing = SiteCapturing(database, OPTIONS, NoIdleTask())
    while capturing.step(CancelToken(), CancelToken()):
        work(SubresourceOptions())
    assert kept(looks, library.documents.find(site.url("/elbe")).id).kept == 4


def test_the_same_file_is_fetched_and_stored_once_and_goes_with_its_last_page(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    for number in range(30):
        site.pages[f"/page{number}"] = page(f"Page {number}", body="<img src=/logo.png><img src=/copy.png>")
    site.pages["/copy.png"] = Page(PNG, headers=IMAGE)
    sources = [added(library, site.url(f"/page{number}")) for number in range(30)]
    work()
    assert all(kept(looks, source).kept == 2 for source in sources)
    assert count(database, "subresources") == 60
    assert count(database, "subresource_bodies") == 1
    assert sum(request.path == "/logo.png" for request in site.requests) == 1
    delete_all(database, sources[1:])
    assert count(database, "subresource_bodies") == 1
    assert looks.show(sources[0]).files[name_of(site.url("/logo.png"))].body == PNG
    delete_all(database, sources[:1])
    assert (count(database, "subresource_bodies"), count(database, "page_looks")) == (0, 0)


def test_deleting_pages_while_files_of_one_are_stored_is_no_deadlock(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    """Files of several pages are one body: whoever deletes waits for the page before it locks what others refer to."""
    sources = sorted(added(library, site.url(path)) for path in ("/elbe", "/rhine"))
    work()
    last = kept(looks, sources[1]).capture_id
    reference = Reference(url=site.url("/new.png"), kind="image")
    deleted: list[int] = []
    deleting = Thread(target=lambda: deleted.append(delete_all(database, sources)))
    with database.connection() as conn:
        assert page_looks.is_open(conn, last) is False  # and locked, as while a file is stored
        deleting.start()
        wait_until_somebody_waits(database)
        subresources.keep(conn, last, reference, StoredBody("image/png", PNG), reference.url)
    deleting.join(30.0)
    assert deleted == [2]
    assert (count(database, "subresource_bodies"), count(database, "page_looks")) == (0, 0)


def wait_until_somebody_waits(database: Database) -> None:
    """Return once a transaction waits for a lock of another."""
    with database.connection() as conn:
        for _attempt in range(600):
            waiting = conn.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            ).fetchone()
            if waiting and waiting[0]:
                return
            conn.execute("SELECT pg_sleep(0.05), pg_stat_clear_snapshot()")
    pytest.fail("nobody waits")


def test_files_wait_in_the_bin_with_their_page(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    source = added(library, site.url("/elbe"))
    work()
    library.documents.remove(source)
    assert count(database, "subresource_bodies") == 4
    library.bin.restore([source])
    work()
    assert kept(looks, source).kept == 4
    assert library.bin.delete([source]) == 0
    library.documents.remove(source)
    assert library.bin.empty() == 1
    assert count(database, "subresource_bodies") == 0


@pytest.mark.parametrize(
    ("options", "kept_files", "reason"),
    [
        (SubresourceOptions(keep=True, file_bytes=1000), 1, "The file is larger than 1,000 bytes"),
        (SubresourceOptions(keep=True, files=2), 2, "A page may have 2 of them"),
        (SubresourceOptions(keep=True, page_bytes=5000), 1, "All of a page may be 5,000 bytes large"),
    ],
)
def test_what_passes_a_limit_is_absent_with_its_reason(
    library: StoredLibrary,
    looks: PageLooks,
    site: PageServer,
    work: Work,
    options: SubresourceOptions,
    kept_files: int,
    reason: str,
) -> None:
    site.pages["/oder"] = page("Oder", body="<img src=/logo.png><img src=/big.png><img src=/bigger.png>")
    site.pages["/big.png"] = Page(PNG + bytes(6000), headers=IMAGE)
    site.pages["/bigger.png"] = Page(PNG + bytes(7000), headers=IMAGE)
    source = added(library, site.url("/oder"))
    work(options)
    summary = kept(looks, source)
    assert (summary.kept, summary.referred) == (kept_files, 3)
    assert summary.reasons() == {reason: 3 - kept_files}


def test_a_page_with_ten_thousand_images_ends_at_its_limit(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    site.pages["/many"] = page("Many", body="".join(f"<img src=/logo.png?{n}>" for n in range(10_000)))
    source = added(library, site.url("/many"))
    work(SubresourceOptions(keep=True, files=20))
    summary = kept(looks, source)
    assert (summary.kept, summary.left_out) == (20, 9_980)
    assert len(site.requests) == 21


def test_hostile_files_are_absent_or_harmless(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    names = ("html.png", "inside.png", "private.png", "svg.svg", "file.css", "loop.png")
    site.pages["/hostile"] = page(
        "Hostile",
        "<link rel=stylesheet href=/file.css>",
        "".join(f"<img src=/{name}>" for name in names if not name.endswith("css")),
    )
    site.pages["/html.png"] = Page("<html><script>alert(1)</script></html>", headers=IMAGE)
    site.pages["/inside.png"] = Page.redirect("http://10.0.0.1/secret.png")
    site.pages["/private.png"] = Page.redirect("file:///etc/passwd")
    site.pages["/loop.png"] = Page.redirect("/loop.png")
    site.pages["/svg.svg"] = Page(
        "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        headers=(("Content-Type", "image/svg+xml"),),
    )
    site.pages["/file.css"] = Page("a{background:url(file:///etc/passwd);width:expression(1)}", headers=CSS)
    source = added(library, site.url("/hostile"))
    work()
    assert row(library, source).state == "ready"
    reasons = {one.url.rpartition("/")[2]: one.reason for one in kept(looks, source).absent}
    assert reasons["html.png"] == "It is no image"
    assert "10.0.0.1, an address on another computer" in reasons["inside.png"]
    assert "cannot be opened" in reasons["private.png"]
    assert "redirects more than" in reasons["loop.png"]
    shown = looks.show(source)
    assert shown.files[name_of(site.url("/svg.svg"))].media_type == "image/svg+xml"
    sheet = shown.files[name_of(site.url("/file.css"))].body.decode()
    assert "file:" not in sheet
    assert "expression" not in sheet


def test_a_failing_image_neither_fails_nor_delays_its_page(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    states: list[str] = []
    source: list[UUID] = []

    def broken(handler: RequestHandler) -> None:
        states.append(row(library, source[0]).state)
        handler.close_connection = True

    site.pages["/broken.png"] = broken
    site.pages["/spree"] = page("Spree", body="<img src=/broken.png><img src=/logo.png>")
    source.append(added(library, site.url("/spree")))
    work()
    assert states == ["ready"]
    summary = kept(looks, source[0])
    assert (summary.kept, [one.transient for one in summary.absent]) == (1, [True])


@pytest.mark.parametrize("status", [0, 500])
def test_failing_images_say_nothing_of_the_pages_of_their_site(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work, status: int
) -> None:
    def broken(handler: RequestHandler) -> None:
        if status:
            handler.send_page(Page("", status=status))
        handler.close_connection = True

    names = [f"broken{number}.png" for number in range(6)]
    site.pages |= dict.fromkeys((f"/{name}" for name in names), broken)
    images = "".join(f"<img src=/{name}>" for name in ("logo.png", *names, "bg.png"))
    site.pages["/spree"] = page("Spree", body=images)
    source = added(library, site.url("/spree"))
    fetcher = PageFetcher(OPTIONS)
    work(fetcher=fetcher)
    assert not fetcher.schedule.in_trouble("127.0.0.1")
    assert not fetcher.nothing_answers
    summary = kept(looks, source)
    assert summary.kept == (2 if status else 1)
    reasons = [one.reason for one in summary.absent]
    assert all(one.transient for one in summary.absent)
    assert reasons[3:] == ([reasons[0]] * 3 if status else [SILENT] * 4)
    assert sum(request.path in {f"/{name}" for name in names} for request in site.requests) == (
        6 if status else MOST_SILENT
    )


def test_where_nothing_answers_files_are_fetched_later(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    def broken(handler: RequestHandler) -> None:
        handler.close_connection = True

    images = [f"/{n}.png" for n in range(4)]
    site.pages |= dict.fromkeys(images, broken)
    site.pages["/spree"] = page("Spree", body="".join(f"<img src={path}>" for path in images))
    source = added(library, site.url("/spree"))
    work(SubresourceOptions())
    added(library, site.url("/spree"), subresources=True)
    files = SubresourceFetching(database, PageFetcher(OPTIONS), ALL, read_markup, NoIdleTask())
    files.step(CancelToken(), CancelToken())
    assert (kept(looks, source).is_open, kept(looks, source).absent) == (True, ())
    site.pages |= dict.fromkeys(images, Page(PNG, headers=IMAGE))
    with database.connection() as conn:
        conn.execute("UPDATE page_looks SET not_before = NULL")
    work()
    assert (kept(looks, source).is_open, kept(looks, source).kept) == (False, 4)


def test_a_slow_image_gives_way_to_a_page_whose_time_has_come(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    begun = Event()
    gave_way: list[bool] = []

    def next_page(handler: RequestHandler) -> None:
        begun.set()
        handler.send_page(Page(article("Oder")))

    def slow(handler: RequestHandler) -> None:
        gave_way.append(begun.wait(20.0))
        handler.send_page(Page(PNG, headers=IMAGE))

    site.pages |= {"/oder": next_page, "/slow.png": slow}
    site.pages["/spree"] = page("Spree", body="<img src=/slow.png>")
    spree = added(library, site.url("/spree"))
    work(SubresourceOptions())
    added(library, site.url("/spree"), subresources=True)
    oder = added(library, site.url("/oder"))
    with database.connection() as conn:
        conn.execute(
            "UPDATE jobs SET not_before = clock_timestamp() + interval '2 s' WHERE source_id = %s", [oder]
        )
    work(SubresourceOptions())
    assert row(library, oder).state == "ready"
    assert gave_way[0]
    assert kept(looks, spree).kept == 1


def test_pages_of_many_addresses_are_not_all_held(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page may have thousands of stylesheets' worth of addresses; what is beyond the bound is counted alone."""
    monkeypatch.setattr("webrag_desktop.jobs.subresources.MOST_REFERENCES", 5)
    site.pages["/spree"] = page(
        "Spree", "<link rel=stylesheet href=/many.css>", "<img src=/logo.png><img src=/bg.png>"
    )
    site.pages["/many.css"] = Page(
        "".join(f"a{{background:url(/logo.png?{n})}}" for n in range(9)), headers=CSS
    )
    source = added(library, site.url("/spree"))
    work()
    summary = kept(looks, source)
    assert (summary.kept, summary.left_out) == (5, 7)


def test_fetching_is_cancelled_with_what_is_kept_and_goes_on_when_the_page_is_fetched_again(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    source: list[UUID] = []

    def stopped(handler: RequestHandler) -> None:
        library.queue.cancel(source)
        handler.send_page(Page(PNG, headers=IMAGE))

    site.pages["/stop.png"] = stopped
    site.pages["/spree"] = page("Spree", body="<img src=/logo.png><img src=/stop.png><img src=/bg.png>")
    source.append(added(library, site.url("/spree"), subresources=True))
    work(SubresourceOptions())
    summary = kept(looks, source[0])
    assert (summary.kept, summary.is_open, summary.left_out_reason) == (1, False, page_looks.STOPPED)
    assert row(library, source[0]).state == "ready"
    site.pages["/stop.png"] = Page(PNG + b"s", headers=IMAGE)
    looks.fetch(source)
    work(SubresourceOptions())
    assert (kept(looks, source[0]).kept, kept(looks, source[0]).left_out_reason) == (3, None)
    assert sum(request.path == "/logo.png" for request in site.requests) == 1


def test_a_worker_that_ends_in_the_middle_is_followed_by_one_that_goes_on(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    cancel = CancelToken()

    def ending(handler: RequestHandler) -> None:
        cancel.cancel()
        handler.wait(5.0)

    site.pages["/last.png"] = ending
    site.pages["/spree"] = page("Spree", body="<img src=/logo.png><img src=/last.png>")
    source = added(library, site.url("/spree"), subresources=True)
    work(SubresourceOptions(), cancel)
    assert (kept(looks, source).kept, kept(looks, source).is_open) == (1, True)
    site.pages["/last.png"] = Page(PNG + b"l", headers=IMAGE)
    work(SubresourceOptions())
    assert (kept(looks, source).kept, kept(looks, source).is_open) == (2, False)
    assert sum(request.path == "/logo.png" for request in site.requests) == 1


def test_while_the_queue_is_paused_nothing_is_fetched(
    library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    source = added(library, site.url("/elbe"))
    work(SubresourceOptions())
    library.queue.pause()
    accepted(library.add([site.url("/elbe")], subresources=True)[0])
    work()
    assert kept(looks, source).is_open
    library.queue.resume()
    work()
    assert kept(looks, source).kept == 4


def test_a_backup_holds_the_files_and_a_restored_library_shows_them(
    database: Database,
    library: StoredLibrary,
    looks: PageLooks,
    site: PageServer,
    work: Work,
    clone: Callable[[str], Address],
    migrated_template: str,
    tmp_path: Path,
) -> None:
    source = added(library, site.url("/rhine"))
    work()
    backup.save(database.unmanaged, tmp_path / "saved.webrag", "a test")
    address = clone(migrated_template)
    home = Home(address, tmp_path / "home")
    home.folder.mkdir()
    home.restore(tmp_path / "saved.webrag")
    restored = Database(address)
    try:
        opened = StoredLibrary(restored, Spool(home.folder / "intake"), OPTIONS)
        shown = PageLooks(restored, opened.documents, ReadingOptions()).show(source)
        assert shown.files == looks.show(source).files
        assert shown.summary == looks.kept(source)
        delete_all(restored, [source])
        assert count(restored, "subresource_bodies") == 0
    finally:
        restored.close()


def test_a_wish_survives_the_spool(library: StoredLibrary, tmp_path: Path) -> None:
    spool = Spool(tmp_path / "a" / "b" / "intake")
    (tmp_path / "a").mkdir()
    spool.put_batch(["https://x.example/"], subresources=True).release()
    (batch,) = spool.batches()
    assert batch.subresources is True


def test_a_damaged_file_is_put_back_by_the_next_page_that_has_it(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    first = added(library, site.url("/elbe"))
    work()
    sha256 = hashlib.sha256(PNG).digest()
    with database.connection() as conn:
        conn.execute("UPDATE subresource_bodies SET body_zstd = 'x' WHERE sha256 = %s", [sha256])
    name = name_of(site.url("/logo.png"))
    assert name not in looks.show(first).files
    added(library, site.url("/rhine"))
    work()
    assert looks.show(first).files[name].body == PNG


def _no_indexer() -> Indexer:
    pytest.fail("nothing is cut")


def _no_reading(_capture: object, _cancel: object) -> NormalizedDocument:
    pytest.fail("nothing is read")


def test_damaged_files_are_found_and_noted_as_absent(
    database: Database, library: StoredLibrary, looks: PageLooks, site: PageServer, work: Work
) -> None:
    source = added(library, site.url("/elbe"))
    work()
    sha256 = hashlib.sha256(PNG).digest()
    with database.connection() as conn:
        conn.execute("UPDATE subresource_bodies SET body_zstd = 'x' WHERE sha256 = %s", [sha256])
        conn.execute("INSERT INTO subresource_bodies VALUES (%s, 'x', 1)", [bytes(32)])
    checks = [one for one in CHECKS if one.name.startswith("subresources-")]
    assert {one.check: one.broken for one in DeepCheck(database, checks, _no_indexer).run()} == {
        "subresources-unaltered": 2
    }
    mending = Mending(database, _no_indexer, _no_reading)
    mending.deep_check = DeepCheck(database, checks, _no_indexer)
    repairs = list(MENDS["subresources"](mending, checks))
    assert all(one.mended for one in repairs)
    assert {one.check for one in repairs} == {"subresources-complete", "subresources-unaltered"}
    summary = kept(looks, source)
    assert (summary.kept, [one.transient for one in summary.absent]) == (3, [True])
    assert_sound(database)
    looks.fetch([source])
    work()
    assert kept(looks, source).kept == 4
