"""A list is ids in order; a library of fifty thousand is read in a few statements."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from tests.support.new_source import new_source
from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.library.documents import HeldWords
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.sources import Group, Grouping, SortKey
from webrag_desktop.progress import SourceState
from webrag_desktop.storage.captures.captures import save_capture
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import listing, sources
from webrag_desktop.storage.queue import jobs, queue_control
from webrag_desktop.text.links import site_of

ADDRESSES = [
    "https://example.org/a",
    "https://www.Example.org/a?x=http://other.org/",
    "http://user:secret@example.org:8080/path@x",
    "https://sub.example.org",
    "https://xn--mnchen-3ya.de/",
    "http://[2001:db8::1]:8080/x",
    "http://127.0.0.1/",
    "https://www.www.org/",
    "file:///home/ada/www.example.org/notes.md",
]


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    with database.connection() as opened:
        yield opened


def given(conn: Connection, url: str, state: SourceState = "queued") -> UUID:
    source_id = new_source(conn, "file" if url.startswith("file:") else "url", url, url)
    if state in {"ready", "failed", "cancelled"}:
        sources.set_state(conn, source_id, state, reason="It did not answer.")
    else:
        jobs.enqueue(conn, source_id)
        sources.set_state(conn, source_id, state)
    # One transaction has one time.
    conn.execute(
        "UPDATE sources SET added_at = added_at + (SELECT count(*) FROM sources) * interval '1 second' WHERE id = %s",
        [source_id],
    )
    return source_id


def ids(
    conn: Connection,
    group: Group = "all",
    sort: SortKey = "added",
    site: str | None = None,
    *,
    collection: UUID | None = None,
    tag: str | None = None,
    down: bool = False,
) -> list[UUID]:
    whose = listing.Whose(site, collection, tag)
    return listing.list_ids(conn, group, whose, sort=sort, descending=down)


def new_collection(conn: Connection, name: str, parent: UUID | None = None) -> UUID:
    id_ = uuid4()
    conn.execute("INSERT INTO collections (id, name, parent_id) VALUES (%s, %s, %s)", [id_, name, parent])
    return id_


def put(conn: Connection, source_id: UUID, collection: UUID) -> None:
    conn.execute("INSERT INTO source_collections VALUES (%s, %s)", [source_id, collection])


@pytest.mark.parametrize("url", ADDRESSES)
def test_a_host_is_the_site_that_indexing_finds(conn: Connection, url: str) -> None:
    assert conn.execute("SELECT webrag_host(%s)", [url]).fetchone() == (site_of(url),)


def test_groups_hold_what_their_names_say(conn: Connection) -> None:
    states: tuple[SourceState, ...] = ("ready", "queued", "fetching", "embedding", "failed", "cancelled")
    known = {state: given(conn, f"https://a.org/{state}", state) for state in states}
    assert ids(conn) == list(known.values())
    assert ids(conn, "open") == [known[state] for state in ("queued", "fetching", "embedding")]
    assert ids(conn, "attention") == [known["failed"], known["cancelled"]]


def test_what_was_read_in_part_needs_attention(database: Database) -> None:
    library = SyntheticLibrary(database)
    whole, part, removed = (
        library.add(f"https://a.org/{at}", [Section([Passage(f"text {at}")])]) for at in range(3)
    )
    with database.connection() as conn:
        conn.execute("UPDATE sources SET state = 'ready'")
        conn.execute(
            "UPDATE documents SET incomplete = 'Page 2 is a picture' WHERE id = ANY(%s)", [[part, removed]]
        )
        conn.execute("UPDATE sources SET removed_at = now() WHERE id = %s", [removed])
        assert ids(conn, "attention") == [part]
        assert ids(conn) == [whole, part]
        assert listing.overview(conn).incomplete == 1
        conn.execute("UPDATE documents SET incomplete = NULL")
        assert ids(conn, "attention") == []
        assert listing.overview(conn).incomplete == 0


def test_the_inbox_holds_what_was_given_and_not_filed(conn: Connection) -> None:
    fresh, tagged, filed, linked, removed = (given(conn, f"https://a.org/{at}") for at in range(5))
    conn.execute("UPDATE sources SET tags = '{sea}' WHERE id = %s", [tagged])
    put(conn, filed, new_collection(conn, "Coast"))
    conn.execute("UPDATE sources SET depth = 1 WHERE id = %s", [linked])
    conn.execute("UPDATE sources SET removed_at = now() WHERE id = %s", [removed])
    assert ids(conn, "inbox") == [fresh]
    assert listing.overview(conn).inbox == 1


def test_a_collection_holds_what_is_in_those_within_it_once(conn: Connection) -> None:
    coast = new_collection(conn, "Coast")
    north = new_collection(conn, "North", coast)
    far = new_collection(conn, "Far north", north)
    empty = new_collection(conn, "Empty")
    one, two, removed = (given(conn, f"https://a.org/{at}") for at in range(3))
    put(conn, one, coast)
    put(conn, one, north)
    put(conn, two, far)
    put(conn, removed, far)
    conn.execute("UPDATE sources SET removed_at = now() WHERE id = %s", [removed])
    assert ids(conn, "collection", collection=coast) == [one, two]
    assert ids(conn, "collection", collection=far) == [two]
    assert ids(conn, "collection", collection=empty) == []
    counted = {row.id: (row.documents, row.parent_id) for row in listing.overview(conn).collections}
    assert counted == {coast: (2, None), north: (2, coast), far: (1, north), empty: (0, None)}


def test_a_tag_is_one_in_any_case(conn: Connection) -> None:
    one, two, removed = (given(conn, f"https://a.org/{at}") for at in range(3))
    conn.execute("UPDATE sources SET tags = '{Sea,old}' WHERE id = %s", [one])
    conn.execute("UPDATE sources SET tags = '{sea}' WHERE id = ANY(%s)", [[two, removed]])
    conn.execute("UPDATE sources SET removed_at = now() WHERE id = %s", [removed])
    assert ids(conn, "tag", tag="SEA") == [one, two]
    assert [(tag.name.lower(), tag.documents) for tag in listing.overview(conn).tags] == [
        ("sea", 2),
        ("old", 1),
    ]


def test_what_was_opened_last_comes_first(conn: Connection) -> None:
    first, second, _never, removed = (given(conn, f"https://a.org/{at}") for at in range(4))
    for at, source_id in enumerate((second, first, removed)):
        moment = "UPDATE sources SET opened_at = now() + %s * interval '1 minute' WHERE id = %s"
        conn.execute(moment, [at, source_id])
    conn.execute("UPDATE sources SET removed_at = now() WHERE id = %s", [removed])
    assert ids(conn, "opened", "opened", down=True) == [first, second]
    assert listing.overview(conn).opened == 2


def test_what_is_in_the_bin_is_in_no_other_group(database: Database) -> None:
    removed = SyntheticLibrary(database).add("https://a.org/", [Section([Passage("one")])])
    with database.connection() as conn:
        failed = given(conn, "https://a.org/failed", "failed")
        conn.execute("UPDATE documents SET site = 'a.org'")
        conn.execute(
            "UPDATE sources SET removed_at = now(), opened_at = now() WHERE id = ANY(%s)", [[removed, failed]]
        )
        conn.execute("UPDATE sources SET removed_at = now() + interval '1 minute' WHERE id = %s", [failed])
        assert ids(conn, "bin", "removed", down=True) == [failed, removed]
        for group in ("all", "inbox", "open", "opened", "attention"):
            assert ids(conn, group) == []
        assert ids(conn, "site", site="a.org") == []
        overview = listing.overview(conn)
    assert (overview.removed, overview.states, overview.sites, overview.inbox, overview.opened) == (
        2,
        {},
        [],
        0,
        0,
    )


def test_every_sort_goes_both_ways_and_ties_by_the_order_of_adding(conn: Connection) -> None:
    titles = {"Zebra": "ready", "äpfel": "failed", "Anker": "queued", "Birne": "ready"}
    known = {}
    for number, (title, state) in enumerate(titles.items()):
        known[title] = given(conn, f"https://a.org/{number}", state)  # type: ignore[arg-type]
        conn.execute("UPDATE sources SET user_title = %s WHERE id = %s", [title, known[title]])
    by_title = [known[title] for title in ("Anker", "äpfel", "Birne", "Zebra")]
    assert ids(conn, sort="title") == by_title
    assert ids(conn, sort="title", down=True) == by_title[::-1]
    assert ids(conn, sort="added", down=True) == list(known.values())[::-1]
    assert ids(conn, sort="state") == [known[title] for title in ("äpfel", "Anker", "Zebra", "Birne")]
    assert ids(conn, sort="state", down=True) == [
        known[title] for title in ("Zebra", "Birne", "Anker", "äpfel")
    ]
    assert ids(conn, sort="passages", down=True) == list(known.values())


def test_what_has_no_title_is_sorted_by_its_address(conn: Connection) -> None:
    later, earlier = given(conn, "https://b.org/"), given(conn, "https://a.org/")
    assert ids(conn, sort="title") == [earlier, later]


def test_passages_are_counted_by_parents(database: Database) -> None:
    library = SyntheticLibrary(database)
    few = library.add("https://a.org/few", [Section([Passage("one")])])
    many = library.add("https://a.org/many", [Section([Passage("one")]), Section([Passage("two")])])
    with database.connection() as conn:
        assert ids(conn, sort="passages", down=True) == [many, few]


def test_a_site_holds_its_documents_and_what_was_given_of_it(database: Database) -> None:
    moved = SyntheticLibrary(database).add("https://old.org/", [Section([Passage("one")])])
    with database.connection() as conn:
        conn.execute("UPDATE documents SET site = 'new.org' WHERE id = %s", [moved])
        waiting = given(conn, "https://www.new.org/waiting")
        given(conn, "file:///home/ada/notes.md")
        other = given(conn, "https://other.org/", "failed")
        assert ids(conn, "site", site="new.org") == [moved, waiting]
        assert ids(conn, "site", site="old.org") == []
        assert ids(conn, "site", site="other.org") == [other]
        overview = listing.overview(conn)
    assert overview.sites == [("new.org", 2), ("other.org", 1)]


@pytest.mark.parametrize("indexed", [True, False])
def test_another_port_is_another_site(database: Database, indexed: bool) -> None:
    addresses = {
        "a.org": "http://www.a.org/x:1/",
        "a.org:8000": "http://a.org:8000/x",
        "a.org:9000": "http://a.org:9000",
        "::1": "http://[::1]/",
        "[::1]:8000": "http://[::1]:8000/",
    }
    library = SyntheticLibrary(database)
    known = {}
    with database.connection() as conn:
        for site, url in addresses.items():
            known[site] = (
                library.add(url, [Section([Passage("one")])]) if indexed else given(conn, url, "failed")
            )
    with database.connection() as conn:
        if indexed:
            conn.execute("UPDATE documents SET site = webrag_host(source_url)")
        assert {site: ids(conn, "site", site=site) for site in addresses} == {
            site: [source_id] for site, source_id in known.items()
        }
        assert dict(listing.overview(conn).sites) == dict.fromkeys(addresses, 1)


def test_the_overview_counts_everything_once(database: Database) -> None:
    SyntheticLibrary(database).add("https://a.org/", [Section([Passage("one two three")])])
    with database.connection() as conn:
        conn.execute("UPDATE sources SET state = 'ready'")
        for number, state in enumerate(("queued", "queued", "failed", "cancelled")):
            given(conn, f"https://b.org/{number}", state)  # type: ignore[arg-type]
        queue_control.set_paused(conn, True)
    with database.connection() as conn:
        overview = listing.overview(conn)
    assert overview.states == {"ready": 1, "queued": 2, "failed": 1, "cancelled": 1}
    assert (overview.documents, overview.parent_chunks, overview.tokens, overview.open) == (1, 1, 3, 2)
    assert overview.paused
    assert overview.database_bytes > 1_000_000


def test_queue_positions_count_what_is_ahead(conn: Connection) -> None:
    assert queue_control.queue_positions(conn) == {}
    first, second, third = (given(conn, f"https://a.org/{number}") for number in range(3))
    assert queue_control.queue_positions(conn) == {first: 0, second: 1, third: 2}
    jobs.claim(conn)
    assert queue_control.queue_positions(conn) == {second: 1, third: 2}
    conn.execute("UPDATE jobs SET priority = 5 WHERE source_id = %s", [third])
    assert queue_control.queue_positions(conn) == {third: 1, second: 2}


def test_room_taken_grows_with_what_is_kept(database: Database) -> None:
    library = SyntheticLibrary(database)
    small = library.add("https://a.org/small", [Section([Passage("one")])])
    big = library.add("https://a.org/big", [Section([Passage(" ".join(map(str, range(2000))))])])
    with database.connection() as conn:
        assert 0 < listing.kept_bytes(conn, small) < listing.kept_bytes(conn, big)
        assert listing.kept_bytes(conn, given(conn, "https://a.org/nothing")) == 0
        assert listing.beginning(conn, big, 5) == "0 1 2"


def test_the_size_is_that_of_the_page_as_it_was_received_last(database: Database) -> None:
    with database.connection() as conn:
        page = given(conn, "https://a.org/page")
        assert listing.received_bytes(conn, page) == 0
        for size in (97_000, 382):
            address = "https://a.org/page"
            capture = Capture(url=address, final_url=address, body=b"a" * size, fetched_at=datetime.now(UTC))
            save_capture(conn, page, capture)
            assert listing.received_bytes(conn, page) == size


def narrowed(conn: Connection, text: str) -> list[UUID]:
    """By the database, and in memory: both find the same."""
    found = listing.list_ids(conn, "all", sort="added", descending=False, containing=text)
    every = listing.list_ids(conn, "all", sort="added", descending=False)
    held = HeldWords({id_.int: words for id_, words in listing.words(conn)})
    assert [every[at] for at in held.narrowing([id_.int for id_ in every])(text)] == found
    return found


def test_a_list_is_narrowed_to_what_titles_addresses_and_tags_hold(database: Database) -> None:
    library = SyntheticLibrary(database)
    cable = library.add("https://cables.example/100%25/a", [Section([Passage("one")])])
    with database.connection() as conn:
        conn.execute("UPDATE documents SET title = 'Gutta-percha: Ärger über 100% der Kabel'")
        waiting = given(conn, "https://valentia.example/log")
        tagged = given(conn, "https://b.example/", "failed")
        conn.execute(
            "UPDATE sources SET tags = '{primary-source}', user_title = 'Mein Titel' WHERE id = %s", [tagged]
        )
        assert narrowed(conn, "GUTTA") == [cable]
        assert narrowed(conn, "ärger") == narrowed(conn, "Ärger kabel") == narrowed(conn, "ÄRGER") == [cable]
        assert narrowed(conn, "100%") == [cable]
        assert narrowed(conn, "valentia") == [waiting]
        assert narrowed(conn, "primary titel") == [tagged]
        assert narrowed(conn, "https") == narrowed(conn, "gutta valentia") == []
        assert narrowed(conn, "  ") == narrowed(conn, "example") == [cable, waiting, tagged]


def test_titles_are_sorted_as_they_are_shown_with_numbers_by_their_value(conn: Connection) -> None:
    addresses = {
        "https://zzz.example/": "Chapter 10",
        "https://a.example/": "chapter 2",
        "https://b.example/": "Chäpter 3",
        "file:///home/z/%C3%84pfel%20und%20Birnen.md": None,
        "file:///home/a/Zebra.md": None,
        "https://middle.example/": None,
    }
    known = {}
    for url, title in addresses.items():
        known[url] = given(conn, url)
        conn.execute("UPDATE sources SET user_title = %s WHERE id = %s", [title, known[url]])
    order = (
        "file:///home/z/%C3%84pfel%20und%20Birnen.md", "https://a.example/", "https://b.example/",
        "https://zzz.example/", "https://middle.example/", "file:///home/a/Zebra.md",
    )  # fmt: skip
    assert ids(conn, sort="title") == [known[url] for url in order]
    given(conn, "file:///home/z/%FF%C3.md")  # no text that could be decoded is no reason to fail
    assert len(ids(conn, sort="title")) == 7


@pytest.mark.parametrize("sort", ["site", "kind", "size", "published", "tags"])
def test_every_column_sorts(database: Database, sort: SortKey) -> None:
    library = SyntheticLibrary(database)
    later = library.add("https://b.example/", [Section([Passage("one")])])
    sooner = library.add("https://a.example/", [Section([Passage("one")])])
    with database.connection() as conn:
        conn.execute("UPDATE documents SET site = webrag_host(source_url)")
        conn.execute("UPDATE documents SET doc_type = 'pdf', published_at = now() WHERE id = %s", [later])
        conn.execute("UPDATE documents SET doc_type = 'html', published_at = NULL WHERE id = %s", [sooner])
        conn.execute("UPDATE sources SET tags = '{zoo}' WHERE id = %s", [later])
        for source_id, size in ((later, 9), (sooner, 3)):
            body = Capture(
                url="https://a", final_url="https://a", body=b"a" * size, fetched_at=datetime.now(UTC)
            )
            save_capture(conn, source_id, body)
        assert ids(conn, sort=sort) == [sooner, later]
        assert ids(conn, sort=sort, down=True) == [later, sooner]


def grouped(conn: Connection, grouping: Grouping) -> tuple[list[UUID], list[tuple[str, int]]]:
    found = listing.list_grouped(
        conn, "all", sort="added", descending=False, grouping=grouping, offset=timedelta(hours=1)
    )
    return list(found.ids), list(found.groups)


def test_a_list_comes_group_by_group(conn: Connection) -> None:
    one, failed, two = (given(conn, f"https://{at}") for at in ("b.example/", "a.example/", "b.example/2"))
    note = given(conn, "file:///home/ada/note.md")
    assert grouped(conn, "site") == ([failed, one, two, note], [("a.example", 1), ("b.example", 2), ("", 1)])
    conn.execute("UPDATE sources SET state = 'failed', state_reason = 'No.' WHERE id = %s", [failed])
    assert grouped(conn, "state") == ([failed, one, two, note], [("failed", 1), ("queued", 3)])
    assert grouped(conn, "kind")[1] == [("unknown", 4)]
    conn.execute("UPDATE sources SET added_at = '2020-05-31 23:30+00' WHERE id = %s", [one])
    assert grouped(conn, "added")[1][-1] == ("2020-06", 1)
    assert [len(value) for value, _ in grouped(conn, "added")[1]] == [10, 7]
    conn.execute("INSERT INTO collections (id, name) VALUES (gen_random_uuid(), 'To read')")
    conn.execute(
        "INSERT INTO source_collections (source_id, collection_id) SELECT %s, id FROM collections", [two]
    )
    assert grouped(conn, "collection") == ([two, one, failed, note], [("To read", 1), ("", 3)])
