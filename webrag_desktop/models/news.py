"""What changes in a library, as it is told to whoever follows it."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from webrag_desktop.errors import WebragError
from webrag_desktop.progress import SourceState

Topic = Literal["queue", "citations", "space"]
StateNews = SourceState | Literal["removed"]


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """A source reached a state, or was removed; ``done`` of ``total`` units within the state where known."""

    source_id: UUID
    state: StateNews
    done: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class TopicChanged:
    """``queue``: it was paused or resumed, or a move of the library begun, paused, resumed or cancelled; ``citations``:
    they, or the texts they quote, changed; ``space``: a move of the library came on, or waits.
    """

    topic: Topic


News = SourceChanged | TopicChanged


@dataclass(frozen=True, slots=True)
class LibraryNews:
    """What happened since the last news, the newest of each source; ``queue``, ``citations`` and ``space`` (a move of
    the library) want a fresh look.

    ``failure`` is why no worker can be kept at the queue at present: the same error in all news until that changes.
    """

    changed: tuple[SourceChanged, ...] = ()
    queue: bool = False
    citations: bool = False
    failure: WebragError | None = None
    space: bool = False
