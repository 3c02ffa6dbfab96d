"""The embedded model: texts per second of processor time, closeness to full precision, memory, a question's wait.

``python -m benchmarks.embedding [--texts FILE ...] [--scifact FOLDER]``; the last embeds 5,183 abstracts twice, which
takes minutes.
"""

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.embedding_parts.forms import (
    REPOSITORY,
    TEXTS,
    all_loops,
    cosines,
    cpu_seconds,
    form_loop,
    passages,
)
from benchmarks.embedding_parts.memory import measured
from benchmarks.embedding_parts.queries import question_milliseconds
from benchmarks.embedding_parts.scifact import difference_interval, ndcg_by_claim, read_scifact
from benchmarks.measuring import table
from webrag_desktop.embedding.catalog import MINILM_FUSED, MINILM_SHIPPED

ROUNDS = 3
PASSAGES = 40  # of speed and closeness, spread over all texts
TRAINED_TOKENS = 256
USUAL_TEXTS = tuple(REPOSITORY / name for name in TEXTS)


def speed(texts: Sequence[str]) -> str:
    """Rounds over all texts, each loop after the other; the ratio is taken within a round."""
    loops = all_loops()
    rounds = [{name: cpu_seconds(embed, texts) for name, embed in loops.items()} for _ in range(ROUNDS)]
    rows = []
    for name in loops:
        seconds = statistics.median(times[name] for times in rounds)
        ratio = statistics.median(times["naive loop"] / times[name] for times in rounds)
        alone = statistics.median(times["naive loop, one thread"] / times[name] for times in rounds)
        rows.append((name, len(texts) / seconds, ratio, alone))
    head = ("loop", "texts per CPU second", "× naive loop", "× naive loop, one thread")
    return table(f"Embedding {len(texts)} passages, one at a time", head, rows)


def closeness(texts: Sequence[str]) -> str:
    """Against the shipped form: the same weights, computed in full precision."""
    found = cosines(form_loop(MINILM_FUSED), form_loop(MINILM_SHIPPED), texts)
    row = ("fused form", statistics.mean(found), min(found))
    cells = [(row[0], f"{row[1]:.5f}", f"{row[2]:.5f}")]
    return table("Cosine to full precision", ("", "mean", "least"), cells)


def memory(folder: Path) -> str:
    """In processes of their own: the fused form also where it has to be made first."""
    rows = []
    for label, form, kept in (
        ("shipped form", MINILM_SHIPPED, folder),
        ("fused form, first use ever", MINILM_FUSED, folder / "new"),
        ("fused form", MINILM_FUSED, folder / "new"),
    ):
        figures = measured(form.model, kept)
        rows.append((label, figures["loaded"], figures["embedded"]))
    head = ("", "MB, loaded and one question", "MB, after texts up to 512 tokens")
    return table("Peak memory that the embedder adds to its process", head, rows)


def questions(folder: Path) -> str:
    """Without and beside a worker that embeds on all cores, by turns."""
    idle, loaded = question_milliseconds(folder)
    head = ("ms, alone (p50)", "ms beside a worker on all cores (p50)", "ratio")
    return table("A question's vector", head, [(idle, loaded, loaded / idle)])


def scifact(folder: Path) -> str:
    """Abstracts cut at the length the model was trained on."""
    data = read_scifact(folder)
    shipped, fused = (
        ndcg_by_claim(data, form_loop(form, cut=TRAINED_TOKENS)) for form in (MINILM_SHIPPED, MINILM_FUSED)
    )
    low, high = difference_interval(fused, shipped)
    difference = 100 * float((fused - shipped).mean())
    cells = [
        ("shipped form", 100 * float(shipped.mean()), ""),
        (
            "fused form",
            100 * float(fused.mean()),
            f"{difference:+.2f} ({100 * low:+.2f} to {100 * high:+.2f})",
        ),
    ]
    head = ("", "nDCG@10", "difference (95 %, paired bootstrap)")
    return table(f"SciFact, {len(shipped)} claims, {len(data.abstracts):,} abstracts", head, cells)


def run(paths: Sequence[Path] = USUAL_TEXTS) -> str:
    """All that needs no collection."""
    every = list(passages(paths))
    texts = every[:: max(1, len(every) // PASSAGES)]
    with tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder:
        parts = (speed(texts), closeness(texts), memory(Path(folder)), questions(Path(folder)))
        return "\n".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", nargs="+", type=Path, default=USUAL_TEXTS, metavar="FILE")
    parser.add_argument("--scifact", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    print(run(asked.texts), flush=True)
    if asked.scifact:
        print(scifact(asked.scifact))
