"""``python -m benchmarks.reranking --data FOLDER``: what judging the best passages again brings, and what it costs.

A real chat model on llama.cpp's server (installed into an environment of its own below ``--cache``, on one thread)
judges the best twelve passages of each question, as ``retrieve()`` hands them to a reranker. ``alone`` is what the
model says when it is asked once; ``checked`` is what users get: asked twice in both orders, weighed against the search,
given up where it contradicts itself. Every reply is kept with the time it took, so that a run goes on where it ended.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from benchmarks.answers_parts.kept_replies import KeptJudgements
from benchmarks.answers_parts.small_model import MODELS, PackagedModel, served
from benchmarks.measuring import EMBEDDED, table
from benchmarks.reranking_parts.judged import Judged, judged
from benchmarks.retrieval_quality_parts.evaluation_sets import READERS, EvaluationSet
from benchmarks.retrieval_quality_parts.metrics import Difference
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from webrag_desktop.answering.chat.client import chat_address
from webrag_desktop.answering.chat.models import OpenAiChatModel
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.library.reranking import judging_by
from webrag_desktop.retrieval.contracts.judgements import Reranker
from webrag_desktop.retrieval.contracts.rerank_options import Judging, RerankConfig
from webrag_desktop.retrieval.reranking.listwise import LISTWISE
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.ordering import reranked
from webrag_desktop.servers.chat import ChatModel

CANDIDATES = 12
SETS = ("chroma", "scifact", "codebase", "cranfield")
_PATIENCE = 3600.0  # seconds; what is measured is how long it takes


def _config(judging: Judging) -> RerankConfig:
    return RerankConfig("judge", CANDIDATES, judging=judging, seconds=_PATIENCE)


WAYS: dict[str, Callable[[ChatModel], Reranker]] = {
    "listwise, alone": lambda chat: LlmReranker(chat, _config("listwise"), form=LISTWISE),
    "listwise, checked": lambda chat: judging_by(chat, _config("listwise")),
    "pairwise, checked": lambda chat: judging_by(chat, _config("pairwise")),
    "rubric, alone": lambda chat: LlmReranker(chat, _config("rubric")),
    "rubric, checked": lambda chat: judging_by(chat, _config("rubric")),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of each question: its score, what it took, and why it was left as it was, if it was."""

    scores: Sequence[float]
    seconds: Sequence[float]
    tokens: Sequence[int]
    fallbacks: Sequence[str | None]


def outcome(asked: Sequence[Judged], task: str, reranker: Reranker, chat: KeptJudgements) -> Outcome:
    """Every question, judged by one reranker as in one session."""
    scores: list[float] = []
    seconds: list[float] = []
    tokens: list[int] = []
    fallbacks: list[str | None] = []
    for number, one in enumerate(asked, start=1):
        before, read = chat.seconds, chat.tokens
        found = reranked(one.question.text, one.candidates, reranker, CANDIDATES)
        scores.append(one.score(found.order, task))
        seconds.append(chat.seconds - before)
        tokens.append(chat.tokens - read)
        fallbacks.append(found.report.fallback)
        print(f"{number} of {len(asked)}, {seconds[-1]:.0f} s", file=sys.stderr, flush=True)
    return Outcome(scores, seconds, tokens, fallbacks)


def row(
    data: EvaluationSet, asked: Sequence[Judged], model: str, way: str, found: Outcome
) -> tuple[str, ...]:
    """What the model brings on this set."""
    plain = [one.score([c.chunk_id for c in one.candidates], data.task) for one in asked]
    apart = Difference.between(np.array(found.scores), np.array(plain))
    seconds = float(np.mean(found.seconds))
    believed = sum(one is None for one in found.fallbacks)
    given_up = sum("any more" in (one or "") for one in found.fallbacks)
    return (
        f"{data.name}, {'nDCG@10' if data.task == 'documents' else 'MRR'}, {len(asked)} questions",
        f"{model}, {way}",
        f"{np.mean(plain):.1f}",
        f"{np.mean(found.scores):.1f}",
        f"{apart.mean:+.1f} ({apart.low:+.1f} to {apart.high:+.1f}, {apart.verdict})",
        f"{believed} of {len(asked) - given_up}",
        f"{np.mean(found.tokens):.0f}",
        f"{seconds:.1f}",
        f"{apart.mean / seconds:+.2f}" if seconds else "",
    )


HEAD = (
    "set",
    "judge",
    "search",
    "judged",
    "difference, 95 %",
    "believed, of those asked",
    "tokens read a question",
    "s a question",
    "points a second",
)


@contextmanager
def chats(model: PackagedModel, cache: Path, context: int) -> Iterator[Callable[[str], KeptJudgements]]:
    """A chat model for each set, whose replies are kept in a file of that set."""
    with served(model, cache, context, threads=1) as address:
        chat = OpenAiChatModel(chat_address(address), model.name)
        yield lambda name: KeptJudgements(chat, _folder(cache) / f"{model.name}-{name}.jsonl", context)


def _folder(cache: Path) -> Path:
    folder = cache / "reranking"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> None:
    """Judge, and print a row for each set and way as soon as it is known, then the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reranking", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the public evaluation sets")
    parser.add_argument("--sets", nargs="+", choices=sorted(READERS), default=SETS)
    parser.add_argument("--models", nargs="+", choices=sorted(MODELS), default=sorted(MODELS))
    parser.add_argument("--ways", nargs="+", choices=sorted(WAYS), default=list(WAYS)[:3])
    parser.add_argument("--questions", type=int, default=24, help="of each set, evenly spread")
    parser.add_argument("--context", type=int, default=4096, help="tokens that the model reads and writes")
    parser.add_argument("--cache", type=Path, default=user_cache_path("webrag-benchmarks", appauthor=False))
    arguments = parser.parse_args()
    embedder = KeptVectors(open_embedder(resolve(EMBEDDED), EMBEDDED), arguments.cache)
    sets = {}
    for name in arguments.sets:
        data = READERS[name](arguments.data).sampled(arguments.questions)
        kept = _folder(arguments.cache) / f"candidates-{name}-{arguments.questions}.json"
        sets[name] = data, judged(data, embedder, CANDIDATES, kept)
    embedder.close()
    rows = []
    for model in map(MODELS.__getitem__, arguments.models):
        with chats(model, arguments.cache, arguments.context) as chat_for:
            for data, asked in sets.values():
                for way in arguments.ways:
                    chat = chat_for(data.name)
                    found = outcome(asked, data.task, WAYS[way](chat), chat)
                    rows.append(row(data, asked, model.title, way, found))
                    print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print(table(f"The best {CANDIDATES} passages judged again", HEAD, rows))


if __name__ == "__main__":
    main()
