"""A document's links from the command line: where it leads, what is in the library, and who links to it."""

from collections.abc import Iterator

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import EmbeddingServer
from tests.support.faults.outcome import MODEL, settings_for
from tests.support.pages import PageServer
from tests.support.queue_work import article
from webrag_desktop.cli.shapes.documents import LinksReport


@pytest.fixture
def webrag() -> Iterator[Program]:
    with (
        EmbeddingServer({MODEL: 768}) as models,
        program(ProgramHere, **settings_for(models)) as started,
    ):
        yield started


def test_links_of_a_document_and_those_to_it(webrag: Program) -> None:
    linking = article("Rhine").replace("<main>", "<nav><a href='/all'>All rivers</a></nav><main>")
    linking = linking.replace(
        "</main>", "<h2>Others</h2><p>East of it flows <a href='/elbe'>the Elbe</a>.</p></main>"
    )
    with PageServer({"/rhine": linking, "/elbe": article("Elbe")}) as server:
        rhine, elbe, others = (server.url(path) for path in ("/rhine", "/elbe", "/all"))
        assert webrag.run("add", rhine, elbe).code == 0
    assert webrag.run("show", "--links", rhine).out.splitlines() == [
        "Rhine",
        "",
        "Links in the text (1)",
        "  Others",
        f"  ● {elbe}  “the Elbe”",
        "",
        "Links around it (1)",
        f"    {others}  “All rivers”",
    ]
    assert webrag.run("show", "--links", elbe).out.splitlines() == [
        "Elbe",
        "",
        "Linked from (1)",
        "  Rhine  “the Elbe”",
    ]
    report = LinksReport.model_validate(webrag.answer("show", "--links", "--json", rhine))
    assert [(link.place, link.sentence, link.document_id is None) for link in report.links] == [
        ("content", "East of it flows the Elbe.", False),
        ("navigation", "", True),
    ]
    back = LinksReport.model_validate(webrag.answer("show", "--links", "--json", elbe))
    assert [link.source_id for link in back.back_links] == [report.id]
    assert (back.links, back.left_out) == ((), 0)
