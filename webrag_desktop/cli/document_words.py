"""A document in words: its name, its state, its labels. Every list needs them, and nothing of what draws progress."""

from collections.abc import Iterator

from webrag_desktop.cli.output import one_line
from webrag_desktop.cli.times import waiting_words
from webrag_desktop.models.sources import Labels, SourceRow
from webrag_desktop.progress import FINAL_STATES


def state_words(source: SourceRow) -> str:
    """The state in words, with the share where it is known (``embedding 40 %``), or until when it waits."""
    if source.waits_until is not None:
        return waiting_words(source.waits_until, source.waits_for)
    if source.state == "fetching" and source.state_reason:
        return source.state_reason.lower()
    if source.is_incomplete:
        return "ready in part"
    share = share_done(source)
    return source.state if share is None else f"{source.state} {share:.0%}".replace("%", " %")


def name_of(source: SourceRow) -> str:
    """The title, or the address while there is none, on one line."""
    return one_line(source.title or source.source_url or source.url)


def share_done(source: SourceRow) -> float | None:
    """How much of the present state's work is done, from 0 to 1; None where that is not known."""
    if source.state in FINAL_STATES or not source.progress_total:
        return None
    return min(1.0, (source.progress_done or 0) / source.progress_total)


def labelled(labels: Labels) -> Iterator[tuple[str, str]]:
    """Its tags and collections, each with what it is called."""
    if labels.tags:
        yield "tags", ", ".join(labels.tags)
    if labels.collections:
        yield "in", ", ".join(labels.collections)
