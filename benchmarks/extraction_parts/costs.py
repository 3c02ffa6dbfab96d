"""What extraction costs: CPU time side by side in one process, peak memory in a process of its own."""

import multiprocessing
import resource
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.extraction_parts.extractors import EXTRACTORS, Extractor, read_page
from benchmarks.extraction_parts.gold import GoldPage


@dataclass(frozen=True)
class Cost:
    """Medians over rounds. ``pages`` and ``megabytes`` are per CPU second.

    ``memory`` is the peak in MB above what the process holds with everything loaded.
    """

    pages: float
    megabytes: float
    memory: float


def costs(extractors: Sequence[Extractor], pages: Sequence[GoldPage], rounds: int) -> dict[str, Cost]:
    """Every extractor over all pages in each round, so that a busy machine slows all of them alike."""
    seconds: dict[str, list[float]] = {extractor.name: [] for extractor in extractors}
    for extractor in extractors:
        _work(extractor, pages[:5])  # imports and compiled patterns do not count
    for _ in range(rounds):
        for extractor in extractors:
            begun = time.process_time()
            _work(extractor, pages)
            seconds[extractor.name].append(time.process_time() - begun)
    size = sum(len(page.html) for page in pages) / 1e6
    found = {}
    for name, times in seconds.items():
        median = max(1e-9, statistics.median(times))
        found[name] = Cost(len(pages) / median, size / median, _peak_memory(name, pages))
    return found


def _work(extractor: Extractor, pages: Sequence[GoldPage]) -> None:
    for page in pages:
        try:
            extractor.work(page.html, page.url)
        except Exception:  # noqa: BLE001  failures are counted where texts are compared
            continue


def _peak_memory(name: str, pages: Sequence[GoldPage]) -> float:
    work = [(page.html, page.url) for page in pages]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_memory_of, (name, work))


def _memory_of(name: str, work: list[tuple[bytes, str]]) -> float:
    """Runs in a process of its own."""
    extractor = next(one for one in EXTRACTORS if one.name == name)
    _work(extractor, [GoldPage("", url, body, "") for body, url in work[:1]])
    before = peak_memory()
    for body, url in work:
        read_page(extractor, body, url)
    return peak_memory() - before


def peak_memory() -> float:
    """The most memory this process ever held, in MB. (What getrusage tells includes the parent's on Linux.)"""
    status = Path("/proc/self/status")
    if status.is_file():
        held = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(held.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
