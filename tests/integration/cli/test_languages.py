"""A library whose texts its model does not know the language of says so in its status."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from webrag_desktop.cli.shapes.reports import StatusReport

GERMAN = (
    "Der Rhein entspringt in den Alpen und fließt durch mehrere Länder in die Nordsee, die er bei Rotterdam erreicht.",
    "Die Elbe entspringt im Riesengebirge, fließt durch Dresden und Hamburg und mündet bei Cuxhaven in die Nordsee.",
)
ENGLISH = (
    "The Thames rises in Gloucestershire and flows through Oxford and London before it reaches the North Sea."
)


@pytest.fixture
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


def note(webrag: Program) -> str | None:
    return StatusReport.model_validate(webrag.answer("status", "--json")).embedding.note


def test_the_status_offers_a_model_for_the_languages_of_most_texts(webrag: Program, tmp_path: Path) -> None:
    files = []
    for name, text in (("thames", ENGLISH), ("rhein", GERMAN[0]), ("elbe", GERMAN[1])):
        files.append(tmp_path / f"{name}.txt")
        files[-1].write_text(text, encoding="utf-8")
    webrag.answer("add", "--json", str(files[0]))
    assert note(webrag) is None
    webrag.answer("add", "--json", *map(str, files[1:]))
    found = note(webrag)
    assert found is not None
    assert "Of 3 documents whose language is known, 2 are in" in found
    assert "(de 2)" in found
    assert found in " ".join(webrag.run("status").out.split())
