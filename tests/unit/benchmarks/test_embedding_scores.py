import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.embedding_parts.forms import passages
from benchmarks.embedding_parts.scifact import difference_interval, ndcg, ndcg_by_claim, read_scifact


def test_ndcg_rewards_early_hits() -> None:
    relevant = frozenset({"a", "b"})
    best = 1 + 1 / math.log2(3)
    assert ndcg(["a", "b", "c"], relevant) == pytest.approx(1)
    assert ndcg(["c", "a", "d"], relevant) == pytest.approx(1 / math.log2(3) / best)
    assert ndcg(["c", "d"], relevant) == 0
    assert ndcg([*"cdefghijkl", "a"], relevant) == 0


def test_interval_tells_a_difference_from_noise() -> None:
    random = np.random.default_rng(2)
    base = random.random(500)
    low, high = difference_interval(base + 0.05, base)
    assert low == pytest.approx(0.05)
    assert high == pytest.approx(0.05)
    low, high = difference_interval(base + random.normal(0, 0.1, 500), base)
    assert low < 0 < high


def test_collection_is_read_and_scored(tmp_path: Path) -> None:
    rows = [{"_id": str(number), "title": "t", "text": word} for number, word in enumerate(["one", "two"])]
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(map(json.dumps, rows)))
    claims = [{"_id": "7", "text": "two"}, {"_id": "8", "text": "judged by nobody"}]
    (tmp_path / "queries.test.jsonl").write_text("\n".join(map(json.dumps, claims)))
    (tmp_path / "qrels.test.tsv").write_text("query-id\tcorpus-id\tscore\n7\t1\t1\n7\t0\t0\n")
    data = read_scifact(tmp_path)
    assert data.claims == {"7": "two"}
    assert data.abstracts == {"0": "t one", "1": "t two"}
    assert data.relevant == {"7": {"1"}}
    right = ndcg_by_claim(
        data, lambda text: np.array([1.0, 0.0] if "two" in text else [0.0, 1.0], np.float32)
    )
    wrong = ndcg_by_claim(data, lambda text: np.array([1.0 if text != "t two" else -1.0], np.float32))
    assert (right.tolist(), wrong.tolist()) == ([1.0], [pytest.approx(1 / math.log2(3))])


def test_passages_are_whole_words_and_leave_nothing_out(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(900))
    (tmp_path / "text.md").write_text(text)
    found = list(passages([tmp_path / "text.md"]))
    assert "".join(found) == text
    assert len(found) > 3
    assert all(part.startswith("word") for part in found)
