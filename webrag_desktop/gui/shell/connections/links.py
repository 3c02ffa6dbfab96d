"""Links into the library, from wherever they come: other programs, a second start, the reader, the clipboard."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.models.cite_ids import CitedPlace, is_link


class LinkConnections(QObject):
    """A link leads to its place in the reader, or says why not; it can do nothing else."""

    place_wanted = Signal(object)  # SpanReference: the reader is to show it; of nothing for a whole text
    left = Signal(object)  # SpanReference: where the link stands that was clicked, to come back to

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._do = operations.reading
        self._clicked: SpanReference | None = None
        window.research.reader.links.requested.connect(self._follow)
        window.research.answer.text.link_followed.connect(self._do.open_link)
        self._do.place.connect(self._show)
        self._do.link_failed.connect(window.errors.report)

    def open_among(self, given: Sequence[str]) -> tuple[str, ...]:
        """Open the last link into the library of what was given; returns all that is none."""
        links = [one for one in given if is_link(one)]
        if links:
            self._follow(links[-1], None)
        return tuple(one for one in given if not is_link(one))

    def _follow(self, link: str, clicked: SpanReference | None) -> None:
        self._clicked = clicked
        self._do.open_link(link)

    def _show(self, place: CitedPlace) -> None:
        clicked, self._clicked = self._clicked, None
        if clicked is not None:
            self.left.emit(clicked)
        end = place.char_start if place.cite_id.char_start is None else place.char_end
        self.place_wanted.emit(SpanReference(place.document_id, place.version_id, place.char_start, end))
