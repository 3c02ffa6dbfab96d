"""Sentences of the evaluation sets to quote: SciFact's rationales, and those that hold the answers of XQuAD."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, read_scifact_train, read_xquad

SHORTEST = 40  # characters; shorter ones may stand in several places


@dataclass(frozen=True, slots=True)
class Sentence:
    """``documents[document][start:end]`` of a set."""

    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class QuotedSet:
    """A set's documents by name, each set's names for itself, and the sentences of them that are quoted."""

    name: str
    documents: dict[str, str]
    sentences: tuple[Sentence, ...]


def read_sets(folder: Path) -> list[QuotedSet]:
    """SciFact, and XQuAD in English and in German."""
    scifact = read_scifact_train(folder)
    spans = sorted({answer for question in scifact.questions for answer in question.answers})
    sets = [_quoted(scifact, [(one.document, one.start, one.end) for one in spans])]
    both = (read_xquad(folder, "en"), read_xquad(folder, "de"))
    answers = ((data, sorted(set(_references(folder / "xquad" / data.language)))) for data in both)
    return [*sets, *(_quoted(data, spans) for data, spans in answers)]


def _references(folder: Path) -> Iterator[tuple[str, int, int]]:
    with (folder / "questions.jsonl").open(encoding="utf-8", newline="") as file:
        for row in map(json.loads, file):
            for one in row["references"]:
                yield row["doc"], one["start"], one["end"]


def _quoted(data: EvaluationSet, spans: list[tuple[str, int, int]]) -> QuotedSet:
    def name(document: str) -> str:
        return f"{data.name}-{document}"

    sentences = (
        _sentence(name(document), data.documents[document], start, end) for document, start, end in spans
    )
    kept = tuple(one for one in sentences if len(one.text) >= SHORTEST)
    documents = {name(document): text for document, text in data.documents.items()}
    return QuotedSet(data.name, documents, kept)


def _sentence(name: str, document: str, start: int, end: int) -> Sentence:
    text = document[start:end]
    first = start + len(text) - len(text.lstrip())
    return Sentence(name, first, first + len(text.strip()), text.strip())
