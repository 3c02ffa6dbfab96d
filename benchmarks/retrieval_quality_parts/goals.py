"""What is wanted of every set: never behind the usual ways to search over the same children, and some figures."""

from collections.abc import Mapping

from benchmarks.measuring import table
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet
from benchmarks.retrieval_quality_parts.metrics import Difference, Scores
from benchmarks.retrieval_quality_parts.same_children import SHORT_NAMES

JUDGED = ("nDCG@10", "Recall@100", "R@2000c", "R@4000c", "R@8000c")
# By set and metric, in percent, with the embedded model of new libraries.
GOALS: Mapping[tuple[str, str], float] = {
    ("chroma", "R@2000c"): 84.0,
    ("chroma", "R@4000c"): 91.5,
    ("chroma", "R@8000c"): 97.0,
    ("scifact", "nDCG@10"): 76.0,
}


def goal_table(
    data: EvaluationSet, ours: Mapping[str, Scores], usual: Mapping[str, Mapping[str, Scores]]
) -> str:
    """By metric: ours, the best of the usual ways, the goal, and what sets ours apart from that best, with interval."""
    rows = [
        (metric, f"{ours[metric].mean():.1f}", *_against(metric, ours, usual), _goal(data.name, metric))
        for metric in JUDGED
        if metric in ours
    ]
    head = ("metric", "ours", "best of the usual", "difference", "95 % interval", "", "goal")
    return table(
        f"{data.name}: {len(data.questions)} questions, over the same children and vectors", head, rows
    )


def _against(
    metric: str, ours: Mapping[str, Scores], usual: Mapping[str, Mapping[str, Scores]]
) -> tuple[str, str, str, str]:
    best = max(usual, key=lambda name: float(usual[name][metric].mean()))
    rival = usual[best][metric]
    apart = Difference.between(ours[metric], rival)
    return (
        f"{rival.mean():.1f} ({SHORT_NAMES[best]})",
        f"{apart.mean:+.1f}",
        f"{apart.low:+.1f} to {apart.high:+.1f}",
        apart.verdict,
    )


def _goal(name: str, metric: str) -> str:
    wanted = GOALS.get((name, metric))
    return "not behind" if wanted is None else f"{wanted:.1f}"
