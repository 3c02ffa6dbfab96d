"""What the run over thousands of pages calls lost."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.captures import FILLER, extracted
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.errors import ExtractionError
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.models.documents import Block

pytest.importorskip("cssselect")

from benchmarks.debian_pages import sample
from benchmarks.extraction_parts.page_checks import Outcome, Tally, check_page, document_faults

OPTIONS = ChunkingOptions(window_tokens=200)
ADDRESS = "https://docs.example.org/a.html"


def check(html: str) -> Outcome:
    return check_page(html.encode(), ADDRESS, WordTokenizer(), OPTIONS)


def test_a_page_that_goes_through() -> None:
    outcome = check(f"<title>T</title><main><h1>One</h1>{FILLER}</main>")
    assert (outcome.refusal, outcome.fault) == ("", "")
    assert outcome.chunks >= 2
    assert outcome.characters > 100


def test_an_empty_page_is_refused_with_its_reason() -> None:
    outcome = check("<body><p> </p></body>")
    assert outcome.refusal.startswith("No text was found")
    assert outcome.fault == ""


def test_a_refusal_of_a_page_with_words_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_args: object) -> None:
        raise ExtractionError("No text was found on the page", "Look at it.")

    monkeypatch.setattr("benchmarks.extraction_parts.page_checks.extract", refused)
    assert "although it shows 80 words" in check("<p>" + "word " * 80 + "</p><script>x</script>").fault
    assert check("<nav>" + "word " * 80 + "</nav><p></p><script>x</script>").fault == ""
    assert check("<p>" + "word " * 8 + "</p>").fault == ""


def test_an_exception_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("benchmarks.extraction_parts.page_checks.extract", broken)
    assert check("<p>Any</p>").fault == "RecursionError: too deep"


def test_offsets_that_do_not_hold_are_faults() -> None:
    document = extracted("<h1>One</h1><p>Two</p>")
    assert list(document_faults(document)) == []
    first = document.blocks[0]
    swapped = replace(document, blocks=(*document.blocks[1:], first))
    assert any("out of order" in fault for fault in document_faults(swapped))
    bare = replace(document, blocks=(Block(char_start=0, char_end=len(document.markdown)),))
    assert list(document_faults(bare)) == ["block at 0 has no HTML"]
    short = replace(document, blocks=document.blocks[:-1])
    assert any("behind the last block" in fault for fault in document_faults(short))


def test_the_tally_names_every_page_that_was_lost() -> None:
    tally = Tally()
    tally.add("a", 10, Outcome(chunks=2))
    tally.add("b", 10, Outcome(refusal="Empty"))
    tally.add("c", 10, Outcome(refusal="Empty", fault="it is not"))
    assert (tally.pages, tally.ready, tally.bytes, tally.chunks) == (3, 1, 30, 2)
    assert tally.refusals == {"Empty": 2}
    assert tally.faults == [("c", "it is not")]


def test_the_sample_is_even_over_folders_and_always_the_same(tmp_path: Path) -> None:
    for folder, count in (("few", 2), ("many", 30)):
        (tmp_path / folder).mkdir()
        for number in random.Random(count).sample(range(count), count):
            (tmp_path / folder / f"{number}.html").touch()
    (tmp_path / "many" / "notes.txt").touch()
    drawn = sample(tmp_path, 10)
    assert drawn == sample(tmp_path, 10)
    assert sum(path.parent.name == "few" for path in drawn) == 2
    assert len(set(drawn)) == 10
    assert all(path.suffix == ".html" for path in sample(tmp_path, 100))
