"""The newcomer's journey through the command line: real processes, real database, real model, no network."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Finished, Program, ProgramHere, program
from tests.support.links import without_cite_ids
from tests.support.pages import PAGES_DIRECTORY, Page, PageServer
from webrag_desktop.cli.shapes.derived import Shape
from webrag_desktop.cli.shapes.documents import ChunkOfDocument, Document, DocumentText
from webrag_desktop.cli.shapes.reports import ErrorReport, Report, StatusReport
from webrag_desktop.cli.shapes.upkeep import DoctorReport
from webrag_desktop.retrieval.contracts.results import RetrievalResult

GLOSSARY = "/python_glossary.html"
NOTES = "field_notes.md"
SCRIPTS = "scripts_and_emoji.md"
QUESTION = "what does a generator function return?"


@dataclass(frozen=True)
class Journey:
    """A library that was filled while its pages could be reached, and now they cannot.

    Each command runs once as a process of its own (``webrag``); what else it can say is asked in this one (``here``).
    """

    webrag: Program
    here: Program
    glossary: str
    added: Finished


@pytest.fixture(scope="module")
def journey() -> Iterator[Journey]:
    with program() as webrag:
        with PageServer(directory=PAGES_DIRECTORY) as site:
            address = site.url(GLOSSARY)
            files = [str(PAGES_DIRECTORY / name) for name in (NOTES, SCRIPTS)]
            added = webrag.run("add", address, site.url("/nothing-here"), *files)
        yield Journey(webrag, ProgramHere(webrag.home), address, added)


# -- Adding ---------------------------------------------------------------------------------------------------


def test_add_tells_the_end_of_each_document_in_a_plain_line_and_nothing_twice(journey: Journey) -> None:
    lines = journey.added.out.splitlines()
    (of_glossary,) = (line for line in lines if line.endswith(journey.glossary))
    assert of_glossary.startswith("ready       Glossary — ")
    assert [line.split()[0] for line in lines if line[:1].islower()].count("ready") == 3
    assert [line.split()[0] for line in lines if line[:1].islower()].count("failed") == 1
    assert lines[-2:] == ["Added: 3", "Failed: 1"]
    assert len(lines) == len(set(lines))
    assert "\x1b" not in journey.added.out + journey.added.err


def test_add_reports_what_was_added_and_what_failed_and_why(journey: Journey) -> None:
    assert journey.added.code == 1
    assert "Added: 3" in journey.added.out
    assert "Failed: 1" in journey.added.out
    assert "404" in journey.added.out
    assert "Traceback" not in journey.added.err


def test_adding_again_finds_everything_there(journey: Journey) -> None:
    again = journey.here.run(
        "add", "--json", journey.glossary + "#term-generator", str(PAGES_DIRECTORY / NOTES)
    )
    assert again.code == 0
    assert [item.outcome for item in Report.model_validate(again.json).items] == ["present", "present"]


def test_input_that_cannot_be_used_says_why(journey: Journey) -> None:
    refused = journey.here.run(
        "add", "--json", "ftp://example.org/x", "no-such-file.md", "https://user:secret@example.org/"
    )
    assert refused.code == 2
    for item in Report.model_validate(refused.json).items:
        assert item.outcome == "failed"
        assert item.reason
        assert item.hint


def test_nothing_given_is_a_usage_error(journey: Journey) -> None:
    nothing = journey.here.run("add", "--json")
    assert nothing.code == 2
    assert ErrorReport.model_validate(nothing.json).error.exit_code == 2


# -- Searching, with the site gone ----------------------------------------------------------------------------


def test_search_finds_it_offline_verbatim(journey: Journey) -> None:
    found = journey.webrag.run("search", "--json", QUESTION)
    assert found.code == 0, found.err
    result = RetrievalResult.model_validate(without_cite_ids(found.json))
    assert result.mode == "chunk"
    assert result.degraded is None
    assert result.query_embedding == []
    best = max(result.chunks, key=lambda chunk: chunk.rank_score)
    assert best.source_url == journey.glossary
    assert "generator" in best.chunk_text
    assert any(chunk.matched_spans for chunk in result.chunks)
    documents = {chunk.document_id for chunk in result.chunks}
    texts = {document: _markdown(journey.here, str(document)) for document in documents}
    for chunk in result.chunks:
        markdown = texts[chunk.document_id]
        assert markdown[chunk.char_start : chunk.char_end] == chunk.chunk_text
        for span in chunk.matched_spans:
            assert markdown[span.char_start : span.char_end] == span.text


@pytest.mark.skipif(
    shutil.which("unshare") is None, reason="only Linux can take the network away from one program"
)
def test_search_needs_no_network_at_all(journey: Journey) -> None:
    assert journey.here.run("list").code == 0  # the server is up; it has no network door to begin with
    alone = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system forbids network namespaces")
    command = [*alone, sys.executable, "-m", "webrag_desktop", "search", "--json", QUESTION]
    found = subprocess.run(
        command, env=journey.webrag.environment, check=False, capture_output=True, timeout=60
    )
    assert found.returncode == 0, found.stderr.decode()
    result = json.loads(found.stdout)
    assert result["chunks"]
    assert result["degraded"] is None


def test_search_as_text_names_passage_score_and_address_with_anchor(journey: Journey) -> None:
    found = journey.webrag.run("search", QUESTION, "--limit", "2")
    assert found.code == 0
    first, passage, *_context, address, score = found.out.partition("\n\n")[0].splitlines()
    assert first == " 1. Glossary"  # title and section are the same words there
    notes = journey.here.run("search", "gauge calibration", "--source", str(PAGES_DIRECTORY / NOTES))
    assert " 1. Field notes from the tidal station — " in notes.out
    assert re.fullmatch(r"    (strong|fair|weak), score [01]\.\d\d, similarity 0\.\d\d", score)
    assert "generator" in passage
    assert passage.strip()[0] + passage.strip()[-1] == "“”"
    assert address.strip().startswith(f"{journey.glossary}#")
    assert "\n 3. " not in found.out


def test_search_cuts_passages_to_their_best_sentences_and_shows_them_whole_when_asked(
    journey: Journey,
) -> None:
    cut = journey.here.run("search", QUESTION, "--limit", "1").out
    whole = journey.here.run("search", QUESTION, "--limit", "1", "--whole").out
    assert "[…]" in cut
    assert "[…]" not in whole
    assert cut.splitlines()[:2] == whole.splitlines()[:2]
    assert len(whole) > len(cut)


def test_search_gives_the_vector_when_asked(journey: Journey) -> None:
    found = journey.here.run("search", "--json", "--embedding", "--limit", "1", QUESTION)
    result = RetrievalResult.model_validate(without_cite_ids(found.json))
    assert len(result.query_embedding) == 384
    assert len(result.chunks) == 1


def test_search_can_be_scoped(journey: Journey) -> None:
    result = journey.here.answer(
        "search", "--json", "--source", str(PAGES_DIRECTORY / NOTES), "gauge calibration"
    )
    assert {chunk["title"] for chunk in result["chunks"]} == {"Field notes from the tidal station"}
    of_site = journey.here.answer("search", "--json", "--site", "127.0.0.1", "gauge calibration generator")
    assert {chunk["source_url"] for chunk in of_site["chunks"]} <= {journey.glossary}
    unknown = journey.here.run("search", "--site", "example.org", "anything")
    assert unknown.code == 2
    assert "example.org" in unknown.err
    failed = journey.glossary.replace(GLOSSARY, "/nothing-here")
    without_text = journey.here.run("search", "--source", failed, "anything")
    assert without_text.code == 2
    assert "no text" in without_text.err


def test_a_search_without_hits_is_no_failure(journey: Journey) -> None:
    found = journey.here.run("search", "qqqxzzv")
    assert found.code == 0
    assert "qqqxzzv" in found.out
    assert len(found.out.splitlines()) == 1


def test_an_empty_question_is_refused(journey: Journey) -> None:
    assert journey.here.run("search", "  ").code == 2


# -- Looking --------------------------------------------------------------------------------------------------


def _validated(shape: type[Shape], document: object) -> Any:
    """A document of a shape whose fields are those of a data type of the library."""
    return shape.model_validate(document)


def test_list_and_show_have_the_documented_shape(journey: Journey) -> None:
    documents = [_validated(Document, row) for row in journey.here.answer("list", "--json")]
    assert [document.state for document in documents] == ["ready", "failed", "ready", "ready"]
    glossary, failed = documents[0], documents[1]
    assert glossary.source_url == journey.glossary
    assert glossary.tokens > 0
    assert failed.source_url.endswith("/nothing-here")
    assert failed.reason
    shown = _validated(DocumentText, journey.here.answer("show", "--json", str(glossary.id)[:8]))
    assert shown.id == glossary.id
    assert shown.markdown
    assert glossary.title
    assert glossary.title in journey.webrag.run("list").out
    assert shown.markdown in journey.webrag.run("show", journey.glossary).out


def test_chunks_of_both_levels_stand_in_the_text(journey: Journey) -> None:
    chunks = [
        _validated(ChunkOfDocument, row)
        for row in journey.webrag.answer("chunks", "--json", journey.glossary)
    ]
    markdown = _markdown(journey.here, journey.glossary)
    assert "".join(chunk.chunk_text for chunk in chunks if chunk.chunk_level == "parent") == markdown
    assert "".join(chunk.chunk_text for chunk in chunks if chunk.chunk_level == "child") == markdown
    parents = {chunk.id for chunk in chunks if chunk.chunk_level == "parent"}
    for chunk in chunks:
        assert markdown[chunk.char_start : chunk.char_end] == chunk.chunk_text
        assert chunk.embedded == (chunk.chunk_level == "child")
        assert (chunk.parent_id in parents) == (chunk.chunk_level == "child")


def test_characters_of_every_script_come_through(journey: Journey) -> None:
    shown = _markdown(journey.webrag, str(PAGES_DIRECTORY / SCRIPTS))
    original = (PAGES_DIRECTORY / SCRIPTS).read_text("utf-8")
    beyond_latin = {char for char in original if ord(char) > 0x2E7F}
    assert beyond_latin
    assert beyond_latin <= set(shown)


@pytest.fixture
def kept_running(journey: Journey) -> Iterator[None]:
    """The database held up between commands: ``status`` starts nothing, and it stops by itself after a while."""
    assert journey.webrag.run("stack", "start").code == 0
    yield
    assert journey.webrag.run("stack", "stop").code == 0


@pytest.mark.usefixtures("kept_running")
def test_status_and_doctor_have_the_documented_shape(journey: Journey) -> None:
    status = StatusReport.model_validate(journey.webrag.answer("status", "--json"))
    assert status.home == str(journey.webrag.home)
    assert status.stack.parts[0].state == "running"
    assert status.library is not None
    assert status.library.states == {"ready": 3, "failed": 1}
    assert status.library.documents == 3
    assert status.embedding.settled
    doctor = DoctorReport.model_validate(journey.webrag.answer("doctor", "--json"))
    assert doctor.ok
    assert len(doctor.checks) >= 10


@pytest.mark.parametrize("command", ["show", "remove"])
def test_an_unknown_id_is_named(journey: Journey, command: str) -> None:
    unknown = journey.here.run(command, "--json", "https://example.org/never-added")
    assert unknown.code == 2
    assert "never-added" in ErrorReport.model_validate(unknown.json).error.message


# -- Changing -------------------------------------------------------------------------------------------------


def test_files_are_read_again_when_changed_and_removed_on_demand(journey: Journey, tmp_path: Path) -> None:
    note = tmp_path / "潮 🌊.md"
    note.write_text("# 潮汐\n\n满潮 means high tide 🌊.\n", "utf-8")
    assert journey.webrag.run("add", str(note)).code == 0
    note.write_text("# 潮汐\n\n干潮 means low tide 🌊.\n", "utf-8")
    changed = Report.model_validate(journey.here.answer("add", "--json", str(note)))
    assert changed.items[0].outcome == "changed"
    assert "干潮" in _markdown(journey.here, str(note))
    removed = Report.model_validate(journey.webrag.answer("remove", "--json", str(note)))
    assert removed.counts["removed"] == 1
    assert journey.here.run("show", str(note)).code == 2
    assert journey.here.run("doctor").code == 0


def test_two_addresses_of_one_page_become_one_document(journey: Journey) -> None:
    page = Page(
        "<title>One</title><main><h1>One page</h1><p>It answers to two addresses, and is one.</p></main>"
    )
    with PageServer({"/new": page, "/old": Page.redirect("/new")}) as site:
        report = Report.model_validate(
            journey.here.answer("add", "--json", site.url("/new"), site.url("/old"))
        )
    assert sorted(item.outcome for item in report.items) == ["added", "present"]
    assert len({item.id for item in report.items}) == 1
    assert journey.here.run("remove", "--yes", site.url("/old")).code == 0


def test_addresses_come_from_standard_input(journey: Journey, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} text of two.", "utf-8")
    lines = "".join(f"{tmp_path / name}.txt\n\n" for name in ("first", "second"))
    added = journey.webrag.run("add", "--json", "-", given=lines)
    report = Report.model_validate(added.json)
    assert report.counts["added"] == 2
    ids = [str(item.id) for item in report.items]
    assert journey.here.run("remove", *ids).code == 0


# -- Trying it out --------------------------------------------------------------------------------------------


def test_the_demo_shows_the_first_commands_and_leaves_nothing(tmp_path: Path) -> None:
    webrag = Program(tmp_path / "own", {"TMPDIR": str(tmp_path), "TMP": str(tmp_path)})
    shown = webrag.run("demo")
    assert shown.code == 0, shown.out + shown.err
    for command in ("$ webrag add ", "$ webrag search ", "$ webrag list"):
        assert command in shown.out
    assert " 1. Tide pools — Living through low tide" in shown.out
    assert "Limpets survive low tide" in shown.out
    assert list(tmp_path.iterdir()) == []  # no library of its own, no demo folder, nothing a dependency noted


def _markdown(webrag: Program, reference: str) -> str:
    markdown = webrag.answer("show", "--json", reference)["markdown"]
    assert isinstance(markdown, str)
    return markdown
