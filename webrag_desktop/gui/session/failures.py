"""Converts errors and news of the core to what the window shows."""

import re
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from webrag_desktop import DataFolder
from webrag_desktop.errors import WebragError
from webrag_desktop.gui.data.view_data import DocumentNews, Failure

if TYPE_CHECKING:
    from webrag_desktop.models.queue import LibraryNews


# Whatever a driver or library may quote of an address or a header that is nobody's business.
_SECRETS = (
    # Headers with a secret that has blanks in it: to the end of the line.
    re.compile(r"(?i)\b(?:authorization|(?:set-)?cookie2?)\b['\"]?\s*[=:]\s*(?P<value>[^\r\n]+)"),
    re.compile(r"(?i)\bapi[-_ ]?key\b[^\r\n:=]{0,40}[:=]\s*(?P<value>[^\s,;&'\"(){}\[\]]+)"),
    re.compile(r"(?<=://)[^\s/@'\"]*:[^\s/'\"]*(?=@)"),
    re.compile(r"(?i)(?<=\bbearer )[^\s'\",;]+"),
    re.compile(r"\b(?:(?:sk|hf|gsk|ghp)[-_]|AIza)[A-Za-z0-9_-]{8,}"),
    re.compile(
        r"(?i)\b(?:[\w-]*password|passwd|pwd|[\w-]*api[-_]?key|[\w-]*token|[\w-]*secret)\b['\"]?\s*[=:]\s*"
        r"(?P<value>'[^']*'|\"[^\"]*\"|[^\s,;&'\")}]+)"
    ),
)
HIDDEN = "•••"


def failure_of(error: BaseException) -> Failure:
    """What happened and what to do, for the user; for a developer, the errors behind it, without secrets."""
    if isinstance(error, WebragError):
        said = DataFolder.in_words(error.message), DataFolder.in_words(error.hint)
        return Failure(*said, without_secrets(_causes(error)))
    return Failure(
        _tr("Something went wrong in the program itself. What is stored is safe."),
        _tr("Try again. If it happens again, logs/window.log in the data folder helps to find out why."),
        without_secrets("".join(traceback.format_exception(error)).rstrip()),
    )


def without_secrets(text: str) -> str:
    """The text with passwords, keys and tokens blotted out."""
    for pattern in _SECRETS:
        text = pattern.sub(_blot, text)
    return text


def _blot(found: re.Match[str]) -> str:
    if not found.groupdict().get("value"):
        return HIDDEN
    return found[0][: found.start("value") - found.start()] + HIDDEN


def _causes(error: WebragError) -> str:
    """The errors that led to this one, the nearest first; an error that says it all has none."""
    lines = [f"{type(error).__name__}: {error.message}"]
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    while cause is not None and len(lines) < 8:
        lines.append(f"{type(cause).__qualname__}: {str(cause).strip()}")
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "\n".join(lines)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Failures", text)


def document_news(news: "LibraryNews") -> tuple[DocumentNews, ...]:
    """What changed, each document once, with its latest event."""
    latest = {event.source_id: event for event in news.changed}
    return tuple(
        DocumentNews(
            event.source_id, None if event.state == "removed" else event.state, event.done, event.total
        )
        for event in latest.values()
    )
