"""Thousands of real documentation pages through extraction and chunking: none may be lost without a reason.

``python -m benchmarks.debian_pages fetch FOLDER [--mirror URL]`` fetches Debian's documentation packages and unpacks
their pages; ``run FOLDER --pages N`` draws N of them evenly over the packages, with a fixed seed, and reads them all.
The exit status of ``run`` is 1 when a page is lost: by an error that is no message to the user, by a refusal although
the page shows words, or by offsets that do not hold.
"""

import argparse
import random
import sys
from pathlib import Path

from benchmarks.extraction_parts.costs import peak_memory
from benchmarks.extraction_parts.debian_packages import PAGES, fetch_packages
from benchmarks.extraction_parts.gold import SEED, evenly, page_address
from benchmarks.extraction_parts.page_checks import Tally, check_page
from benchmarks.measuring import EMBEDDED, table
from webrag_desktop.embedding.factory import open_tokenizer, resolve
from webrag_desktop.indexing.corpus_space import chunking_options
from webrag_desktop.indexing.options import ChunkTargets

_SHOWN_FAULTS = 50


def sample(folder: Path, pages: int, seed: int = SEED) -> list[Path]:
    """``pages`` pages below ``folder``, drawn in turn from the folders right below it; always the same ones."""
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in PAGES and path.is_file() and not path.is_symlink()
    )
    random.Random(seed).shuffle(paths)
    return evenly(paths, folder, pages)


def run(folder: Path, pages: int) -> Tally:
    """Extract and chunk the sample with the code and the chunk sizes that users get."""
    model = resolve(EMBEDDED)
    tokenizer = open_tokenizer(model.tokenizer)
    options = chunking_options(ChunkTargets(), model, tokenizer)
    tally = Tally()
    for path in sample(folder, pages):
        body = path.read_bytes()
        tally.add(
            path.relative_to(folder).as_posix(),
            len(body),
            check_page(body, page_address(path, folder), tokenizer, options),
        )
        if tally.pages % 500 == 0:
            print(f"{tally.pages} pages, {len(tally.faults)} lost", file=sys.stderr, flush=True)
    return tally


def report(tally: Tally) -> str:
    """Figures, refusals by their message, and each page that was lost."""
    megabytes = tally.bytes / 1e6
    memory = peak_memory()
    figures = [
        ("pages / MB of HTML", f"{tally.pages:,} / {megabytes:,.0f}"),
        (
            "ready / refused with a reason / lost",
            f"{tally.ready:,} / {_refused(tally):,} / {len(tally.faults):,}",
        ),
        ("characters of markdown / chunks", f"{tally.characters:,} / {tally.chunks:,}"),
        ("extraction, pages/s / MB/s of CPU", _speed(tally.pages, megabytes, tally.extracting)),
        ("chunking, pages/s / MB/s of CPU", _speed(tally.pages, megabytes, tally.chunking)),
        ("slowest page", f"{tally.slowest[0]:.2f} s, {tally.slowest[1]}"),
        ("peak memory, MB", f"{memory:,.0f}"),
    ]
    parts = [table("Debian's documentation pages", ("", ""), figures)]
    if tally.refusals:
        parts.append(table("Refused", ("message", "pages"), tally.refusals.most_common()))
    if tally.faults:
        parts.append(table("Lost", ("page", "what happened"), tally.faults[:_SHOWN_FAULTS]))
    return "\n".join(parts)


def _refused(tally: Tally) -> int:
    return tally.pages - tally.ready - len(tally.faults)


def _speed(pages: int, megabytes: float, seconds: float) -> str:
    return f"{pages / seconds:,.0f} / {megabytes / seconds:,.1f}" if seconds else "not measured"


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.debian_pages", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("fetch", help="fetch the packages and unpack their pages")
    fetch.add_argument("folder", type=Path)
    fetch.add_argument("--mirror", help="address of a Debian archive; without it, apt-get of this computer")
    fetch.add_argument("--pages", type=int, help="list the pages that run would draw, in pages.txt")
    check = commands.add_parser("run", help="extract and chunk pages of the folder")
    check.add_argument("folder", type=Path)
    check.add_argument("--pages", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.command == "fetch":
        return _fetch(arguments.folder, arguments.mirror, arguments.pages)
    tally = run(arguments.folder, arguments.pages)
    print(report(tally))
    return 1 if tally.faults or not tally.pages else 0


def _fetch(folder: Path, mirror: str | None, pages: int | None) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for name, outcome in fetch_packages(folder, mirror):
        print(f"{name}: {outcome}", flush=True)
    drawn = sample(folder, pages or sys.maxsize)
    if pages:
        listing = "\n".join(path.relative_to(folder).as_posix() for path in drawn)
        (folder / "pages.txt").write_text(listing + "\n", encoding="utf-8")
    print(f"{len(drawn):,} pages")
    return 0 if drawn else 1


if __name__ == "__main__":
    sys.exit(main())
