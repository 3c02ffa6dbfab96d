"""``python -m benchmarks.foreign_questions --data FOLDER``: what libraries find of questions that they do not answer.

Each public set's library is asked 200 questions of the other sets, as many of each: whatever it finds is found falsely.
Questions that the library may answer after all are left out: those with all words that tell in one paragraph of
it. Its own questions are asked, too: what finds nothing there is missed. ``--half`` takes every other question, to
tune on one half and report on the other.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from platformdirs import user_cache_path

from benchmarks.measuring import EMBEDDED, table
from benchmarks.retrieval_quality_parts.evaluation_sets import HALVES, READERS, EvaluationSet
from benchmarks.retrieval_quality_parts.products import HYBRID, Cut, IndexedSet, Search, indexed
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.retrieval.function_words import is_function_word

SETS = ("chroma", "scifact", "cranfield", "xquad-en", "codebase")
FOREIGN = 200
SCIFACT_QUESTIONS, SCIFACT_DOCUMENTS = 200, 800  # embedding all 5,183 takes long
_WORD = re.compile(r"[^\W_]{2,}")
_STEM = 5  # characters that forms of a word share


def read(folder: Path, name: str) -> EvaluationSet:
    """A set, of SciFact a part."""
    data = READERS[name](folder)
    return data.sampled(SCIFACT_QUESTIONS, SCIFACT_DOCUMENTS) if name == "scifact" else data


def foreign_questions(name: str, sets: Mapping[str, EvaluationSet]) -> list[str]:
    """Questions of the other sets that no paragraph of this one answers by its words, in turn of each set."""
    paragraphs = [words for text in sets[name].documents.values() for words in _paragraphs(text)]
    holding: dict[str, set[int]] = {}
    for place, words in enumerate(paragraphs):
        for word in words:
            holding.setdefault(word, set()).add(place)
    asked: list[str] = []
    others = [other for other in sets if other != name]
    for place, other in enumerate(others):
        wanted = FOREIGN * (place + 1) // len(others) - len(asked)
        foreign = [one.text for one in sets[other].questions if not _answered(one.text, holding)]
        count = min(wanted, len(foreign))
        asked += [foreign[int(n * len(foreign) / count)] for n in range(count)]
    return asked


def _paragraphs(text: str) -> Iterator[set[str]]:
    for paragraph in re.split(r"\n\s*\n", text):
        yield set(_stems(paragraph))


def _stems(text: str) -> Iterable[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return (word[:_STEM] for word in words if not is_function_word(word))


def _answered(question: str, holding: Mapping[str, set[int]]) -> bool:
    held = [holding.get(word, set()) for word in set(_stems(question))]
    return not held or bool(set.intersection(*held))


def _row(library: IndexedSet, asked: str, questions: Sequence[str]) -> tuple[object, ...]:
    found = library.results(questions, Search(HYBRID, {}))
    something = [len(result.chunks) for result in found if result.chunks]
    return asked, len(questions), len(something), sum(something) / len(questions)


def measure(name: str, sets: Mapping[str, EvaluationSet], library: IndexedSet, half: str) -> str:
    """The table of one library, which holds the documents of the set."""
    own = [one.text for one in sets[name].half(half).questions]
    rows = [
        _row(library, "its own", own),
        _row(library, "foreign", foreign_questions(name, sets)[HALVES[half]]),
    ]
    return table(name, ("questions", "asked", "that find something", "passages each"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.foreign_questions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder with the public evaluation sets")
    add("--sets", nargs="+", choices=SETS, default=SETS, help="libraries to ask")
    add("--half", choices=HALVES, default="all", help="which of the questions to ask")
    add("--cache", type=Path, default=user_cache_path("webrag-benchmarks"), help="vectors")
    arguments = parser.parse_args()
    embedder = KeptVectors(open_embedder(resolve(EMBEDDED), EMBEDDED), arguments.cache)
    sets = {name: read(arguments.data, name) for name in SETS}
    for name in arguments.sets:
        with indexed(sets[name], Cut(ChunkTargets().child_tokens, header=True), embedder) as library:
            print(measure(name, sets, library, arguments.half), flush=True)


if __name__ == "__main__":
    main()
