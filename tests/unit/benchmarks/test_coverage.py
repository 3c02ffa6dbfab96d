"""How coverage is measured: halves of a set, weights fitted to one half of its questions, rates of the other."""

import json
from pathlib import Path

from benchmarks.coverage import Judged, areas, rates, wrong
from benchmarks.coverage_parts.fitting import Examples, fitted, tuned
from benchmarks.coverage_parts.halves import Way
from webrag_desktop.expansion.coverage import WITH_MEANING, Signals

TEXT = "".join(f"Paragraph {number} is about otters.\n\n" for number in range(8))


def chroma(folder: Path) -> Path:
    (folder / "chroma" / "corpora").mkdir(parents=True)
    (folder / "chroma" / "corpora" / "otters.md").write_text(TEXT, encoding="utf-8")
    rows = []
    for number in range(8):
        start = TEXT.index(f"Paragraph {number}")
        references = [{"start": start, "end": start + 11}]
        rows.append({"question": f"What of {number}?", "doc": "otters.md", "references": references})
    across = [{"start": 0, "end": len(TEXT)}]
    rows.append({"question": "What of all?", "doc": "otters.md", "references": across})
    lines = "\n".join(map(json.dumps, rows))
    (folder / "chroma" / "questions.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_a_question_is_answered_by_the_half_that_holds_all_it_needs(tmp_path: Path) -> None:
    halved = Way("chroma", 1).halved(chroma(tmp_path), 100)
    indexed = "".join(halved.documents.values())
    assert 0 < len(halved.documents) < 8
    assert sorted(halved.answered + halved.unanswered) == [f"What of {number}?" for number in range(8)]
    for question in halved.answered:
        assert f"Paragraph {question[8]}" in indexed
    for question in halved.unanswered:
        assert f"Paragraph {question[8]}" not in indexed


def test_halving_is_the_same_at_every_call(tmp_path: Path) -> None:
    folder = chroma(tmp_path)
    assert Way("chroma", 1).halved(folder, 2) == Way("chroma", 1).halved(folder, 2)
    assert len(Way("chroma", 1).halved(folder, 2).answered) == 2


def rows() -> list[tuple[str, bool, Signals | None]]:
    held = [Signals(0.5 + number / 100, 0.6, 0.5, 0.5, 0.5) for number in range(50)]
    lacking = [Signals(0.5 - number / 100, 0.6, 0.5, 0.5, 0.5) for number in range(50)]
    return [("a", True, one) for one in held] + [("a", False, one) for one in lacking] + [("a", False, None)]


def test_what_tells_is_weighed_and_thresholds_keep_what_is_wrong_rare() -> None:
    examples = Examples.of(rows())
    weights = tuned(fitted(examples, meaning=True), examples)
    assert weights.passage > 1
    assert weights.sentence == 0
    assert weights.missing <= weights.covered
    verdicts = [
        weights.verdict(weights.score(signals)) for _, answered, signals in rows() if signals and not answered
    ]
    assert verdicts.count("covered") <= 5
    assert fitted(examples, meaning=False)[4:6] == (0, 0)


def test_rates_and_areas_are_reported_by_set_and_together() -> None:
    found = [
        Judged("a", True, True, Signals(1, 1, 1, 1, 1), "covered"),
        Judged("a", True, True, Signals(0, 0, 0, 0, 0), "missing"),
        Judged("a", False, True, None, "missing"),
    ]
    assert [row[:3] for row in rates(found)] == [
        ("a", "there", 2),
        ("a", "not there", 1),
        ("all sets together", "there", 2),
        ("all sets together", "not there", 1),
    ]
    assert rates(found)[0][3] == "50.0 (9.5 to 90.5)"
    assert wrong(found, True, "missing") == 0.5
    ((name, area, *_),) = areas(found, WITH_MEANING)
    assert (name, area) == ("a", "1.000")
