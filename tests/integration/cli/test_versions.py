"""A document's life from the command line: looked at again, its texts, what changed, and what is cited of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import EmbeddingServer
from tests.support.faults.outcome import MODEL, settings_for
from webrag_desktop import DataFolder
from webrag_desktop.cli.shapes.documents import Citation, DifferenceReport, ScheduleReport
from webrag_desktop.config import Settings
from webrag_desktop.models.versions import VersionRow

TEXT = "# Tide pools\n\nWhere the **sea** meets rock.\n\nLimpets clamp their shells.\n"


@pytest.fixture(scope="module")
def models() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({MODEL: 768}) as running:
        yield running


@pytest.fixture(scope="module")
def webrag(models: EmbeddingServer) -> Iterator[Program]:
    with program(ProgramHere, **settings_for(models)) as started:
        yield started


def test_a_changed_file_its_difference_and_its_citations(
    webrag: Program, models: EmbeddingServer, tmp_path: Path
) -> None:
    path = tmp_path / "pools.md"
    path.write_text(TEXT, encoding="utf-8")
    assert webrag.run("add", str(path)).code == 0
    for words in ("Limpets clamp their shells.", "the sea meets"):
        cited: Any = Citation.model_validate(webrag.answer("cite", "--json", str(path), words))
        assert (cited.quote, cited.state) == (words, "exact")
    again = webrag.run("cite", str(path), "the sea meets")
    assert (again.code, again.err) == (0, "It was cited already.\n")
    assert webrag.run("cite", str(path), "the lake meets").code == 2
    assert webrag.run("citations").out.splitlines()[2:] == [
        "  2  exact  “the sea meets”", f"     {str(cited.id)[:8]}  Tide pools — {path}",
    ]  # fmt: skip
    path.write_text(TEXT.replace("**sea**", "*sea*").replace("clamp", "fasten"), encoding="utf-8")
    assert webrag.answer("refresh", "--json", str(path))["counts"]["changed"] == 1

    versions = TypeAdapter(list[VersionRow]).validate_python(webrag.answer("versions", "--json", str(path)))
    assert [(one.number, one.reason, one.active, one.citations) for one in versions] == [
        (1, "first", False, 2), (2, "changed", True, 0),
    ]  # fmt: skip
    report = DifferenceReport.model_validate(webrag.answer("diff", "--json", str(path)))
    assert [change.kind for change in report.changes] == ["changed", "changed"]
    assert "Limpets [-clamp-]{+fasten+} their shells." in webrag.run("diff", str(path)).out
    lost: Any
    kept: Any
    lost, kept = (Citation.model_validate(one) for one in webrag.answer("citations", "--json"))
    assert (lost.state, lost.similarity) == ("lost", 0.75)
    assert (kept.state, kept.as_rendered) == ("exact", True)
    said = webrag.run("citations").out
    assert "lost, 75% of its words are there  “Limpets clamp their shells.”" in said
    assert "exact as rendered  “the sea meets”" in said
    assert webrag.run("citations", "--format", "text").out.splitlines()[2:] == [
        "", f"[1] Tide pools. {path.as_uri()}", f"[2] Tide pools. {path.as_uri()}",
    ]  # fmt: skip
    assert "\n\n> the sea meets\n\nTide pools" in webrag.run("citations", "--format", "markdown").out
    assert webrag.run("citations", "--format", "html", "--json").code == 2
    first = f"{versions[0].fetched_at:%Y-%m-%d %H:%M} UTC"
    assert f"taken from version 1, of {first}" in said
    assert webrag.run("uncite", str(lost.id)[:3]).code == 2
    assert webrag.answer("uncite", "--json", str(lost.id)[:8])["id"] == str(lost.id)
    assert webrag.run("uncite", str(kept.id)).out.startswith("Not cited any more:\n  1  exact as rendered")
    assert (
        webrag.run("citations").out
        == "Nothing is cited yet. `webrag cite ID QUOTE` does, and so does the window.\n"
    )


def test_what_is_due_is_looked_at_by_work(webrag: Program, models: EmbeddingServer, tmp_path: Path) -> None:
    path = tmp_path / "tides.md"
    path.write_text(TEXT, encoding="utf-8")
    assert webrag.run("add", str(path)).code == 0
    asked = ScheduleReport.model_validate(webrag.answer("refresh", "--every", "1d", "--json", str(path)))
    assert (asked.every_seconds, [one.every_seconds for one in asked.documents]) == (None, [86_400])
    path.write_text(TEXT + "\nSeals are seldom seen.\n", encoding="utf-8")
    assert webrag.answer("work", "--json")["items"] == []
    with (
        DataFolder(Settings.of(WEBRAG_HOME=webrag.home, **settings_for(models))).open() as services,
        services.database.connection() as conn,
    ):
        conn.execute("UPDATE sources SET checked_at = now() - interval '2 days'")
    assert webrag.answer("refresh", "--schedule", "--json")["due"] == 1
    assert webrag.answer("work", "--json")["counts"]["changed"] == 1
    assert webrag.answer("refresh", "--schedule", "--json")["due"] == 0
    assert webrag.answer("refresh", "--every", "default", "--json", str(path))["documents"] == []
