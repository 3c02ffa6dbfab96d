"""``python -m benchmarks.answers --data FOLDER``: which sentences an answer rests on, and that it quotes rightly.

Questions of a public set are answered by a real small model (SmolLM2 135M on llama.cpp's server, installed into an
environment of its own below ``--cache``) at temperature 1, through ``library.answer`` as users get it. Every quotation
of every answer is looked up in the stored text at its offsets. What the answers point at is compared with the excerpts
that the questions were written from: by retrieval alone (as many of its best sentences), as the model pointed, and as
it stands after the check. Each reply of the model is kept, so that a run goes on where it was ended, and only what is
asked otherwise is asked again; the exit status is 1 where one quotation does not stand, or the sentences of the answers
are worse than as many of retrieval's best by more than noise.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from benchmarks.answers_parts.asking import Answered, Asking, answered
from benchmarks.answers_parts.kept_replies import KeptReplies
from benchmarks.answers_parts.small_model import NAME, small_model
from benchmarks.measuring import table
from benchmarks.retrieval_quality_parts.evaluation_sets import READERS, EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.metrics import Difference, Scores, recall
from benchmarks.retrieval_quality_parts.reading_order import Place, original_offsets
from webrag_desktop import Library, open_library
from webrag_desktop.library.chat_model import open_chat_model

QUESTIONS = 100
WAYS = ("retrieval", "model", "both")
HALF = 0.5  # of a sentence in the excerpts: it is one of them


def answers_of(data: EvaluationSet, asking: Asking) -> Iterator[Answered]:
    """Every question's answer; what the model replied in an earlier run it is not asked again."""
    for number, question in enumerate(data.questions, start=1):
        yield answered(asking, question.text)
        print(f"{number} of {len(data.questions)}", file=sys.stderr, flush=True)


def _asking(library: Library, data: EvaluationSet, kept: Path, context: int) -> Asking:
    """The library, with every text's file and where its characters stand there."""
    model = open_chat_model(library.settings)
    assert model is not None
    texts, places = {}, {}
    for row in library.documents.all():
        text = library.documents.text(row.id)
        assert text is not None
        name = text.source_url.rsplit("/", 1)[-1]
        texts[text.id] = text.markdown
        places[text.id] = Place(name, original_offsets(text.markdown, data.documents[name]))
    return Asking(library, KeptReplies(model, kept), texts, places, context)


def choice_table(data: EvaluationSet, found: Sequence[Answered]) -> str:
    """Precision and recall of the sentences chosen, by way."""
    scores = {way: _scores(data.questions, [one.chosen(way) for one in found]) for way in WAYS}
    rows: list[tuple[object, ...]] = [
        (_TITLES[way], *(f"{values.mean():.1f}" for values in scores[way]), _count(found, way))
        for way in WAYS
    ]
    above = above_retrieval(data, found)
    rows.append(
        (
            "both, above as many of retrieval's best",
            *(f"{one.mean:+.1f} ({one.low:+.1f} to {one.high:+.1f}), {one.verdict}" for one in above),
            "",
        )
    )
    title = f"{data.name}: which sentences are pointed at, {len(found)} questions, {NAME}"
    return table(title, ("by", "precision, %", "recall, %", "sentences a question"), rows)


def above_retrieval(data: EvaluationSet, found: Sequence[Answered]) -> tuple[Difference, Difference]:
    """By how much the sentences of the answers are above as many of retrieval's best: precision and recall, in %."""
    answers = _scores(data.questions, [one.both for one in found])
    alike = _scores(data.questions, [one.leading(len(one.both)) for one in found])
    precision, recalled = (Difference.between(*both) for both in zip(answers, alike, strict=True))
    return precision, recalled


_TITLES = {"retrieval": "retrieval alone (the extract)", "model": "the model", "both": "both: the answer"}


def _scores(questions: Sequence[Question], chosen: Sequence[Sequence[Piece]]) -> tuple[Scores, Scores]:
    pairs = list(zip(questions, chosen, strict=True))
    precision = [_precision(pieces, question.answers) for question, pieces in pairs]
    return 100 * np.array(precision), 100 * np.array(
        [recall(pieces, question.answers) for question, pieces in pairs]
    )


def _precision(pieces: Sequence[Piece], answers: Sequence[Piece]) -> float:
    right = [one for one in pieces if recall(answers, [one]) >= HALF]
    return len(right) / len(pieces) if pieces else 0.0


def _count(found: Sequence[Answered], way: str) -> str:
    return f"{np.mean([len(one.chosen(way)) for one in found]):.1f}"


def quotation_table(found: Sequence[Answered]) -> str:
    """How the answers came out, and whether their quotations stand."""
    outcomes = {
        name: sum(one.outcome == name for one in found) for name in sorted({o.outcome for o in found})
    }
    support = {
        name: sum(one.support.count(name) for one in found)
        for name in ("supported", "doubtful", "unsupported")
    }
    rows = [
        *((f"answers {name}", count) for name, count in outcomes.items()),
        *((f"claims {name}", count) for name, count in support.items()),
        ("quotations printed", sum(one.quotations for one in found)),
        ("of these outside the stored text", sum(one.outside for one in found)),
    ]
    return table("What was printed", ("", "count"), rows)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the public evaluation sets")
    parser.add_argument("--set", choices=sorted(READERS), default="chroma")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--context", type=int, default=2048, help="tokens that the model reads and writes")
    parser.add_argument("--cache", type=Path, default=user_cache_path("webrag-benchmarks", appauthor=False))
    parser.add_argument("--again", action="store_true", help="forget the replies of earlier runs")
    return parser.parse_args()


def main() -> int:
    """Answer, print the tables, and tell by the exit status whether every quotation and the choice of them stands."""
    arguments = _arguments()
    data = READERS[arguments.set](arguments.data).sampled(arguments.questions)
    kept = arguments.cache / f"answers-{data.name}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if arguments.again:
        kept.unlink(missing_ok=True)
    with small_model(arguments.cache, arguments.context) as server:
        library = open_library(
            arguments.cache / f"answers-{data.name}",
            EMBEDDING_BACKEND="embedded",
            CHAT_BASE_URL=server,
            CHAT_MODEL=NAME,
            CHAT_TEMPERATURE=1.0,
            CHAT_REPLY_TOKENS=200,
            CHAT_TIMEOUT=600,
        )
        with library:
            _fill(library, data, arguments.cache / f"{data.name}-files")
            found = list(answers_of(data, _asking(library, data, kept, arguments.context)))
    print(choice_table(data, found))
    print(quotation_table(found))
    is_worse = any(one.verdict == "worse" for one in above_retrieval(data, found))
    return 1 if is_worse or any(one.outside for one in found) else 0


def _fill(library: Library, data: EvaluationSet, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in data.documents.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    library.add([str(folder / name) for name in data.documents])
    library.wait()


if __name__ == "__main__":
    sys.exit(main())
