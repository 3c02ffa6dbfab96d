"""Links of pages as the library tells of them: where they stand, where they lead, and who links to a page."""

from collections.abc import Callable
from uuid import UUID

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import accepted, article
from webrag_desktop.errors import InputError
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.storage.database import Database


def linking(title: str, body: str) -> str:
    """An article with more in its main content."""
    return article(title).replace("</main>", f"{body}</main>")


def added(library: StoredLibrary, *urls: str) -> list[UUID]:
    return [accepted(one).source_id for one in library.add(list(urls))]


def test_links_tell_where_they_stand_and_which_document_they_lead_to(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/rhine"] = linking(
        "Rhine",
        "<h2>Others</h2><p>Here is much. The <a href='/elbe?utm_source=x#mouth'>river Elbe</a> is long.</p>"
        "<p>Far off is <a rel='nofollow' href='https://Nile.example/'>the Nile</a>.</p>",
    )
    rhine, elbe = added(library, pages.url("/rhine"), pages.url("/elbe"))
    work()
    near, far = library.links.of(rhine)
    assert (near.url, near.url_key) == (pages.url("/elbe?utm_source=x#mouth"), pages.url("/elbe"))
    assert (near.text, near.heading, near.sentence) == ("river Elbe", "Others", "The river Elbe is long.")
    assert (near.source_id, near.document_id, near.place, near.is_same_site) == (rhine, elbe, "content", True)
    text = library.documents.text(rhine)
    assert text is not None
    assert near.char_start is not None
    assert text.markdown[near.char_start :].startswith("Here is much.")
    assert (far.document_id, far.is_same_site, far.url_key) == (None, False, "https://nile.example/")
    assert library.links.of(elbe) == []
    assert library.links.to(elbe) == [near]
    assert library.links.to(rhine) == []


def test_every_address_of_a_document_leads_to_it(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/old"] = Page.redirect("/elbe")
    pages.pages["/rhine"] = linking("Rhine", "<p>See <a href='/elbe'>one</a> and <a href='/old'>two</a>.</p>")
    rhine, elbe = added(library, pages.url("/rhine"), pages.url("/old"))
    work()
    assert [(link.text, link.document_id) for link in library.links.of(rhine)] == [
        ("one", elbe),
        ("two", elbe),
    ]
    assert [link.text for link in library.links.to(elbe)] == ["one", "two"]
    assert library.links.at(pages.url("/old#part")) == library.links.at(pages.url("/elbe")) == elbe
    assert library.links.at(pages.url("/nowhere")) is None


def test_a_page_that_changed_links_to_what_it_says_now(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/rhine"] = linking("Rhine", "<p>See <a href='/elbe'>Elbe</a> there.</p>")
    rhine, elbe = added(library, pages.url("/rhine"), pages.url("/elbe"))
    work()
    oder = linking("Rhine", "<p>See <a href='/oder'>Oder</a> there.</p>")
    pages.pages["/rhine"] = oder
    library.documents.refresh([rhine])
    work()
    assert [link.text for link in library.links.of(rhine)] == ["Oder"]
    assert library.links.to(elbe) == []
    pages.pages["/rhine"] = oder.replace("<main>", "<nav><a href='/elbe'>Menu</a></nav><main>")
    library.documents.refresh([rhine])  # the same text
    work()
    assert [link.text for link in library.links.of(rhine)] == ["Oder", "Menu"]
    assert [link.text for link in library.links.to(elbe)] == ["Menu"]
    assert len(library.versions.of(rhine)) == 2


def test_the_graph_has_each_edge_once_and_both_of_its_ends(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    both = (
        "<p>To the west flows <a href='/rhine'>the Rhine</a>, to be seen <a href='/rhine#x'>again</a> further down, "
        "and to the east of it the much shorter <a href='/elbe'>Elbe</a>.</p>"
    )
    pages.pages |= {
        "/rhine": linking("Rhine", both),
        "/elbe": linking("Elbe", both),
        "/oder": article("Oder"),
    }
    rhine, elbe, oder = added(library, *(pages.url(path) for path in ("/rhine", "/elbe", "/oder")))
    work()
    graph = library.links.graph()
    assert {node.document_id for node in graph.nodes} == {rhine, elbe}
    assert sorted(graph.edges) == sorted([(rhine, elbe), (elbe, rhine)])
    assert {node.title for node in graph.nodes} == {"Rhine", "Elbe"}
    assert library.links.graph(1).edges == ()
    library.documents.remove(elbe)
    assert library.links.graph().nodes == ()
    assert [link.document_id for link in library.links.of(rhine)] == [rhine, rhine, None]
    assert oder is not None


@pytest.mark.parametrize("limit", [0, -1, 2001])
def test_a_graph_has_bounds(library: StoredLibrary, limit: int) -> None:
    with pytest.raises(InputError):
        library.links.graph(limit)


def test_who_links_from_its_text_comes_first(
    library: StoredLibrary, database: Database, pages: PageServer, work: Callable[..., int]
) -> None:
    menu = "<nav><a href='/elbe'>Menu</a></nav>"
    pages.pages["/rhine"] = article("Rhine").replace("<main>", f"{menu}<main>")
    pages.pages["/oder"] = linking("Oder", "<p>See <a href='/elbe'>Elbe</a> there.</p>")
    rhine, oder, elbe = added(library, *(pages.url(path) for path in ("/rhine", "/oder", "/elbe")))
    work()
    found = library.links.to(elbe)
    assert [(link.source_id, link.place, link.text) for link in found] == [
        (oder, "content", "Elbe"),
        (rhine, "navigation", "Menu"),
    ]
    assert (found[1].char_start, found[1].sentence, found[1].heading) == (None, "", None)
    assert library.links.graph().edges == ((oder, elbe),)
    assert set(library.links.graph(navigation=True).edges) == {(oder, elbe), (rhine, elbe)}
