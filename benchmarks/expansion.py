"""How many pages are fetched until the page that answers is in: links followed by worth, breadth first, and at random.

``python -m benchmarks.expansion FOLDER [--questions N] [--packages NAME…] [--mirror URL]`` fetches three documentation
packages of Debian into FOLDER and asks each questions that one page at least two links from its start page answers
(``expansion_parts/questions.py`` tells the rule). The library holds the start page alone, and each question is expanded
from there, a few links a round, until its page is in, whatever the judge of coverage says. The program's own loop,
search and scoring choose; only the worker is replaced: pages come from the folder, with vectors that are kept there.
Breadth first and random orders need no library: they are walked through the links that the program reads in the same
pages. The last column is an expansion as users get it: with the default limits, and ended by the judge of coverage or
where nothing is gained.

Every second pair of questions is held out from tuning; the tables are of these alone, unless ``--half tuning`` or
``all`` is wanted. The ways compared are the same for both.
"""

import argparse
import random
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from benchmarks.expansion_parts.kept_pages import KeptPages
from benchmarks.expansion_parts.questions import Question, held_out, questions
from benchmarks.expansion_parts.sites import Site, address_of
from benchmarks.extraction_parts.debian_packages import fetch_packages
from benchmarks.measuring import EMBEDDED, table
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from tests.support.pages import PageServer
from webrag_desktop import open_library
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.expansion.contracts import CandidateLink
from webrag_desktop.expansion.events import Ended, Visited
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.library.expansion.growing import GrowingLibrary
from webrag_desktop.library.expansion.loop import best_links
from webrag_desktop.library.expansion.loop import expanded as expand

PACKAGES = ("python3.11-doc", "postgresql-doc-15", "git-doc")
WITHIN = (20, 40, 100)  # pages
RANDOM_WALKS = 101
LIMITS = ExpansionLimits(pages=WITHIN[-1], depth=8, seconds=3600.0, bytes=10**10)
Half = Literal["held-out", "tuning", "all"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A question with the pages fetched until its page was in: one figure for each order, several for the random one.

    ``usual`` is None where an expansion with the default limits ended before.
    """

    question: Question
    worth: int | None
    breadth: int
    chance: tuple[int, ...]
    usual: int | None = None


def best(links: Sequence[CandidateLink]) -> list[str]:
    """What a run follows by itself, without its end where nothing is gained."""
    return [link.url for link in best_links(links)]


def fetched(library: KeptPages, question: Question, limits: ExpansionLimits = LIMITS) -> int | None:
    """How many pages an expansion fetches until the one that answers is in; None where it ends before."""
    library.begin()
    wanted, count = url_key(address_of(question.target)), 0
    choose = best if library.never_covered else None
    for event in expand(cast("GrowingLibrary", library), question.text, limits, choose, None):
        if isinstance(event, Visited):
            count += 1
            if url_key(event.url) == wanted:
                return count
        if isinstance(event, Ended) and event.run.reason == "failed":
            raise RuntimeError(event.run.problem)
    return None


def measured(library: KeptPages, asked: Sequence[Question], *, usual: bool = True) -> Iterator[Measured]:
    """Each question with its figures."""
    for question in asked:
        library.never_covered = False
        as_users_get_it = fetched(library, question, ExpansionLimits(seconds=3600.0)) if usual else None
        library.never_covered = True
        yield Measured(
            question,
            fetched(library, question),
            library.site.walked(question.target),
            tuple(library.site.walked(question.target, random.Random(walk)) for walk in range(RANDOM_WALKS)),
            as_users_get_it,
        )


@contextmanager
def kept_pages(folder: Path, name: str) -> Iterator[KeptPages]:
    """A library for the pages of a package."""
    vectors = KeptVectors(open_embedder(resolve(EMBEDDED), EMBEDDED), folder / "vectors")
    site = Site(folder / name, folder / f"{name}.site.json")
    with (
        PageServer() as proxy,
        open_library(folder / f"{name}.library", EMBEDDING_BACKEND="embedded") as library,
    ):
        yield KeptPages(library, site, vectors, proxy.url(""))
    vectors.close()


def of_half(asked: Sequence[Question], half: Half) -> list[Question]:
    """Those that tune, those that are held out, or all."""
    return [
        question
        for number, question in enumerate(asked)
        if half == "all" or held_out(number) is (half == "held-out")
    ]


def report(found: dict[str, list[Measured]]) -> str:
    """Medians and shares of each package as a table."""
    rows = []
    for name, of in found.items():
        worth = [one.worth if one.worth is not None else sys.maxsize for one in of]
        chance = [pages for one in of for pages in one.chance]
        orders = {"by worth": worth, "breadth first": [one.breadth for one in of], "at random": chance}
        rows += [(name, len(of), order, _median(pages), *_shares(pages)) for order, pages in orders.items()]
        usual = [one.usual if one.usual is not None else sys.maxsize for one in of]
        rows.append((name, len(of), "by worth, with default limits and ends", "", _shares(usual)[0], "", ""))
    head = ("package", "questions", "order", "pages, median", *(f"in within {most}, %" for most in WITHIN))
    return table("Pages fetched until the page that answers is in", head, rows)


def _median(pages: Sequence[int]) -> str:
    median = statistics.median_low(pages)
    return f"more than {WITHIN[-1]}" if median == sys.maxsize else f"{median:,}"


def _shares(pages: Sequence[int]) -> list[str]:
    return [f"{100 * sum(one <= most for one in pages) / len(pages):.0f}" for most in WITHIN]


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.expansion", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=40, help="of each package, both halves")
    parser.add_argument("--half", choices=["held-out", "tuning", "all"], default="held-out")
    parser.add_argument("--packages", nargs="+", default=PACKAGES, choices=PACKAGES)
    parser.add_argument("--mirror", help="address of a Debian archive; without it, apt-get of this computer")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, outcome in fetch_packages(arguments.folder, arguments.mirror, arguments.packages):
        print(f"{name}: {outcome}", file=sys.stderr, flush=True)
    found: dict[str, list[Measured]] = {}
    for name in arguments.packages:
        with kept_pages(arguments.folder, name) as library:
            asked = of_half(questions(library.site, arguments.questions), arguments.half)
            for one in measured(library, asked):
                found.setdefault(name, []).append(one)
                print(name, one.worth, one.usual, one.breadth, one.question, file=sys.stderr, flush=True)
    print(report(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
