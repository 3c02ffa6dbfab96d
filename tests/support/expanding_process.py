"""A process that expands a library and may be killed: ``python -m tests.support.expanding_process HOME QUESTION N``.

It goes on with the one run that is unfinished, or begins one, follows every link that it is offered, and prints the
type of each event as it comes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from webrag_desktop import open_library
from webrag_desktop.expansion.contracts import CandidateLink
from webrag_desktop.expansion.options import ExpansionLimits


def all_new(links: Sequence[CandidateLink]) -> list[str]:
    """The addresses of all links to pages that the library lacks."""
    return [link.url for link in links if not link.known]


def main() -> None:
    """Expand to the end."""
    home, question, pages = sys.argv[1:]
    with open_library(Path(home)) as library:
        unfinished = library.expansions.all(unfinished=True)
        limits = ExpansionLimits(pages=int(pages), depth=10, seconds=3600.0, bytes=10**9)
        events = (
            library.expansions.resume(unfinished[0].id, choose=all_new)
            if unfinished
            else library.expand(question, limits, choose=all_new)
        )
        for event in events:
            sys.stdout.write(f"{event.type}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
