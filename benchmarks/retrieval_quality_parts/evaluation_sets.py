"""Public evaluation sets: documents, questions, and where in the documents the answers stand."""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from benchmarks.embedding_parts.scifact import read_scifact

Item = TypeVar("Item")


class Piece(NamedTuple):
    """``documents[document][start:end]``."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """``answers`` are the characters that a search should bring, ``relevant`` the documents, where they are judged."""

    text: str
    answers: tuple[Piece, ...] = ()
    relevant: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """``documents`` are texts by file name; ``language`` is theirs, and mostly that of the questions.

    ``task``: whether questions ask for spans of text only or also for whole documents. ``media_type`` is what the
    texts are added as.
    """

    name: str
    documents: Mapping[str, str]
    questions: tuple[Question, ...]
    language: Literal["en", "de"] = "en"
    task: Literal["spans", "documents"] = "spans"
    media_type: str = "text/markdown"

    def sampled(self, questions: int | None, documents: int | None = None) -> "EvaluationSet":
        """With so many of its questions and, beside the documents that answer these, of its documents."""
        asked = replace(self, questions=tuple(spread(self.questions, questions)))
        needed = {
            name for one in asked.questions for name in one.relevant | {at.document for at in one.answers}
        }
        others = [name for name in self.documents if name not in needed]
        kept = needed.union(spread(others, None if documents is None else max(0, documents - len(needed))))
        return replace(asked, documents={name: text for name, text in self.documents.items() if name in kept})

    def half(self, name: str) -> "EvaluationSet":
        """With every other of its questions, from the first or from the second on; ``all`` keeps all."""
        return replace(self, questions=self.questions[HALVES[name]])


HALVES: Mapping[str, slice] = {
    "all": slice(None),
    "first": slice(0, None, 2),
    "second": slice(1, None, 2),
}


def spread(items: Sequence[Item], count: int | None) -> Sequence[Item]:
    """``count`` of the items, evenly spread."""
    if count is None or count >= len(items):
        return items
    return [items[int(number * len(items) / count)] for number in range(count)]


def read_chroma(folder: Path) -> EvaluationSet:
    """Chroma's chunking evaluation: questions with the excerpts that they were written from."""
    rows = _json_lines(folder / "chroma" / "questions.jsonl")
    questions = tuple(Question(row["question"], _references(row)) for row in rows)
    return EvaluationSet("chroma", _markdown_files(folder / "chroma" / "corpora"), questions)


def read_xquad(folder: Path, language: Literal["en", "de"]) -> EvaluationSet:
    """XQuAD: questions with the words that answer them."""
    root = folder / "xquad" / language
    questions = tuple(
        Question(row["question"], (Piece(row["doc"], *row["answer_span"]),))
        for row in _json_lines(root / "questions.jsonl")
    )
    return EvaluationSet(f"xquad-{language}", _markdown_files(root / "corpora"), questions, language)


def read_xquad_across(folder: Path, asked: Literal["en", "de"], texts: Literal["en", "de"]) -> EvaluationSet:
    """XQuAD's texts in one language, asked in another."""
    rows = {
        language: list(_json_lines(folder / "xquad" / language / "questions.jsonl"))
        for language in (asked, texts)
    }
    spoken = {row["id"]: row["question"] for row in rows[asked]}
    data = read_xquad(folder, texts)
    questions = tuple(
        replace(question, text=spoken[row["id"]])
        for question, row in zip(data.questions, rows[texts], strict=True)
    )
    return replace(data, name=f"xquad-{asked}-over-{texts}", questions=questions)


def read_scifact_train(folder: Path) -> EvaluationSet:
    """SciFact: claims, the abstracts that speak of them, and the sentences that support or contradict them."""
    judged = read_scifact(folder / "scifact")
    with gzip.open(folder / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as corpus:
        rows = [json.loads(line) for line in corpus]
    heads = {row["_id"]: f"# {row['title']}\n\n" for row in rows}
    answers: dict[str, list[Piece]] = defaultdict(list)
    for row in _json_lines(folder / "scifact" / "rationales.train.jsonl"):
        shift = len(heads[row["doc_id"]])
        answers[row["claim_id"]] += [
            Piece(_name(row["doc_id"]), start + shift, end + shift) for start, end in row["spans"]
        ]
    questions = tuple(
        Question(text, tuple(answers[claim]), frozenset(map(_name, judged.relevant[claim])))
        for claim, text in judged.claims.items()
    )
    documents = {_name(row["_id"]): heads[row["_id"]] + row["text"] for row in rows}
    return EvaluationSet("scifact", documents, questions, task="documents")


def read_cranfield(folder: Path) -> EvaluationSet:
    """Cranfield: long questions on aerodynamics, and the abstracts judged relevant."""
    root = folder / "cranfield"
    with gzip.open(root / "corpus.jsonl.gz", "rt", encoding="utf-8") as corpus:
        rows = [json.loads(line) for line in corpus]
    relevant: dict[str, set[str]] = defaultdict(set)
    with (root / "qrels.test.tsv").open(encoding="utf-8") as judged:
        for line in list(judged)[1:]:
            question, document, grade = line.split()
            if int(grade) > 0:
                relevant[question].add(_name(document))
    questions = tuple(
        Question(row["text"], relevant=frozenset(relevant[row["_id"]]))
        for row in _json_lines(root / "queries.test.jsonl")
        if relevant[row["_id"]]
    )
    documents = {
        _name(row["_id"]): f"# {row['title']}\n\n{row['text']}" for row in rows if row["text"].strip()
    }
    return EvaluationSet("cranfield", documents, questions, task="documents")


def read_codebase(folder: Path) -> EvaluationSet:
    """Source files, and questions on units of them."""
    files = {row["uuid"]: row for row in _json_lines(folder / "codebase" / "docs.jsonl")}
    units = {file: _units(row) for file, row in files.items()}
    questions = tuple(
        Question(row["query"], tuple(units[file][number] for file, number in row["golden_chunk_uuids"]))
        for row in _json_lines(folder / "codebase" / "questions.jsonl")
    )
    documents = {f"{row['doc_id']}.txt": row["content"] for row in files.values()}
    return EvaluationSet("codebase", documents, questions, media_type="text/plain")


def _units(file: Mapping[str, Any]) -> dict[int, Piece]:
    """Where the units of a file stand in it, by number."""
    places, at = {}, 0
    for unit in file["chunks"]:
        at = file["content"].index(unit["text"].strip(), at)
        places[unit["i"]] = Piece(f"{file['doc_id']}.txt", at, at + len(unit["text"].strip()))
    return places


READERS: Mapping[str, Callable[[Path], EvaluationSet]] = {
    "chroma": read_chroma,
    "scifact": read_scifact_train,
    "xquad-en": lambda folder: read_xquad(folder, "en"),
    "xquad-de": lambda folder: read_xquad(folder, "de"),
    "cranfield": read_cranfield,
    "codebase": read_codebase,
    "xquad-de-over-en": lambda folder: read_xquad_across(folder, "de", "en"),
    "xquad-en-over-de": lambda folder: read_xquad_across(folder, "en", "de"),
}


def _name(abstract: str) -> str:
    return f"{abstract}.md"


def _references(row: Mapping[str, Any]) -> tuple[Piece, ...]:
    return tuple(Piece(row["doc"], one["start"], one["end"]) for one in row["references"])


def _markdown_files(folder: Path) -> dict[str, str]:
    # newline="": offsets count the characters as they are stored.
    return {path.name: _exact_text(path) for path in sorted(folder.glob("*.md"))}


def _exact_text(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from map(json.loads, file)


def total_length(pieces: Sequence[Piece]) -> int:
    """How many characters pieces have, those that overlap counted as often as they stand there."""
    return sum(piece.end - piece.start for piece in pieces)
