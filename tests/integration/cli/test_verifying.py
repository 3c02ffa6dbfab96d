"""Quotations from the command line on a real library: graded, found in older texts, and whole manuscripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import EmbeddingServer
from tests.support.faults.outcome import MODEL, settings_for
from tests.support.links import without_cite_ids
from tests.support.office_files import docx, paragraph
from webrag_desktop.models.quotes import ManuscriptReport, QuoteReport

TEXT = """# Tide pools

Where the **sea** meets [rock](https://example.org/rock), life holds on.

## Low tide

Limpets clamp their shells to the rock, and the water that they keep inside lasts until the sea returns.
Anemones fold in their arms & wait.
"""
OTHER = "# Shore notes\n\nLimpets clamp their shells to the rock, and the gulls know it.\n"


@pytest.fixture(scope="module")
def models() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({MODEL: 768}) as running:
        yield running


@pytest.fixture(scope="module")
def webrag(models: EmbeddingServer) -> Iterator[Program]:
    with program(ProgramHere, **settings_for(models)) as started:
        yield started


@pytest.fixture(scope="module")
def pools(webrag: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    path, other = folder / "pools.md", folder / "shore.md"
    path.write_text(TEXT.replace("Anemones fold", "Crabs hide and anemones fold"), encoding="utf-8")
    other.write_text(OTHER, encoding="utf-8")
    assert webrag.run("add", str(path), str(other)).code == 0
    path.write_text(TEXT, encoding="utf-8")
    assert webrag.answer("refresh", "--json", str(path))["counts"]["changed"] == 1
    return path


def answer(webrag: Program, *arguments: str, code: int = 0) -> object:
    done = webrag.run("verify", "--json", *arguments)
    assert done.code == code, done.out + done.err
    return without_cite_ids(done.json)


def verify(webrag: Program, *arguments: str, code: int = 0) -> QuoteReport:
    report = QuoteReport.model_validate(answer(webrag, *arguments, code=code))
    for place in report.places:
        assert len(place.verbatim) == place.char_end - place.char_start
    return report


def test_a_quotation_is_found_wherever_it_stands(webrag: Program, pools: Path) -> None:
    report = verify(webrag, "Limpets clamp their shells to the rock,")
    assert report.grade == "exact"
    assert {place.title for place in report.places} == {"Tide pools", "Shore notes"}
    alone = verify(webrag, "--document", str(pools), "“Limpets clamp their shells to the rock,” (Ada 1843)")
    assert [(place.title, place.section_heading) for place in alone.places] == [("Tide pools", "Low tide")]
    said = webrag.run("verify", "--document", str(pools), "Limpets clamp their shells to the rock,")
    assert said.code == 0
    assert said.out.splitlines()[:4] == [
        "Exact: the source has it letter for letter.",
        "",
        " 1. Tide pools — Low tide",
        "    “Limpets clamp their shells to the rock,”",
    ]
    assert "    version 2" in said.out.splitlines()


def test_what_reads_the_same_is_verified_and_what_does_not_is_marked(webrag: Program, pools: Path) -> None:
    (place,) = verify(webrag, "Where the sea meets rock, life holds on.").places
    assert place.grade == "exact_as_rendered"
    assert place.verbatim == "Where the **sea** meets [rock](https://example.org/rock), life holds on."
    wrong = "water that they keep inside lasts until the moon returns."
    (place,) = verify(webrag, wrong, code=1).places
    assert [(one.quoted, one.stored) for one in place.differences] == [("moon", "sea")]
    said = webrag.run("verify", wrong)
    assert said.code == 1
    assert "lasts until the [-moon-]{+sea+} returns." in said.out


def test_older_texts_are_looked_through_when_asked(webrag: Program, pools: Path) -> None:
    gone = "Crabs hide and anemones fold in their arms"
    assert not verify(webrag, gone, code=1).is_verified
    (place,) = verify(webrag, "--older", gone).places
    assert (place.version_number, place.shown) == (1, False)
    assert webrag.run("verify", "Nobody ever wrote such a sentence about whelks.").code == 1


DRAFT = """# Draft

As the notes say, “Limpets clamp their shells to the rock, and the water […] lasts until the sea returns” [@notes].
They also “hide” and “run away from the gulls at night”.

> Where the sea meets rock, life holds on.
> — Tide pools
"""


def test_a_manuscript_is_checked_from_a_file_and_a_pipe(webrag: Program, pools: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text(DRAFT, encoding="utf-8")
    report = ManuscriptReport.model_validate(answer(webrag, str(draft), code=1))
    assert [(one.place, one.block, one.report.is_verified) for one in report.quotations] == [
        (3, False, True),
        (4, False, False),
        (6, True, True),
    ]
    assert [one.quote for one in report.skipped] == ["hide"]
    lines = webrag.run("verify", str(draft)).out.splitlines()
    assert "line 4: not found  “run away from the gulls at night”" in lines
    assert lines[-2:] == [
        "3 quotations in draft.md: 1 exact, 1 exact as rendered, 1 not found.",
        "1 quotation is too short to be looked for (line 4); --min-words 1 looks for all.",
    ]
    gone = tmp_path / "gone.txt"
    gone.write_text("“Limpets clamp their shells” and “Crabs hide and anemones fold”", encoding="utf-8")
    answer(webrag, str(gone), code=1)
    report = ManuscriptReport.model_validate(answer(webrag, "--older", str(gone)))
    assert [one.report.older_versions for one in report.quotations] == [
        False,
        True,
    ]  # only where it is needed
    word = tmp_path / "draft.docx"
    word.write_bytes(
        docx(paragraph("Before.") + paragraph("Where the sea meets rock, life holds on.", "Zitat"))
    )
    (one,) = ManuscriptReport.model_validate(answer(webrag, str(word))).quotations
    assert (one.place, one.block, one.report.is_verified) == (2, True, True)


def test_what_cannot_be_used_is_distinguished_from_what_is_not_verified(
    webrag: Program, pools: Path, tmp_path: Path
) -> None:
    for arguments in (
        ["missing.md"],
        ["--document", "ffffffff", "words"],
        ["--file", str(tmp_path)],
        [" "],
    ):
        assert webrag.run("verify", *arguments).code == 2, arguments
