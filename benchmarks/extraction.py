"""Extraction against gold texts: ours beside trafilatura, readability-lxml and resiliparse, in one run.

``python -m benchmarks.extraction --gold FOLDER`` takes the public article extraction benchmark's layout
(``ground-truth.json`` with ``html/ID.html.gz``), that of reader modes' test pages (``NAME/source.html`` with
``NAME/expected.html``), or ``NAME.html`` with ``NAME.md`` or ``NAME.txt`` beside it; "under a tenth" counts pages of
which an extractor gives less than a tenth of the words that they show outside menus and links;
``--pages FOLDER`` takes any folder of pages whose builders are known, such as the one that
``python -m benchmarks.debian_pages fetch`` fills, and reads the gold text from the builder's content container with
another parser. ``--sources FOLDER`` looks for the paragraphs of Sphinx's own sources (``_sources/*.rst.txt``), which
no rule about HTML has touched. ``--metadata FOLDER`` compares authors, sites and dates with what a folder in the layout
of a reader-mode test suite expects (``NAME/source.html`` with ``NAME/expected-metadata.json``). The peers come with
``pip install -e .[benchmarks]``.
"""

import argparse
import logging
import random
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.extraction_parts.comparison import (
    builder_table,
    compare_all,
    comparison_table,
    worst_pages,
)
from benchmarks.extraction_parts.costs import costs
from benchmarks.extraction_parts.extractors import EXTRACTORS, OURS, Extractor, read_page
from benchmarks.extraction_parts.gold import SEED, GoldPage, evenly, page_address, read_gold, read_known
from benchmarks.extraction_parts.metadata import measure_metadata, read_expected
from benchmarks.extraction_parts.rst_sources import kept_paragraphs, sources
from benchmarks.measuring import table

_PAGES = 600  # 20 of each builder
_SOURCES = 300  # pages


def measure(title: str, pages: Sequence[GoldPage], *, rounds: int, worst: int, peers: bool = True) -> str:
    """Tables for one gold set."""
    extractors = _installed(peers=peers)
    found = compare_all(extractors, pages)
    spent = costs(extractors, pages, rounds)
    size = sum(len(page.html) for page in pages) / 1e6
    parts = [comparison_table(f"{title}: {len(pages):,} pages, {size:,.1f} MB", extractors, found, spent)]
    if len(found.builders) > 1:
        parts.append(builder_table("Ours, by builder", found))
    if worst:
        parts.append("### Our lowest scores\n\n" + worst_pages(found, worst))
    return "\n".join(parts)


def measure_sources(title: str, folder: Path, limit: int) -> str:
    """Which share of the paragraphs that Sphinx's sources hold every extractor keeps, word for word."""
    found = list(sources(folder))
    random.Random(SEED).shuffle(found)
    pages = {source.page: source for source in found}
    chosen = [pages[path] for path in evenly(list(pages), folder, limit)]
    rows = []
    for extractor in _installed():
        readings = (
            read_page(extractor, one.page.read_bytes(), page_address(one.page, folder)) for one in chosen
        )
        kept = sum(kept_paragraphs(one, reading.text) for one, reading in zip(chosen, readings, strict=True))
        rows.append((extractor.title, kept / max(1, sum(len(one.paragraphs) for one in chosen))))
    paragraphs = sum(len(one.paragraphs) for one in chosen)
    head = f"{title}: {paragraphs:,} paragraphs of the sources of {len(chosen):,} pages"
    return table(head, ("extractor", "kept word for word"), [(name, f"{share:.4f}") for name, share in rows])


def _installed(*, peers: bool = True) -> list[Extractor]:
    return [one for one in EXTRACTORS if one.name == OURS or (peers and find_spec(one.name))]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("--gold", type=Path, action="append", default=[], help="a gold set; may be repeated")
    parser.add_argument("--pages", type=Path, action="append", default=[], help="pages of known builders")
    parser.add_argument(
        "--sources", type=Path, action="append", default=[], help="pages with Sphinx's sources"
    )
    parser.add_argument(
        "--metadata", type=Path, action="append", default=[], help="pages with their expected metadata"
    )
    parser.add_argument("--limit", type=int, help="at most so many pages of each")
    parser.add_argument("--rounds", type=int, default=3, help="rounds that speeds are the medians of")
    parser.add_argument("--worst", type=int, default=0, help="list so many of our lowest scores")
    parser.add_argument("--no-peers", action="store_true", help="only our own extractor")
    arguments = parser.parse_args()
    if not (arguments.gold or arguments.pages or arguments.sources or arguments.metadata):
        parser.error("name a gold set with --gold, or a folder with --pages, --sources or --metadata")
    logging.disable(logging.WARNING)  # what the peers say of single pages
    sets = [(folder.name, read_gold(folder)[: arguments.limit]) for folder in arguments.gold]
    sets += [(folder.name, read_known(folder, arguments.limit or _PAGES)) for folder in arguments.pages]
    for title, pages in sets:
        options = {"rounds": arguments.rounds, "worst": arguments.worst, "peers": not arguments.no_peers}
        print(measure(title, pages, **options), flush=True)
    for folder in arguments.sources:
        print(measure_sources(folder.name, folder, arguments.limit or _SOURCES), flush=True)
    for folder in arguments.metadata:
        print(measure_metadata(folder.name, read_expected(folder)[: arguments.limit]), flush=True)


if __name__ == "__main__":
    main()
