"""Links looked up in a real library: which document, and where in it; the network is not asked."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.corpus import add_page
from tests.support.gui_library import Address, Heard, OpenedAddresses, heard, open_operations, settings_for
from webrag_desktop.gui.data.library import FollowedLink, LinkTarget
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.texts import documents

PAGE = "https://cables.example/creep.html"
HTML = (
    "<html><head><title>Creep</title></head><body><main><h1>Creep</h1>"
    + "".join(f"<p>Zinc creeps slowly in the cold, as was seen in year {year}.</p>" for year in range(8))
    + "<h2 id='zinc rods'>Zinc rods</h2><p>They were bent after nine years in the hut.</p></main></body></html>"
)
NOTES = "file:///home/ada/notes/zinc.md"


@pytest.fixture
def address(clone: Callable[[str], Address], migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def page(address: Address, make_indexer: Callable[[Database], Indexer]) -> UUID:
    """A page of the library, which answers to an older address, too."""
    database = Database(address)
    document = add_page(database, make_indexer(database), PAGE, HTML.encode())
    with database.connection() as conn:
        old = "https://old.example/zinc"
        assert sources.claim_address(conn, document, old, old, "redirect") == document
    database.close()
    return document


@pytest.fixture
def do(address: Address, page: UUID, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(address, tmp_path), qtbot) as made:
        yield made


def followed(do: Operations, qtbot: QtBot, address: str, standing_in: UUID | None = None) -> LinkTarget:
    link = FollowedLink(address, SpanReference(standing_in or uuid4(), uuid4(), 0, 4))
    targets = Heard(do.links.found)
    do.links.resolve(link)
    heard(qtbot, lambda: len(targets) > 0)
    target: LinkTarget = targets.last
    assert target.link == link
    return target


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (PAGE, ""),
        ("HTTPS://Cables.example:443/creep.html?utm_source=x", ""),
        ("https://old.example/zinc", ""),
        (PAGE + "#zinc%20rods", "## Zinc rods"),
        (PAGE + "#zinc rods:~:text=bent", "## Zinc rods"),
        (PAGE + "#nowhere", ""),
    ],
)
def test_any_address_of_a_document_leads_to_it_and_to_its_part(
    do: Operations, qtbot: QtBot, address: Address, page: UUID, link: str, words: str
) -> None:
    target = followed(do, qtbot, link)
    assert (target.document_id, target.title) == (page, "Creep")
    assert target.span is not None
    database = Database(address)
    with database.connection() as conn:
        version = documents.load_version(conn, page)
    database.close()
    assert version is not None
    assert target.span.version_id == version.id
    assert version.markdown[target.span.char_start : target.span.char_end] == words


@pytest.mark.parametrize(
    "link",
    ["https://else.example/", "javascript:alert(1)", "mailto:ada@x.example", "data:text/html,x", "http://["],
)
def test_all_else_is_in_no_library_and_nothing_is_opened(do: Operations, qtbot: QtBot, link: str) -> None:
    target = followed(do, qtbot, link)
    assert (target.document_id, target.span) == (None, None)
    assert isinstance(do.browsing._open_url, OpenedAddresses)
    assert do.browsing._open_url.all == []


def test_what_is_queued_is_known_and_has_nothing_to_read_yet(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    database = Database(address)
    with database.connection() as conn:
        queued = sources.add_source(conn, "url", "https://slow.example/", "https://slow.example/")
    database.close()
    target = followed(do, qtbot, "https://slow.example/#x")
    assert (target.document_id, target.span) == (queued, None)


def test_files_beside_a_file_are_found_by_their_names(do: Operations, qtbot: QtBot, address: Address) -> None:
    database = Database(address)
    with database.connection() as conn:
        notes = sources.add_source(conn, "file", NOTES, NOTES)
        beside = sources.add_source(
            conn, "file", "file:///home/ada/notes/more.md", "file:///home/ada/notes/more.md"
        )
    database.close()
    assert notes is not None
    target = followed(do, qtbot, "more.md#part", notes)
    assert (target.address, target.document_id) == ("file:///home/ada/notes/more.md#part", beside)
