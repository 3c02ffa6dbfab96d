"""The dialog that shows a page as it looked, and says what of it is absent."""

import importlib.util
import os
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget

from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.quantities import file_size, long_time, number
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import Panel, column, dialog_foot
from webrag_desktop.models.subresources import KeptSubresources, PageLook
from webrag_desktop.text.links import is_web

if TYPE_CHECKING:
    from webrag_desktop.gui.reader.page_engine import PageView

_SIZE = (1040, 760)
_MOST_REASONS = 3
EXTRA = "page-view"


def engine_problem() -> str:
    """Why pages cannot be drawn here; empty where they can."""
    if importlib.util.find_spec("PySide6.QtWebEngineWidgets") is None:
        return _tr("Qt's web engine is not installed: pip install “webrag-desktop[{0}]” brings it.").format(
            EXTRA
        )
    is_root = getattr(os, "geteuid", lambda: 1)() == 0
    if is_root and not os.environ.get("QTWEBENGINE_DISABLE_SANDBOX"):
        return _tr("Pages are drawn in a sandbox, which the administrator's account (root) does not have.")
    return ""


class PageLookDialog(QDialog):
    """Stands beside the window. ``fetch_requested`` has the document whose page is to be fetched with its files."""

    fetch_requested = Signal(object)  # UUID
    browser_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Wait for a page."""
        super().__init__(parent)
        self.setModal(False)
        self.setWindowTitle(self.tr("The page as it looked"))
        self.look: PageLook | None = None
        self.document_id: UUID | None = None
        self.view: PageView | None = None
        self._title = ElidedLabel("", "title", "text", SEMIBOLD)
        self.summary = Label("", "body", "text2", figures=True, wrap=True)
        self.state = EmptyState("file-text", "", "")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.state)
        self.fetch_button = push_button(self.tr("Fetch again with images and styles"), icon="download")
        self.fetch_button.clicked.connect(self._fetch)
        self.browser_button = push_button(self.tr("Open in browser"), "quiet", "external-link")
        self.browser_button.clicked.connect(self._browse)
        self.close_button = push_button(self.tr("Close"))
        self.close_button.clicked.connect(self.reject)
        for button in (self.fetch_button, self.browser_button, self.close_button):
            button.setAutoDefault(False)
        self._lay_out()
        self.resize(*map(grown, _SIZE))

    def _lay_out(self) -> None:
        head = Panel("raised", bottom_line=True)
        lines = column(head, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_M), SPACE_S)
        lines.addWidget(self._title)
        lines.addWidget(self.summary)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(self._pages, 1)
        leading = [self.fetch_button, self.browser_button]
        whole.addWidget(dialog_foot(self.close_button, leading=leading))

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_waiting(self, document_id: UUID) -> None:
        """Say that the page of a document is being read."""
        self.look, self.document_id = None, document_id
        self._title.setText(self.tr("The page as it looked"))
        self.summary.setText("")
        self._say(self.tr("Reading the page…"), "")
        self._enable()

    def show_failure(self, failure: Failure) -> None:
        """Say why there is no page to show."""
        self.look = None
        self._say(failure.message, failure.hint)
        self._enable()

    def show_look(self, look: PageLook) -> None:
        """Show a page."""
        self.look, self.document_id = look, look.document_id
        self._title.setText(look.title or look.address)
        self.summary.setText(summary_words(look))
        self.setAccessibleName(f"{self.windowTitle()}: {look.title or look.address}")
        self.setAccessibleDescription(self.summary.text())
        self._enable()
        if problem := engine_problem():
            self._say(self.tr("This page cannot be drawn here"), problem)
            return
        view = self._made_view()
        view.show_look(look)
        self._pages.setCurrentWidget(view)
        view.setFocus()

    def _made_view(self) -> "PageView":
        if self.view is None:
            from webrag_desktop.gui.reader.page_engine import PageView

            self.view = PageView(self)
            self.view.setAccessibleName(self.windowTitle())
            self.view.link_followed.connect(self.browser_requested)
            self._pages.addWidget(self.view)
        return self.view

    def _say(self, title: str, hint: str) -> None:
        self.state.show_state("file-text", title, hint)
        self._pages.setCurrentWidget(self.state)

    def _enable(self) -> None:
        kept = self.look.summary if self.look else None
        is_file = self.look is not None and not is_web(self.look.address)
        self.fetch_button.setEnabled(
            self.document_id is not None and not is_file and not (kept and kept.is_open)
        )
        self.browser_button.setEnabled(self.look is not None)

    # -- What is wanted ---------------------------------------------------------------------------------------

    def _fetch(self) -> None:
        if self.document_id is not None:
            self.fetch_button.setEnabled(False)
            self.fetch_requested.emit(self.document_id)

    def _browse(self) -> None:
        if self.look is not None:
            self.browser_requested.emit(self.look.address)


def summary_words(look: PageLook) -> str:
    """When a page was fetched, how many of its files are kept, and why others are not."""
    fetched = _tr("Fetched: {0}.").format(long_time(look.fetched_at))
    kept = look.summary
    if not is_web(look.address):
        return _tr(
            "It was added as a file: of its images and styles, only those in the file itself are shown."
        )
    if kept is None:
        nothing = _tr(
            "Its images and styles are not kept, so it is shown plain. Fetching it again keeps them."
        )
        return f"{fetched} {nothing}"
    return " ".join(filter(None, (fetched, _kept_words(kept), _absent_words(kept), _rest_words(kept))))


def _kept_words(kept: KeptSubresources) -> str:
    if not kept.referred:
        return "" if kept.is_open else _tr("It has no images and styles.")
    if kept.kept == kept.referred:
        words = _tr("All {0} images, styles and fonts are kept ({1}).")
        return words.format(kept.kept, file_size(kept.kept_bytes))
    words = _tr("{0} of {1} images, styles and fonts are kept ({2}).")
    return words.format(kept.kept, kept.referred, file_size(kept.kept_bytes))


def _absent_words(kept: KeptSubresources) -> str:
    reasons = list(kept.reasons().items())
    parts = [
        (_tr("1 is absent: {1}.") if count == 1 else _tr("{0} are absent: {1}.")).format(
            number(count), reason
        )
        for reason, count in reasons[:_MOST_REASONS]
    ]
    rest = sum(count for _reason, count in reasons[_MOST_REASONS:])
    return " ".join([*parts, *([_tr("{0} are absent for other reasons.").format(rest)] if rest else [])])


def _rest_words(kept: KeptSubresources) -> str:
    if kept.is_open:
        return _tr("More are still being fetched.")
    return f"{kept.left_out_reason}." if kept.left_out_reason and not kept.left_out else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("PageLookDialog", text)
