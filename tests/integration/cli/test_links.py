"""Links into the library from the command line: printed by searches, opened by `webrag open`."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.links import HOSTILE_LINKS
from webrag_desktop.cli import window_usage
from webrag_desktop.cli.shapes.documents import PlaceReport
from webrag_desktop.models.citations import CiteId

QUOTE = "Limpets clamp their shells to the rock and wait until the sea returns."
TEXT = f"# Tide pools\n\nWhere the 🌊 meets rock.\n\n## Low tide\n\n{QUOTE}\n"
LINK = re.compile(r"webrag://cite/[0-9a-f]{16}\.\d+-\d+")


@pytest.fixture(scope="module")
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture(scope="module")
def note(webrag: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A note whose text was changed since it was cited."""
    path = tmp_path_factory.mktemp("notes") / "pools.md"
    path.write_text(TEXT, encoding="utf-8")
    assert webrag.run("add", str(path)).code == 0
    assert webrag.run("cite", str(path), QUOTE).code == 0
    path.write_text(TEXT.replace("Low tide", "Ebb"), encoding="utf-8")
    assert webrag.run("refresh", str(path)).code == 0
    return path


@pytest.fixture(scope="module")
def cited(webrag: Program, note: Path) -> dict[str, Any]:
    """The citation, which is of the older text."""
    (citation,) = webrag.answer("citations", "--json")
    return dict(citation)


def test_json_has_the_cite_id_beside_the_offsets(webrag: Program, note: Path, cited: dict[str, Any]) -> None:
    (chunk, *_) = webrag.answer("search", "--json", "limpets clamp their shells")["chunks"]
    (best, *_) = chunk["matched_spans"]
    (place,) = webrag.answer("verify", "--json", QUOTE)["places"]
    answered = webrag.run("ask", "--json", "--no-model", "--no-keep", "how do limpets clamp their shells?")
    reported = [
        (chunk["chunk_text"], chunk["cite_id"]),
        (best["text"], best["cite_id"]),
        (place["verbatim"], place["cite_id"]),
        (cited["verbatim"], cited["cite_id"]),
        *re.findall(r'"verbatim_text": "([^"]+)".*?"cite_id": "([^"]+)"', answered.out),
    ]
    assert len(reported) > 4
    for text, cite_id in reported:
        place = PlaceReport.model_validate(webrag.answer("open", "--json", cite_id)).model_dump()
        assert place["text"] == text


def test_links_are_printed_where_they_are_asked_for(
    webrag: Program, note: Path, cited: dict[str, Any]
) -> None:
    for command in (
        ("search", "limpets clamp their shells"),
        ("verify", QUOTE),
        ("ask", "--no-model", "--no-keep", "how do limpets clamp their shells?"),
        ("citations",),
    ):
        assert "webrag://" not in webrag.run(*command).out
        link, *_ = LINK.findall(webrag.run(*command, "--links").out)
        assert QUOTE in webrag.answer("open", "--json", link)["text"]


def test_a_place_of_an_older_text_is_printed_as_such(webrag: Program, cited: dict[str, Any]) -> None:
    link = CiteId.parse(cited["cite_id"]).link
    done = webrag.run("open", "--print", f"<{link.upper()}>")
    assert done.code == 0
    assert "version    1, which the document no longer shows" in done.out
    assert "heading    Tide pools › Low tide" in done.out
    assert f"link       {link}" in done.out
    assert done.out.endswith(f"\n\n{QUOTE}\n")
    report = webrag.answer("open", "--json", link)
    assert (report["link"], report["is_current"], report["version_number"]) == (link, False, 1)
    assert (report["title"], report["document_id"]) == ("Tide pools", cited["document_id"])


def test_a_whole_document_is_printed(webrag: Program, cited: dict[str, Any]) -> None:
    report = webrag.answer("open", "--json", f"webrag://document/{cited['document_id']}")
    assert (report["is_current"], report["version_number"], report["char_start"]) == (True, 2, 0)
    assert report["text"] == TEXT.replace("Low tide", "Ebb").strip()


@pytest.mark.parametrize("options", [(), ("--print",), ("--json",)])
def test_a_link_that_names_nothing_is_reported(
    webrag: Program, cited: dict[str, Any], monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)  # no window is started
    beyond = f"{cited['cite_id'].partition('.')[0]}.0-99999"
    for link in ("webrag://cite/ffffffffffffffff", beyond, f"webrag://document/{cited['version_id']}"):
        done = webrag.run("open", *options, link)
        assert done.code == 2
        message, hint = done.err.splitlines()
        assert message
        assert hint


def test_a_hostile_link_reaches_no_program(webrag: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(window_usage, "run_window", started.append)
    monkeypatch.setattr(subprocess, "Popen", started.append)
    assert len(HOSTILE_LINKS) >= 50
    for link in HOSTILE_LINKS:
        done = webrag.run("open", "--", link)
        assert done.code == 2, link
        assert done.err.strip()
        assert "\x1b]" not in done.err
    assert started == []


def test_the_window_is_started_with_the_link_as_we_write_it(
    webrag: Program, cited: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Ended:
        def __init__(self, command: list[str]) -> None:
            started.append(command)

        def wait(self) -> int:
            return 3

    monkeypatch.setattr(subprocess, "Popen", Ended)
    link = CiteId.parse(cited["cite_id"]).link
    assert webrag.run("open", f"  [{link.upper()}] ").code == 3
    assert [command[1:] for command in started] == [["-P", "-m", "webrag_desktop", "open-window", link]]
