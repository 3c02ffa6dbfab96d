"""What keys and menus ask of the reader."""

from typing import Protocol

from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.reader.links import ReaderLinks


class ReaderCommands(Protocol):
    """The reader, as those see it that have it do something."""

    links: ReaderLinks  # in what is read, and to it

    @property
    def is_full(self) -> bool:
        """Whether this is the full reader."""

    @property
    def has_original(self) -> bool:
        """Whether what is read came from a page that the browser can open."""

    def isAncestorOf(self, child: QWidget, /) -> bool:
        """Whether a widget is a part of it."""

    def open_find(self) -> None:
        """Open the find bar."""

    def next_match(self) -> None:
        """Go to the next match."""

    def previous_match(self) -> None:
        """Go back to the match before."""

    def cite_selection(self) -> None:
        """Ask for a citation of what is selected."""

    def ask_about_selection(self) -> None:
        """Have a question be about what is selected alone."""

    def toggle_outline(self) -> None:
        """Show or hide the outline."""

    def escape(self) -> bool:
        """Close what is open; False where nothing is."""

    def set_zoom(self, steps: int) -> None:
        """Show the text larger or smaller by so many pixels."""

    def zoom_by(self, steps: int) -> None:
        """Show the text larger or smaller than now."""

    def open_original(self) -> None:
        """Ask for the page that is read."""
