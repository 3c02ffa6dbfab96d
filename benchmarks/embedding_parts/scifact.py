"""Whether the fused form finds as well as the shipped one: nDCG@10 over SciFact's claims and abstracts."""

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.embedding_parts.forms import Embed

DEPTH = 10
RESAMPLES = 10_000
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SciFact:
    """Claims, abstracts, and which abstracts speak of which claim."""

    claims: Mapping[str, str]
    abstracts: Mapping[str, str]
    relevant: Mapping[str, frozenset[str]]


def read_scifact(folder: Path) -> SciFact:
    """The collection as BEIR publishes it: ``corpus.jsonl.gz``, ``queries.*.jsonl`` and ``qrels.*.tsv``."""
    (claims_file,), (relevance_file,) = folder.glob("queries.*.jsonl"), folder.glob("qrels.*.tsv")
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as corpus:
        rows = [json.loads(line) for line in corpus]
    claims = [json.loads(line) for line in claims_file.read_text(encoding="utf-8").splitlines()]
    relevant: dict[str, set[str]] = defaultdict(set)
    with relevance_file.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                relevant[row["query-id"]].add(row["corpus-id"])
    return SciFact(
        {claim["_id"]: claim["text"] for claim in claims if claim["_id"] in relevant},
        {row["_id"]: f"{row['title']} {row['text']}" for row in rows},
        {claim: frozenset(found) for claim, found in relevant.items()},
    )


def ndcg_by_claim(data: SciFact, embed: Embed) -> Scores:
    """nDCG@10 of every claim, in the claims' order."""
    names = list(data.abstracts)
    abstracts = np.stack([embed(text) for text in data.abstracts.values()])
    claims = np.stack([embed(text) for text in data.claims.values()])
    order = np.argsort(-(claims @ abstracts.T), axis=1, kind="stable")[:, :DEPTH]
    found = zip(data.claims, order, strict=True)
    return np.array([ndcg([names[at] for at in top], data.relevant[claim]) for claim, top in found])


def ndcg(ranked: Sequence[str], relevant: frozenset[str]) -> float:
    """The gain of the relevant ones among the first ten, against the best order there could be."""
    discounts = 1 / np.log2(np.arange(DEPTH) + 2)
    hits = np.array([name in relevant for name in ranked[:DEPTH]], dtype=np.float64)
    return float(hits @ discounts[: len(hits)] / discounts[: len(relevant)].sum())


def difference_interval(one: Scores, other: Scores, seed: int = 1) -> tuple[float, float]:
    """The 95 % interval of the mean difference, claims drawn again and both forms measured on the same draw."""
    differences = one - other
    drawn = np.random.default_rng(seed).integers(len(differences), size=(RESAMPLES, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
