"""Searches that are kept, from the command line, over the real program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program

TIDES = "# Tides\n\nLimpets clamp their shells to the rock at low tide."
LATER = "# Shores\n\nLimpets return to their own place on the rock before low tide ends."


@pytest.fixture
def webrag(tmp_path: Path) -> Iterator[Program]:
    with program(ProgramHere) as started:
        (tmp_path / "tides.md").write_text(TIDES, encoding="utf-8")
        started.answer("add", "--json", "--collection", "To read", str(tmp_path / "tides.md"))
        yield started


def test_a_search_is_saved_counted_renamed_and_forgotten(webrag: Program, tmp_path: Path) -> None:
    saved = webrag.answer("searches", "save", "Limpets", 'low tide limpets in:"To read" type:md', "--json")
    assert (saved["name"], saved["question"]) == ("Limpets", "low tide limpets")
    assert saved["filters"] == {"collections": ["To read"], "doc_types": ["markdown"]}
    assert saved["new_results"] is None
    assert webrag.answer("searches", "--new", "--json")[0]["new_results"] == 0
    (tmp_path / "later.md").write_text(LATER, encoding="utf-8")
    webrag.answer("add", "--json", "--collection", "To read", str(tmp_path / "later.md"))
    assert webrag.answer("searches", "--new", "--json")[0]["new_results"] == 1
    reported = webrag.run("searches", "--new").out
    assert "Limpets  1 new" in reported
    assert "low tide limpets, doc_types: markdown, collections: To read" in reported
    renamed = webrag.answer("searches", "rename", "limpets", "Low tide", "--json")
    assert (renamed["id"], renamed["name"]) == (saved["id"], "Low tide")
    assert "One search is forgotten." in webrag.run("searches", "remove", "LOW TIDE").out
    assert webrag.answer("searches", "--json") == []
    assert webrag.answer("searches", "--history", "--json") == []
    assert "0 searches are forgotten." in webrag.run("searches", "clear").out


def test_what_cannot_be_kept_says_why(webrag: Program) -> None:
    webrag.run("searches", "save", "Tides", "tides")
    for arguments, words in (
        (("save", "tides", "other"), "Another search is called"),
        (("save", "x", "tides type:scroll"), "There is no document type"),
        (("save", "x", "tides after:soon"), "no date"),
        (("save", "x", "type:pdf"), "The question is empty"),
        (("remove", "nothing"), "There is no search nothing"),
    ):
        result = webrag.run("searches", *arguments)
        assert result.code != 0
        assert words in result.err
