"""Questions that were asked, and searches with a name: plain, frozen data."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters


@dataclass(frozen=True, slots=True)
class PastSearch:
    """A question with what it was restricted to."""

    id: UUID
    question: str
    filters: ChosenFilters = NO_FILTERS


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search with a name; ``new`` is how many new documents it finds, None while that is not known."""

    id: UUID
    name: str
    question: str
    filters: ChosenFilters = NO_FILTERS
    new: int | None = None


@dataclass(frozen=True, slots=True)
class LastQuestion:
    """What the window was asked when it was closed: the words, as far as typed, and whether they were searched for."""

    question: str = ""
    filters: ChosenFilters = NO_FILTERS
    asked: bool = False
    passage: UUID | None = None  # that was selected


NO_QUESTION: Final = LastQuestion()
