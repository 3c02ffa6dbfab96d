"""What other documents say about the same, from the command line, over the real program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program

NOTES = {
    "tides": "# Tides\n\nLimpets clamp their shells to the rock when the tide is low, so that they do not dry out.\n\n"
    "## Batteries\n\nA battery of zinc and copper gives a current until the zinc is dissolved.",
    "shores": "# Shores\n\nAt low tide limpets hold fast to rocks on the shore, which keeps water under their shells.",
    "cells": "# Cells\n\nIn a galvanic cell the zinc electrode dissolves while current flows to the copper.",
}


@pytest.fixture
def webrag(tmp_path: Path) -> Iterator[Program]:
    with program(ProgramHere) as started:
        for name, text in NOTES.items():
            (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        started.answer("add", "--json", *(str(tmp_path / f"{name}.md") for name in NOTES))
        yield started


def test_what_is_related_is_found_for_a_document_and_for_a_part_of_it(
    webrag: Program, tmp_path: Path
) -> None:
    tides = str(tmp_path / "tides.md")
    whole = webrag.answer("related", "--json", tides)
    assert tides not in {chunk["source_url"] for chunk in whole["chunks"]}
    assert all(chunk["cite_id"] for chunk in whole["chunks"])
    batteries = str(NOTES["tides"].index("## Batteries"))
    nearest = [
        webrag.answer("related", "--json", "--limit", "1", *part, tides)["chunks"][0]["title"]
        for part in (("--end", batteries), ("--start", batteries))
    ]
    assert nearest == ["Shores", "Cells"]
    reported = webrag.run("related", "--end", batteries, "--links", tides).out
    assert "Shores" in reported
    assert "webrag://" in reported


def test_what_cannot_be_compared_says_why(webrag: Program, tmp_path: Path) -> None:
    beyond = webrag.run("related", "--start", "100000", str(tmp_path / "tides.md"))
    assert beyond.code != 0
    assert "nothing to compare" in beyond.err
    assert "--end lies before" in webrag.run("related", "--start", "9", "--end", "3", "x").err
