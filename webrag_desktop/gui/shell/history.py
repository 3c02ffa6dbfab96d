"""Where the user has been, for going back and forward."""

from dataclasses import dataclass
from typing import Literal

from webrag_desktop.gui.data.view_data import SpanReference

View = Literal["library", "research", "map"]
LONGEST = 100


@dataclass(frozen=True, slots=True)
class Visit:
    """A view, what its reader showed, and whether the reader had the whole view."""

    view: View
    span: SpanReference | None = None
    full: bool = False


class History:
    """A walk through visits, as in a browser: a new visit forgets what lay ahead."""

    def __init__(self, start: Visit) -> None:
        """Begin at ``start``."""
        self._visits = [start]
        self._index = 0

    @property
    def current(self) -> Visit:
        """The visit that is shown."""
        return self._visits[self._index]

    @property
    def can_go_back(self) -> bool:
        """Whether there is something behind."""
        return self._index > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether there is something ahead."""
        return self._index + 1 < len(self._visits)

    def visit(self, place: Visit) -> None:
        """Go somewhere new."""
        if place == self.current:
            return
        self._visits = [*self._visits[: self._index + 1], place][-LONGEST:]
        self._index = len(self._visits) - 1

    def amend(self, place: Visit) -> None:
        """Replace the present visit: walking through passages is one visit, not one each."""
        self._visits[self._index] = place

    def back(self) -> Visit:
        """Go one visit back; stays where it is at the beginning."""
        self._index = max(0, self._index - 1)
        return self.current

    def forward(self) -> Visit:
        """Go one visit forward; stays where it is at the end."""
        self._index = min(len(self._visits) - 1, self._index + 1)
        return self.current
