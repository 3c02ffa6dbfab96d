"""The real program: who wrote a document is read, shown, filtered by, set by the user, and kept over reading again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.authored_pages import BODY, linked, meta, page, person
from tests.support.command_line import Program, ProgramHere, program


@pytest.fixture(scope="module")
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory, webrag: Program) -> Path:
    """A paper by two, a story by one of the same family name, and notes by nobody."""
    folder = tmp_path_factory.mktemp("papers")
    head = (
        meta("citation_author", "Ruiz, Ángela", "Doe, Jane")
        + meta("citation_doi", "10.1234/Tides.7")
        + meta("citation_publication_date", "2021/05")
        + meta("citation_journal_title", "Tidal Review")
    )
    (folder / "paper.html").write_text(page(head, title="Tides of the coast"))
    story = linked({"@type": "NewsArticle", "author": [person("John Doe")], "datePublished": "2019-11-30"})
    told = (
        "<p>The old pilot told of the spring tide that carried his boat over the harbour wall one night.</p>"
    )
    (folder / "story.html").write_text(page(story, title="A story of tides").replace(BODY, 3 * told))
    (folder / "notes.html").write_text(f"<title>Notes</title><main><h1>Notes on tides</h1>{BODY}</main>")
    added = webrag.run("add", str(folder), "--yes")
    assert added.code == 0, added.err
    return folder


def found_by(webrag: Program, *options: str) -> set[str]:
    """The titles of the documents that are found with these options."""
    found = webrag.answer("search", "tide", *options, "--json")
    return {chunk["title"] for chunk in found["chunks"]}


def test_a_title_is_set_and_given_back(webrag: Program, papers: Path) -> None:
    notes = str(papers / "notes.html")
    own = webrag.answer("show", notes, "--json")["title"]
    assert webrag.answer("describe", notes, "--title", "  Of  tides", "--json")["title"] == "Of tides"
    webrag.answer("reextract", notes, "--json")
    assert webrag.answer("show", notes, "--json")["title"] == "Of tides"
    assert webrag.answer("describe", notes, "--title", "", "--json")["title"] == own


def test_facts_are_read_shown_and_listed(webrag: Program, papers: Path) -> None:
    paper = webrag.answer("show", str(papers / "paper.html"), "--json")
    assert paper["authors"] == ["Ángela Ruiz", "Jane Doe"]
    assert (paper["doi"], paper["journal"], paper["published_time"]) == (
        "10.1234/tides.7",
        "Tidal Review",
        "2021-05",
    )
    assert paper["fact_sources"]["authors"] == "citation meta"
    shown = webrag.run("show", str(papers / "paper.html")).out
    assert "by         Ángela Ruiz; Jane Doe\n" in shown
    assert "DOI        10.1234/tides.7\n" in shown
    assert "published  May 2021\n" in shown
    listed = {one["title"]: one["authors"] for one in webrag.answer("list", "--json")}
    assert (
        listed
        == {
            "Tides of the coast": ["Ángela Ruiz", "Jane Doe"],
            "A story of tides": ["John Doe"],
            "Notes": [],
        }
        or listed["Notes on tides"] == []
    )
    assert "by: John Doe" in webrag.run("list").out


@pytest.mark.parametrize(
    ("author", "titles"),
    [
        ("doe", {"Tides of the coast", "A story of tides"}),
        ("Doe, Jane", {"Tides of the coast"}),
        ("JANE DOE", {"Tides of the coast"}),
        ("angela", {"Tides of the coast"}),
        ("Ángela Ruiz", {"Tides of the coast"}),
    ],
)
def test_searches_are_restricted_to_an_author(
    webrag: Program, papers: Path, author: str, titles: set[str]
) -> None:
    assert found_by(webrag, "--author", author) == titles


def test_an_author_has_all_words_of_a_name(webrag: Program, papers: Path) -> None:
    for author in ("Jane Ruiz", "Do", ":"):
        assert webrag.run("search", "tide", "--author", author).code == 2, author


def test_what_the_user_sets_stays_and_can_be_forgotten(webrag: Program, papers: Path) -> None:
    story = str(papers / "story.html")
    told = webrag.answer(
        "describe", story, "--author", "Joan Roe", "--published", "May 2018", "--isbn", "0306406152",
        "--none", "publisher", "--json",
    )  # fmt: skip
    assert (told["authors"], told["published_time"], told["isbn"]) == (
        ["Joan Roe"],
        "2018-05",
        "9780306406157",
    )
    assert told["fact_sources"]["authors"] == "user"
    assert found_by(webrag, "--author", "joan") == {"A story of tides"}
    assert found_by(webrag, "--published-to", "2018") == {"A story of tides"}
    assert webrag.run("search", "tide", "--author", "John Doe").code == 2

    again = webrag.run("reextract", story)
    assert again.code == 0, again.err
    kept = webrag.answer("show", story, "--json")
    assert (kept["authors"], kept["published_time"]) == (["Joan Roe"], "2018-05")
    assert kept["stated_facts"]["authors"] == {"value": ["John Doe"], "source": "json-ld"}
    shown = webrag.run("show", story).out
    assert "by         Joan Roe (yours; the document says John Doe)\n" in shown

    back = webrag.answer("describe", story, "--forget", "all", "--json")
    assert (back["authors"], back["published_time"], back["isbn"]) == (["John Doe"], "2019-11-30", None)
    assert back["stated_facts"] == {}
    assert back["fact_sources"]["authors"] == "json-ld"


def test_what_cannot_be_a_fact_is_refused(webrag: Program, papers: Path) -> None:
    for option, value in (("--doi", "tides"), ("--isbn", "978-3-16-148410-1"), ("--published", "once")):
        refused = webrag.run("describe", str(papers / "notes.html"), option, value)
        assert (refused.code, value in refused.err) == (2, True), refused.err


def test_a_changed_file_keeps_what_the_user_set(webrag: Program, papers: Path) -> None:
    notes = papers / "notes.html"
    webrag.answer("describe", str(notes), "--author", "Wei Zhang", "--json")
    text = notes.read_text().replace("twice a day", "two times a day")
    notes.write_text(text.replace("<title>", meta("author", "Somebody Else") + "<title>"))
    assert webrag.run("add", str(notes)).code == 0
    kept = webrag.answer("show", str(notes), "--json")
    assert "two times a day" in kept["markdown"]
    assert kept["authors"] == ["Wei Zhang"]
    assert kept["stated_facts"]["authors"] == {"value": ["Somebody Else"], "source": "meta"}
