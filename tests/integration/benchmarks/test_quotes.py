"""The benchmark of quotations says so where one is not recognised, or what is none passes for one."""

from pathlib import Path

import pytest

from benchmarks import quotes
from benchmarks.quotes_parts.filling import other_documents
from benchmarks.quotes_parts.sentences import QuotedSet, Sentence
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet
from webrag_desktop.library.quotes import Quotes
from webrag_desktop.models.quotes import QuoteReport

SPOKEN = [
    "In 1987 the officials of Tarbet counted 41 limpets and 3 flawless fishes in the difficult shallows of Holland. "
    "The investigation was ended in confusion because fifteen otters of Rotterdam were sleeping on their backs."
]


def _set(name: str, number: int) -> QuotedSet:
    documents = {}
    sentences = []
    for document in range(number):
        said = SPOKEN[0].replace("41", str(41 + document)).replace("fifteen", f"{document} or fifteen")
        documents[f"{name}-{document}.md"] = text = f"# Report {document} of {name}\n\n{said}\n"
        for part in said.split(". "):
            start = text.index(part)
            sentences.append(Sentence(f"{name}-{document}.md", start, start + len(part), part))
    return QuotedSet(name, documents, tuple(sentences))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotes, "TIMED", 3)
    monkeypatch.setattr(quotes, "read_sets", lambda _folder: [_set("scifact", 6)])
    monkeypatch.setattr(
        quotes, "read_chroma", lambda _folder: EvaluationSet("chroma", {"a.md": SPOKEN[0]}, ())
    )


def test_a_sound_library_passes_and_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _again in range(2):
        assert quotes.run(tmp_path, 40, 12, tmp_path / "kept")
        said = capsys.readouterr().out
        assert "| as written | 6 | 6 | 6 |" in said
        assert "WRONG" not in said


def test_quotations_that_are_missed_or_none_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def credulous(_quotes: Quotes, text: str) -> QuoteReport:
        return QuoteReport(quote=text, grade="exact")

    monkeypatch.setattr(Quotes, "verify", credulous)
    assert not quotes.run(tmp_path, 20, 6)
    said = capsys.readouterr().out
    assert said.count("WRONG") == 2 * 12 + 6


def test_other_documents_are_as_long_as_asked_for_and_always_the_same() -> None:
    documents = list(other_documents(SPOKEN, 60_000))
    assert 60_000 <= sum(len(text) for _name, text in documents) < 70_000
    assert documents == list(other_documents(SPOKEN, 60_000))
