"""What parents and neighbours are worth in a context pack: the answers' characters in packs of equal length."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.measuring import table
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.metrics import BUDGETS, Difference, Scores, recall, within
from benchmarks.retrieval_quality_parts.products import HYBRID, IndexedSet, Search
from benchmarks.retrieval_quality_parts.reading_order import Place, ranking
from webrag_desktop.retrieval.context.packing import assembled, best_first
from webrag_desktop.retrieval.context.surroundings import Surroundings
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ContextPack
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.storage.searching.items import load_neighbours

_ALONE = ContextOptions(neighbor_same_page=0, neighbor_cross_page=0, include_parents=False)
PACKS: Mapping[str, ContextOptions] = {
    "as it is by default": ContextOptions(),
    "what matched alone": _ALONE,
    "with parents": replace(_ALONE, include_parents=True),
    "with siblings": replace(_ALONE, neighbor_same_page=1),
    "with siblings across pages": replace(_ALONE, neighbor_same_page=1, neighbor_cross_page=2),
}
Found = tuple[Question, RetrievalResult, Surroundings]
BARE = "no pack: the result in the order it is read, without markers"
LONGER = (*BUDGETS, 16000, 32000)


class Characters:
    """Counts characters, markers and separators included."""

    name = "characters"

    def count(self, text: str) -> int:
        return len(text)


def pack_table(data: EvaluationSet, asked: IndexedSet) -> str:
    """Recall of every kind of pack at every length, and what sets it apart from what matched alone."""
    answers = _found(data, asked)
    found = {name: _scores(answers, asked.places, options) for name, options in PACKS.items()}
    found[BARE] = _as_read(answers, asked.places)
    plain = found["what matched alone"]
    rows = [
        (name, *(_cell(scores[budget], plain[budget], alone=scores is plain) for budget in LONGER))
        for name, scores in found.items()
    ]
    title = f"{data.name}: context packs, share of the answers in so many characters, markers included"
    return table(title, ("pack", *(f"{budget}" for budget in LONGER)), rows)


def _cell(scores: Scores, plain: Scores, *, alone: bool) -> str:
    if alone:
        return f"{scores.mean():.1f}"
    apart = Difference.between(scores, plain)
    return f"{scores.mean():.1f} ({apart.low:+.1f} to {apart.high:+.1f})"


def _scores(
    answers: Sequence[Found], places: Mapping[str, Place], options: ContextOptions
) -> dict[int, Scores]:
    """By length, one value per judged question, in percent."""
    values: dict[int, list[float]] = {budget: [] for budget in LONGER}
    for question, result, around in answers:
        for budget in LONGER:
            sized = replace(options, final_max_tokens=budget)
            pack = assembled(result, question.text, around, tokenizer=Characters(), options=sized)
            values[budget].append(100 * recall(_pieces(pack, places), question.answers))
    return {budget: np.array(found) for budget, found in values.items()}


def _as_read(answers: Sequence[Found], places: Mapping[str, Place]) -> dict[int, Scores]:
    """The same for the sentences of a result alone, best first: no order of passages, no markers."""
    read = [(ranking(result, places).pieces, question.answers) for question, result, _ in answers]
    return {
        budget: np.array([100 * recall(within(pieces, budget), wanted) for pieces, wanted in read])
        for budget in LONGER
    }


def _found(data: EvaluationSet, asked: IndexedSet) -> list[Found]:
    """What is found for every judged question, and all that any pack takes around it."""
    judged = [question for question in data.questions if question.answers]
    results = asked.results([question.text for question in judged], Search(HYBRID, {}))
    return [
        (question, result, _around(asked, result)) for question, result in zip(judged, results, strict=True)
    ]


def _around(asked: IndexedSet, result: RetrievalResult) -> Surroundings:
    most = ContextOptions()
    best = best_first(result.chunks)[: most.return_top_n]
    with asked.database.connection() as conn:
        return Surroundings(
            load_neighbours(conn, [(one.chunk_id, one.version_id) for one in best], most.reach)
        )


def _pieces(pack: ContextPack, places: Mapping[str, Place]) -> Sequence[Piece]:
    return [
        places[chunk.source_url].piece(span.char_start, span.char_end)
        for chunk in pack.chunks
        for span in chunk.spans
    ]
