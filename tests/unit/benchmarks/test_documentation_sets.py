from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.retrieval_quality_parts import documentation_pages, documentation_sets
from benchmarks.retrieval_quality_parts.documentation_pages import Package, read_pages
from benchmarks.retrieval_quality_parts.documentation_sets import (
    read_documentation,
    read_long_answers,
    read_typed,
)
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet

_MORE = "Weights are measured in grams, and every scale is set to zero before it is used. "
_TARGET = f"""
<html><head><title>Scales</title></head><body><h1 id="scales">Scales</h1><p>All about scales and what they weigh.</p>
<h2 id="zero">Setting the zero point</h2>
<p>A scale that was moved must be set to zero on its new place before anything is weighed. {_MORE * 4}</p>
<h2 id="tare">Tare</h2><p>Press the button. {_MORE * 6}</p>
<h2 id="calc"><code>scale.read_weight()</code></h2><p>Reads it. {_MORE * 5}</p>
</body></html>
"""
_LINKING = """
<html><head><title>Kitchen</title></head><body><h1>Kitchen</h1><p>Before baking,
<a href="scales.html#zero">adjust a scale you moved</a>, see <a href="scales.html#zero">Setting the zero point</a>, use
<a href="scales.html#calc">scale.read_weight()</a>, and <a href="scales.html#tare">Section 2.1</a> says more;
<a href="elsewhere.html#x">what is not there at all</a>.</p></body></html>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(documentation_pages, "PACKAGES", {"kitchen-doc": Package("html")})
    monkeypatch.setattr(documentation_pages, "PAGE_CHARACTERS", range(1_000, 30_000))
    monkeypatch.setattr(documentation_sets, "LONG_CHARACTERS", range(200, 8_000))
    pages = tmp_path / "kitchen-doc" / "html"
    pages.mkdir(parents=True)
    (pages / "scales.html").write_text(_TARGET, encoding="utf-8")
    (pages / "kitchen.html").write_text(_LINKING, encoding="utf-8")
    yield tmp_path
    read_pages.cache_clear()


def _answer(data: EvaluationSet, number: int = 0) -> str:
    ((document, start, end),) = data.questions[number].answers
    return data.documents[document][start:end]


def test_a_section_is_asked_for_by_the_words_of_a_link_that_are_not_its_heading(folder: Path) -> None:
    data = read_documentation(folder)
    assert list(data.documents) == [
        "kitchen-doc/scales.html"
    ]  # the page that links is too short to be searched
    assert [question.text for question in data.questions] == ["adjust a scale you moved"]
    assert _answer(data).startswith("## Setting the zero point\n\nA scale that was moved")
    assert _answer(data).endswith("before it is used.\n\n")


def test_names_and_few_words_are_asked_as_somebody_types_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read_typed(folder)
    assert [question.text for question in data.questions] == ["scale.read_weight()"]
    assert _answer(data).startswith("## `scale.read_weight()`\n\nReads it. Weights are")
    monkeypatch.setattr(documentation_sets, "MISSPELT", 1)
    (misspelt,) = read_typed(folder).questions
    assert misspelt.text != "scale.read_weight()"
    assert misspelt.text.startswith("scale.read_")


def test_a_long_answer_is_the_rest_of_a_section_whose_first_sentence_is_taken_out(folder: Path) -> None:
    data = read_long_answers(folder)
    sentence = "A scale that was moved must be set to zero on its new place before anything is weighed."
    assert [question.text for question in data.questions] == [
        sentence
    ]  # "Press the button." has too few words
    (text,) = data.documents.values()
    assert sentence not in text
    assert _answer(data).strip() == (_MORE * 4).strip()
    assert text.startswith("# Scales\n\nAll about scales")
    assert "## Tare\n\nPress the button." in text


def test_what_pages_link_to_is_kept(folder: Path) -> None:
    first = read_pages(folder)
    (folder / "kitchen-doc" / "html" / "kitchen.html").unlink()
    read_pages.cache_clear()
    again = read_pages(folder)
    assert again.references == first.references
    assert {one.words for one in first.references} >= {"adjust a scale you moved", "Section 2.1"}
