"""In words: how often a document is looked at by itself, and what happened to it."""

from datetime import timedelta
from typing import Final

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.versions import NEVER, HistoryEntry
from webrag_desktop.gui.kit.quantities import again_at, file_size, number

DAY: Final = timedelta(days=1)
WEEK: Final = timedelta(weeks=1)
MONTH: Final = timedelta(days=30)
CHOICES: Final = (NEVER, DAY, WEEK, MONTH)


def every_words(every: timedelta | None) -> str:
    """How often, as a choice: ``Never``, ``Every week``; what was set elsewhere is told exactly."""
    usual = {DAY: _tr("Every day"), WEEK: _tr("Every week"), MONTH: _tr("Every month")}
    if not every:
        return _tr("Never")
    if every in usual:
        return usual[every]
    hours = every // timedelta(hours=1)
    if hours % 24 == 0:
        return _tr("Every {0} days").format(number(hours // 24))
    return _tr("Every hour") if hours == 1 else _tr("Every {0} hours").format(number(hours))


def every_sentence(every: timedelta | None, *, of_library: bool) -> str:
    """What was chosen, as a sentence."""
    often = every_words(every).lower()
    if of_library:
        return (
            _tr("Your documents are checked {0}.").format(often)
            if every
            else _tr("Your documents are not checked by themselves.")
        )
    if every is None:
        return _tr("This document is checked as often as the others.")
    return (
        _tr("This document is checked {0}.").format(often)
        if every
        else _tr("This document is not checked by itself.")
    )


def event_words(entry: HistoryEntry) -> str:
    """What happened, in a sentence or two."""
    size, count = entry.size or 0, number(entry.number or 0)
    words = {
        "added": _tr("Added to the library"),
        "given": _tr("Added again"),
        "retried": _tr("Tried again"),
        "refreshed": _tr("Checked for changes"),
        "reread": _tr("The kept copy was read again"),
        "joined": _tr("Joined with a page that turned out to be the same"),
        "repaired": _tr("Mended"),
        "captured": _tr("Copy {0} came in, {1}").format(count, file_size(size)),
        "text": _tr("Version {0} of the text, {1} characters").format(count, number(size)),
        "ready": _tr("Ready"),
        "unchanged": _tr("As it was; nothing changed"),
        "failed": _tr("Failed"),
        "cancelled": _tr("You stopped it"),
        "waiting": _tr("Waits, {0}").format(again_at(entry.until)) if entry.until else _tr("Waits"),
    }[entry.kind]
    reason = f"{words}: {entry.reason}" if entry.reason else words
    return f"{reason} {entry.hint}".rstrip() if entry.hint else reason


def _tr(text: str) -> str:
    return QCoreApplication.translate("Schedule", text)
