"""Leaving the window: pages in the browser, the user's own files and folders. Nothing else is ever opened."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from webrag_desktop.gui.data.view_data import Failure


def _owns_nothing(_address: str) -> bool:
    return False


class Browsing(QObject):
    """Opens addresses with the system. Stored pages are hostile: what they link to is opened only if it is http(s)."""

    failed = Signal(object)  # Failure

    def __init__(
        self,
        open_url: Callable[[QUrl], bool] = QDesktopServices.openUrl,
        owns_file: Callable[[str], bool] = _owns_nothing,
        parent: QObject | None = None,
    ) -> None:
        """``open_url`` does it; ``owns_file`` says which file addresses are documents of the user's."""
        super().__init__(parent)
        self._open_url = open_url
        self._owns_file = owns_file

    def open(self, address: str) -> bool:
        """Open a page, or a file that is one of the user's documents; returns whether the system took it."""
        url = QUrl(address)
        if _is_page(url) or (_is_local_file(url) and self._owns_file(address)):
            return self._open_with_system(url)
        self.failed.emit(
            Failure(
                self.tr("This address is not opened."),
                self.tr("Only addresses of web pages are; a page can link to anything on this computer."),
                address,
            )
        )
        return False

    def open_place(
        self, address: str, heading: str | None = None, anchor: str | None = None, quote: str | None = None
    ) -> bool:
        """Open a document at its own address, a page at the anchor nearest to the quote, scrolled to it."""
        url = QUrl(address)
        if _is_local_file(url):
            return self._open_with_system(url)
        if not _is_page(url):
            return self.open(address)
        from webrag_desktop.text.links import build_url  # with what the core imports, not before

        place = build_url(address, heading, anchor=anchor, text=quote)
        return self._open_with_system(QUrl.fromEncoded(place.encode()))

    def open_folder(self, path: str) -> bool:
        """Open a folder; of a file, its folder."""
        there = Path(path)
        folder = there if there.is_dir() else there.parent
        return self._open_with_system(QUrl.fromLocalFile(str(folder)))

    def _open_with_system(self, url: QUrl) -> bool:
        if self._open_url(url):
            return True
        self.failed.emit(
            Failure(
                self.tr("The system could not open this."),
                self.tr("Copy the address and open it where you want it."),
                url.toDisplayString(),
            )
        )
        return False


def _is_page(url: QUrl) -> bool:
    return url.isValid() and url.scheme() in {"http", "https"} and bool(url.host())


def _is_local_file(url: QUrl) -> bool:
    return url.isLocalFile() and url.host() in {"", "localhost"}
