"""``python -m benchmarks.retrieval_quality --data FOLDER``: what searching finds, beside other systems.

Public evaluation sets go through the whole pipeline (reading, chunking, the embedded model, PostgreSQL,
``retrieve()``); other systems answer the same questions in the same run with vectors of the same model. They are
installed into an environment of their own below ``--cache``, where all vectors are kept too, so that a second run
embeds nothing. The usual ways to search are measured over the very children and vectors that we store, and what sets us
apart from the best of them is shown beside the goal.

A result is read in the product's own order (``retrieval/contracts/reading.py``). R@Bc is the share of the answer's
characters among the first B characters read; at five, whole parent chunks count. Beside it stands whether our BM25
ranks as bm25s does over the same lexemes. With ``--packs``, context packs of equal length are measured instead, with
and without what stands around the passages.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from platformdirs import user_cache_path

from benchmarks.environments import EnvironmentMissing, environment
from benchmarks.measuring import EMBEDDED, table
from benchmarks.retrieval_quality_parts.context_packs import pack_table
from benchmarks.retrieval_quality_parts.documentation_sets import READERS as DOCUMENTATION
from benchmarks.retrieval_quality_parts.evaluation_sets import HALVES, READERS, EvaluationSet
from benchmarks.retrieval_quality_parts.goals import goal_table
from benchmarks.retrieval_quality_parts.metrics import Difference, Scores, scores
from benchmarks.retrieval_quality_parts.peers import (
    ABSENT,
    REQUIREMENTS,
    TITLES,
    Peers,
    PeersMissing,
    peers,
    usual_peers,
)
from benchmarks.retrieval_quality_parts.products import (
    HYBRID,
    Cut,
    IndexedSet,
    Search,
    arms_of,
    indexed,
    parsed_options,
)
from benchmarks.retrieval_quality_parts.same_children import usual_rankings
from benchmarks.retrieval_quality_parts.same_words import same_words
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer, resolve
from webrag_desktop.indexing.options import ChunkTargets

SystemScores = Mapping[str, Scores]
_COMPARED = ("nDCG@10", "Recall@100", "R@2000c", "R@4000c", "R@8000c")


@dataclass(frozen=True, slots=True)
class Variants:
    """Which of our own ways of cutting and asking are measured; the first of each is compared with the peers."""

    cuts: tuple[Cut, ...]
    searches: tuple[Search, ...]


def run(
    data: EvaluationSet, variants: Variants, embedder: Embedder, others: Peers | None, systems: Sequence[str]
) -> str:
    """All systems on one set."""
    ours, usual, agreement = _ours(data, variants, embedder, others)
    theirs, absent = _theirs(data, others, systems)
    metrics = list(next(iter(ours.values())))
    rows = [(name, *_means(found, metrics)) for name, found in (ours | usual | theirs).items()]
    title = f"{data.name}: {len(data.documents)} documents, {len(data.questions)} questions"
    missing = "".join(f"\nAbsent: {name} ({why}).\n" for name, why in absent.items())
    found = table(title, ("system", *metrics), rows) + missing
    goals = goal_table(data, ours[_name(variants.cuts[0], variants.searches[0])], usual)
    return "\n".join((found, goals, _comparison(data, variants, ours, theirs) + agreement))


def _ours(
    data: EvaluationSet, variants: Variants, embedder: Embedder, others: Peers | None
) -> tuple[dict[str, SystemScores], dict[str, SystemScores], str]:
    """What we find; what the usual ways find over the children of the first cut; how far bm25s agrees with us there."""
    found: dict[str, SystemScores] = {}
    usual: dict[str, SystemScores] = {}
    agreements = []
    for cut in variants.cuts:
        with indexed(data, cut, embedder) as asked:
            for search in (variants.searches[0], *arms_of(variants.searches[0]), *variants.searches[1:]):
                found[_name(cut, search)] = scores(data, asked.rankings(data, search))
            if cut == variants.cuts[0]:
                usual = {name: scores(data, ranked) for name, ranked in usual_rankings(data, asked).items()}
            if cut == variants.cuts[0] and others is not None:
                agreements.append(_agreement(data, asked, others))
    return found, usual, "".join(agreements)


def _agreement(data: EvaluationSet, ours: IndexedSet, others: Peers) -> str:
    try:
        return "\n" + same_words(data, ours, others)
    except PeersMissing as missing:
        return f"\nOur BM25 is not compared with bm25s ({missing}).\n"


def _name(cut: Cut, search: Search) -> str:
    return f"WebRAG, {cut}, {search}"


def _theirs(
    data: EvaluationSet, others: Peers | None, systems: Sequence[str]
) -> tuple[dict[str, SystemScores], dict[str, str]]:
    found: dict[str, SystemScores] = {}
    absent = dict(ABSENT)
    for system in systems:
        if others is None:
            absent[TITLES[system]] = "its environment could not be made"
            continue
        try:
            found[TITLES[system]] = scores(data, others.rankings(system, data))
        except PeersMissing as missing:
            absent[TITLES[system]] = str(missing)
    return found, absent


def _means(found: SystemScores, metrics: Sequence[str]) -> list[str]:
    return [f"{found[metric].mean():.1f}" for metric in metrics]


def _comparison(
    data: EvaluationSet,
    variants: Variants,
    ours: Mapping[str, SystemScores],
    theirs: Mapping[str, SystemScores],
) -> str:
    """The first variant against the better of its arms and the best peer, question by question."""
    hybrid = variants.searches[0]
    first = _name(variants.cuts[0], hybrid)
    arms = {search.arms: ours[_name(variants.cuts[0], search)] for search in arms_of(hybrid)}
    rows = [
        (metric, name, f"{found.mean:+.1f}", f"{found.low:+.1f} to {found.high:+.1f}", found.verdict)
        for metric in _COMPARED
        if metric in ours[first]
        for rivals in (arms, theirs)
        if rivals
        for name, found in [_against_best(metric, ours[first], rivals)]
    ]
    head = ("metric", "against", "difference", "95 % interval", "")
    return table(f"{data.name}: {first}, paired bootstrap", head, rows)


def _against_best(
    metric: str, one: SystemScores, rivals: Mapping[str, SystemScores]
) -> tuple[str, Difference]:
    best = max(rivals, key=lambda name: float(rivals[name][metric].mean()))
    return best, Difference.between(one[metric], rivals[best][metric])


def models_compared(data: EvaluationSet, variants: Variants, one: Embedder, other: Embedder) -> str:
    """Two embedded models on one set, each library cut by its model's own tokenizer; question by question."""
    cut, hybrid = variants.cuts[0], variants.searches[0]
    searches = (hybrid, arms_of(hybrid)[0], *variants.searches[1:])
    found: list[list[SystemScores]] = []
    for embedder in (one, other):
        with indexed(data, cut, embedder) as asked:
            found.append([scores(data, asked.rankings(data, search)) for search in searches])
    rows = [
        (
            str(search),
            metric,
            f"{ours[metric].mean():.1f}",
            f"{theirs[metric].mean():.1f}",
            *_apart(ours, theirs, metric),
        )
        for search, ours, theirs in zip(searches, *found, strict=True)
        for metric in ours
    ]
    head = ("search", "metric", one.model.model, other.model.model, "difference", "95 % interval", "")
    title = f"{data.name}: {len(data.documents)} documents, {len(data.questions)} questions, {cut}, paired bootstrap"
    return table(title, head, rows)


def _apart(one: SystemScores, other: SystemScores, metric: str) -> tuple[str, str, str]:
    found = Difference.between(one[metric], other[metric])
    return f"{found.mean:+.1f}", f"{found.low:+.1f} to {found.high:+.1f}", found.verdict


def _arguments() -> argparse.Namespace:
    default = ChunkTargets().child_tokens
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.retrieval_quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        required=True,
        help="folder with chroma/, scifact/, xquad/, cranfield/ and codebase/",
    )
    add("--model", help="the embedded model, or a form of one (default: that of new libraries)")
    add("--against", help="another embedded model to compare it with, instead of other systems")
    add("--sets", nargs="+", choices=[*READERS, *DOCUMENTATION], default=[*READERS, *DOCUMENTATION])
    add("--pages", type=Path, help="Debian's documentation packages (default: fetched below the cache)")
    add(
        "--peers",
        nargs="*",
        choices=TITLES,
        help="other systems (default: those that fit the set; none: no names)",
    )
    add(
        "--peers-python",
        type=Path,
        help="interpreter that has the peers' packages, instead of an own environment",
    )
    add("--sample", type=int, help="ask so many of each set's questions, evenly spread")
    add("--half", choices=HALVES, default="all", help="which half to ask: tune on one, report the other")
    add("--documents", type=int, help="search so many of each set's documents, those that answer among them")
    add(
        "--cache",
        type=Path,
        default=user_cache_path("webrag-benchmarks"),
        help="vectors and the peers' environment",
    )
    add("--child-tokens", nargs="+", type=int, default=[default], help="sizes of child chunks")
    add(
        "--header",
        nargs="+",
        choices=("on", "off"),
        default=["on"],
        help="title and headings before embedding",
    )
    add("--packs", action="store_true", help="measure context packs, with and without what stands around")
    add(
        "--options",
        nargs="+",
        type=parsed_options,
        default=[{}],
        help="options of retrieval for each variant, such as vector_weight=.4,similarity_floor=0; "
        "'' stands for the defaults",
    )
    return parser.parse_args()


def _run_all(arguments: argparse.Namespace, embedder: Embedder, others: Peers | None) -> None:
    variants = Variants(
        tuple(
            Cut(size, header == "on") for size, header in product(arguments.child_tokens, arguments.header)
        ),
        tuple(Search(HYBRID, options) for options in arguments.options),
    )
    for name in arguments.sets:
        data = _read(name, arguments).sampled(arguments.sample, arguments.documents).half(arguments.half)
        systems = usual_peers(data) if arguments.peers is None else arguments.peers
        if arguments.packs:
            with indexed(data, variants.cuts[0], embedder) as asked:
                print(pack_table(data, asked), flush=True)
        elif arguments.against is not None:
            rival = _embedder(arguments.against, arguments.cache)
            print(models_compared(data, variants, embedder, rival), flush=True)
        else:
            print(run(data, variants, embedder, others, systems), flush=True)


def _read(name: str, arguments: argparse.Namespace) -> EvaluationSet:
    if name in DOCUMENTATION:
        return DOCUMENTATION[name](arguments.pages or arguments.cache / "debian")
    return READERS[name](arguments.data)


def _embedder(name: str | None, cache: Path) -> KeptVectors:
    options = replace(EMBEDDED, model=name)
    return KeptVectors(open_embedder(resolve(options), options), cache)


def main() -> None:
    arguments = _arguments()
    embedder = _embedder(arguments.model, arguments.cache)
    if arguments.peers == [] or arguments.against is not None:
        _run_all(arguments, embedder, None)
        return
    try:
        python = arguments.peers_python or environment(arguments.cache / "peers", REQUIREMENTS)
    except EnvironmentMissing as missing:
        print(f"{missing}\n")
        _run_all(arguments, embedder, None)
        return
    with peers(python, embedder, open_tokenizer(embedder.model.tokenizer)) as others:
        _run_all(arguments, embedder, others)


if __name__ == "__main__":
    main()
