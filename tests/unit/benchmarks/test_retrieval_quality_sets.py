import gzip
import json
from pathlib import Path
from typing import Any

from benchmarks.retrieval_quality_parts.evaluation_sets import (
    EvaluationSet,
    Piece,
    Question,
    read_chroma,
    read_codebase,
    read_cranfield,
    read_scifact_train,
    read_xquad,
    read_xquad_across,
)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def test_chroma_offsets_count_characters_as_they_are_stored(tmp_path: Path) -> None:
    text = "é one\r\ntwo three"
    write_text(tmp_path / "chroma" / "corpora" / "a.md", text)
    reference = {"start": text.index("two"), "end": len(text), "content": "two three"}
    write_rows(
        tmp_path / "chroma" / "questions.jsonl",
        [{"id": "1", "question": "which?", "doc": "a.md", "references": [reference]}],
    )
    data = read_chroma(tmp_path)
    assert data.documents == {"a.md": text}
    ((document, start, end),) = data.questions[0].answers
    assert data.documents[document][start:end] == "two three"
    assert data.task == "spans"


def test_xquad_asks_for_the_answer_itself(tmp_path: Path) -> None:
    write_text(tmp_path / "xquad" / "de" / "corpora" / "a.md", "# A\n\nEs waren 308 Punkte.")
    write_rows(
        tmp_path / "xquad" / "de" / "questions.jsonl",
        [
            {
                "question": "Wie viele?",
                "doc": "a.md",
                "answer": "308",
                "answer_span": [14, 17],
                "paragraph": [5, 25],
            }
        ],
    )
    data = read_xquad(tmp_path, "de")
    assert (data.name, data.language) == ("xquad-de", "de")
    ((document, start, end),) = data.questions[0].answers
    assert data.documents[document][start:end] == "308"


def test_xquad_across_asks_in_another_language_than_the_texts(tmp_path: Path) -> None:
    spoken = {"de": {"1": "Wie viele?", "2": "Wo?"}, "en": {"2": "Where?", "1": "How many?"}}
    for language, questions in spoken.items():
        write_text(tmp_path / "xquad" / language / "corpora" / "a.md", f"308 {language}")
        rows = [
            {"id": id_, "question": text, "doc": "a.md", "answer_span": [0, int(id_)]}
            for id_, text in questions.items()
        ]
        write_rows(tmp_path / "xquad" / language / "questions.jsonl", rows)
    data = read_xquad_across(tmp_path, "de", "en")
    assert (data.name, data.language, data.documents) == ("xquad-de-over-en", "en", {"a.md": "308 en"})
    assert [(one.text, one.answers[0].end) for one in data.questions] == [("Wo?", 2), ("Wie viele?", 1)]


def test_scifact_sentences_lie_behind_the_title(tmp_path: Path) -> None:
    folder = tmp_path / "scifact"
    folder.mkdir()
    abstract = {"_id": "7", "title": "On mice", "text": "Mice eat. They sleep."}
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(abstract))
    write_rows(
        folder / "queries.train.jsonl",
        [{"_id": "1", "text": "Mice sleep."}, {"_id": "2", "text": "Mice eat."}],
    )
    (folder / "qrels.train.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n2\t7\t1\n")
    write_rows(folder / "rationales.train.jsonl", [{"claim_id": "1", "doc_id": "7", "spans": [[10, 21]]}])
    data = read_scifact_train(tmp_path)
    assert data.documents == {"7.md": "# On mice\n\nMice eat. They sleep."}
    first, second = data.questions
    assert first.relevant == second.relevant == {"7.md"}
    ((document, start, end),) = first.answers
    assert data.documents[document][start:end] == "They sleep."
    assert second.answers == ()


def test_sample_is_spread_over_all_questions() -> None:
    data = EvaluationSet("s", {}, tuple(Question(str(number)) for number in range(10)))
    assert [question.text for question in data.sampled(4).questions] == ["0", "2", "5", "7"]
    assert data.sampled(None) == data.sampled(99) == data


def test_documents_that_answer_stay_in_a_sample() -> None:
    questions = (Question("0", (Piece("c", 0, 1),)), Question("1", (), frozenset({"e"})), Question("2"))
    data = EvaluationSet("s", {name: name * 2 for name in "abcdefgh"}, questions)
    assert data.sampled(None, 5).documents == {"a": "aa", "c": "cc", "d": "dd", "e": "ee", "g": "gg"}
    assert list(data.sampled(None, 1).documents) == ["c", "e"]
    assert list(data.sampled(1, 1).documents) == ["c"]
    assert list(data.sampled(1).documents) == list("abcdefgh")


def test_pieces_count_within_their_document() -> None:
    assert Piece("a", 1, 3) < Piece("b", 0, 1)


def test_units_of_source_files_are_found_in_order(tmp_path: Path) -> None:
    content = "a = 1\n\nb = 2\n\na = 1\n"
    units = [{"i": number, "text": text} for number, text in enumerate(("a = 1\n", "b = 2", "a = 1"))]
    write_rows(
        tmp_path / "codebase" / "docs.jsonl",
        [{"uuid": "u", "doc_id": "doc_1", "content": content, "chunks": units}],
    )
    write_rows(
        tmp_path / "codebase" / "questions.jsonl",
        [{"query": "What is a?", "golden_chunk_uuids": [["u", 2]]}],
    )
    data = read_codebase(tmp_path)
    assert data.media_type == "text/plain"
    assert data.questions[0].answers == (Piece("doc_1.txt", content.rindex("a = 1"), len(content) - 1),)


def test_abstracts_without_text_and_questions_without_judgement_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "cranfield"
    write_rows(folder / "queries.test.jsonl", [{"_id": "1", "text": "wing?"}, {"_id": "2", "text": "heat?"}])
    write_text(folder / "qrels.test.tsv", "query-id\tcorpus-id\tscore\n1\t7\t3\n2\t7\t0\n")
    rows = [{"_id": "7", "title": "Wings", "text": "A wing."}, {"_id": "8", "title": "None", "text": " "}]
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as corpus:
        corpus.writelines(json.dumps(row) + "\n" for row in rows)
    data = read_cranfield(tmp_path)
    assert list(data.documents) == ["7.md"]
    assert [(one.text, one.relevant) for one in data.questions] == [("wing?", frozenset({"7.md"}))]
    assert data.half("second").questions == ()
