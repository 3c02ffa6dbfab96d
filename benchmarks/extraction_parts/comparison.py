"""Every extractor over a gold set: text scores and structure kept, as Markdown tables."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.extraction_parts.costs import Cost
from benchmarks.extraction_parts.extractors import OURS, Extractor, Reading, read_page
from benchmarks.extraction_parts.gold import GoldPage
from benchmarks.extraction_parts.html_reading import shown_words
from benchmarks.extraction_parts.scoring import Overlap, f1_intervals, overlap, score, words
from benchmarks.extraction_parts.structure import Kept, Structure, compare, lost
from benchmarks.measuring import table

_SHOWN = 5  # lost headings and code blocks of a page
_TINY = 0.1  # of the words that a page shows outside links


@dataclass
class Result:
    """One extractor over some pages."""

    shingles: list[Overlap] = field(default_factory=list)
    words: list[Overlap] = field(default_factory=list)
    kept: tuple[Kept, Kept, Kept] = (Kept(), Kept(), Kept())
    failures: int = 0
    tiny: list[str] = field(default_factory=list)  # pages whose text is a small part of what they show

    def add(self, page: GoldPage, reading: Reading) -> None:
        """Count a page; one that an extractor fails on counts as an empty text."""
        self.shingles.append(overlap(page.text, reading.text))
        self.words.append(overlap(page.text, reading.text, 1))
        self.failures += bool(reading.failure)
        if len(words(reading.text)) < _TINY * shown_words(page.html, links=False):
            self.tiny.append(page.name)
        if page.structure is not None:
            headings, code, tables = compare(page.structure, reading.structure)
            before = self.kept
            self.kept = (before[0] + headings, before[1] + code, before[2] + tables)


@dataclass(frozen=True)
class Comparison:
    """Results by extractor; ours also by builder, and our worst pages."""

    results: dict[str, Result]
    builders: dict[str, Result]
    worst: list[tuple[float, GoldPage, Reading]]


def compare_all(extractors: Sequence[Extractor], pages: Sequence[GoldPage]) -> Comparison:
    """Read every page with every extractor."""
    results = {extractor.name: Result() for extractor in extractors}
    builders: dict[str, Result] = defaultdict(Result)
    ours: list[tuple[float, GoldPage, Reading]] = []
    for page in pages:
        for extractor in extractors:
            reading = read_page(extractor, page.html, page.url)
            results[extractor.name].add(page, reading)
            if extractor.name == OURS:
                builders[page.builder].add(page, reading)
                ours.append((results[OURS].shingles[-1].f1, page, reading))
    ours.sort(key=lambda item: (item[0], item[1].name))
    return Comparison(results, dict(builders), ours)


def comparison_table(
    title: str, extractors: Sequence[Extractor], found: Comparison, cost: dict[str, Cost]
) -> str:
    """Ours beside its peers; speeds also as ratios to ours."""
    rows = []
    for extractor in extractors:
        result, spent = found.results[extractor.name], cost[extractor.name]
        shingles = found.results[OURS].shingles
        own, behind = f1_intervals(shingles, result.shingles)
        rows.append((
            extractor.title,
            *_scores(result),
            f"{own[0]:.3f} to {own[1]:.3f}",
            "–" if extractor.name == OURS else f"{behind[0]:+.3f} to {behind[1]:+.3f}",
            *_shares(result, known=extractor.structure is not None),
            f"{spent.pages:,.0f}",
            f"{spent.megabytes:.1f} ({cost[OURS].megabytes / spent.megabytes:.1f} ×)",
            f"{spent.memory:,.0f}",
            result.failures,
            len(result.tiny),
        ))  # fmt: skip
    head = (
        "extractor", "F1", "precision", "recall", "word F1", "F1, 95 %", "ours above it, 95 %", "headings", "code",
        "tables", "pages/s", "MB/s of CPU (ours against it)", "MB above start", "failed",
        "under a tenth",
    )  # fmt: skip
    return table(title, head, rows)


def builder_table(title: str, found: Comparison) -> str:
    """Ours by builder."""
    rows = [
        (name or "other", len(result.shingles), *_scores(result), *_shares(result, known=True))
        for name, result in sorted(found.builders.items())
    ]
    head = ("builder", "pages", "F1", "precision", "recall", "word F1", "headings", "code", "tables")
    return table(title, head, rows)


def worst_pages(found: Comparison, count: int) -> str:
    """Our lowest scores, with what was not kept."""
    lines = []
    for f1, page, reading in found.worst[:count]:
        scores = overlap(page.text, reading.text)
        lines.append(f"- {f1:.3f} (precision {scores.precision:.3f}, recall {scores.recall:.3f}) {page.name}")
        if reading.failure:
            lines.append(f"  - failed: {reading.failure}")
        gone = lost(page.structure or Structure(), reading.structure)[:_SHOWN]
        lines += [f"  - {' '.join(what.split())}" for what in gone]
    return "\n".join(lines) + "\n"


def _scores(result: Result) -> tuple[str, ...]:
    shingles, single = score(result.shingles), score(result.words)
    return tuple(f"{value:.4f}" for value in (shingles.f1, shingles.precision, shingles.recall, single.f1))


def _shares(result: Result, *, known: bool) -> tuple[str, ...]:
    return tuple(
        f"{kept.share:.3f} of {kept.of:,}" if known and kept.share is not None else "–"
        for kept in result.kept
    )
