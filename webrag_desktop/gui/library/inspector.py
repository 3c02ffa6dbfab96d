"""The inspector: what the selected document is good for already, how far it is, and facts about it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from webrag_desktop.gui.data.library import DocumentDetails, DocumentLinks
from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.shortcuts import with_key
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import HEADING_LINE, QUOTE_LINE, SEMIBOLD
from webrag_desktop.gui.kit.theme.tokens import INSPECTOR_WIDTH, SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label, SelectableText
from webrag_desktop.gui.kit.widgets.panes import NONE, Margins, Panel, column, row
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.document_actions import DocumentActions, can_be_read, can_be_retried
from webrag_desktop.gui.library.inspector_facts import fact_list
from webrag_desktop.gui.library.inspector_links import LinksSection
from webrag_desktop.gui.library.inspector_parts import (
    Facts,
    LinkLine,
    Notice,
    StepLine,
    caption,
    gap,
    is_checked_again,
    openable,
    steps_of,
)
from webrag_desktop.gui.library.inspector_versions import VersionsSection
from webrag_desktop.text.links import is_web

if TYPE_CHECKING:
    from webrag_desktop.gui.data.texts import DocumentTexts


_INSET, _LINK_EDGE, _KIND_LEAST = 20, 3, 72
_BESIDE_LINKS = (_LINK_EDGE, 0, 0, 0)  # a link button's words begin that far inside it


class Inspector(QScrollArea):
    """Shows one document, or what can be done with several. Its buttons are the list's actions."""

    def __init__(self, actions: DocumentActions, parent: QWidget | None = None) -> None:
        """``actions`` are those of the list whose selection this shows."""
        super().__init__(parent)
        self._actions = actions
        self._shown: tuple[int, DocumentRow | None, str] | None = None
        self._row: DocumentRow | None = None
        self._details: DocumentDetails | None = None
        self._texts: DocumentTexts | None = None
        self._links: DocumentLinks | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("surface", "surface")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Details"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._make_parts()
        self._lay_out()
        self.show_selection(0, None)

    def _make_parts(self) -> None:
        self._title = SelectableText(self.tr("Title"), "title", "text", SEMIBOLD, line_ratio=HEADING_LINE)
        self._site = push_button("", "link")
        self._site.clicked.connect(self._actions.browse.trigger)
        self._folder = ElidedLabel("", "body", "text2", elide=Qt.TextElideMode.ElideMiddle)
        self._kind = ElidedLabel("", "body", "text3", figures=True)
        self._notice = Notice()
        self._retry = push_button(self.tr("Retry"), icon="rotate-cw")
        self._retry.clicked.connect(self._actions.retry.trigger)
        self._restore = push_button(self._actions.restore.text(), "mini", "undo-2")
        self._restore.clicked.connect(self._actions.restore.trigger)
        self._browse = push_button(self.tr("Open in browser"), icon="external-link")
        self._browse.clicked.connect(self._actions.browse.trigger)
        self._steps = [StepLine(last=at == 4) for at in range(5)]
        self._facts = Facts()
        self._label = push_button(self._actions.label.text(), "mini", "tag")
        self._label.setToolTip(plain_tooltip(f"{self._actions.label.text()} (T)"))
        self._label.clicked.connect(self._actions.label.trigger)
        self._describe = push_button(self._actions.describe.text(), "mini", "notebook-pen")
        self._describe.clicked.connect(self._actions.describe.trigger)
        self._saved_from = LinkLine(self.tr("Saved from"))
        self._canonical = LinkLine(self.tr("Own address"))
        for link in (self._saved_from, self._canonical):
            link.opened.connect(self._actions.browser_requested)
        self.versions = VersionsSection(self._actions.refresh)
        self.links = LinksSection()
        self.links.grown.connect(self._settle)
        self._first_words = SelectableText(
            self.tr("First words"), "lead", "text2", family="serif", line_ratio=QUOTE_LINE
        )
        self._nothing = Label(
            self.tr("Select a document to see its details here."), "body", "text3", wrap=True
        )
        self._count = Label("", "title", "text", SEMIBOLD, wrap=True)
        self._states = Label("", "body", "text2", wrap=True)

    def _lay_out(self) -> None:
        self._inner = Panel("surface")
        whole = column(self._inner, (_INSET - _LINK_EDGE, _INSET, _INSET, _INSET))
        self._one, self._several = QWidget(), QWidget()
        self._lay_out_one(column(self._one))
        self._lay_out_several(column(self._several, _BESIDE_LINKS, SPACE_XS))
        for page in (self._nothing, self._one, self._several):
            whole.addWidget(page)
        whole.addStretch(1)
        self.setWidget(self._inner)

    def _lay_out_one(self, page: QVBoxLayout) -> None:
        source = row(spacing=SPACE_M)
        source.addWidget(self._site)
        folder = column(margins=_BESIDE_LINKS)
        folder.addWidget(self._folder)
        source.addLayout(folder)
        source.addWidget(self._kind, 1)
        self._notice.lines.addSpacing(SPACE_S)
        ways = column(spacing=SPACE_S - 2)
        for button in (self._retry, self._restore, self._browse):
            ways.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self._notice.lines.addLayout(ways)
        head, body = column(margins=_BESIDE_LINKS, spacing=SPACE_XS), column(margins=_BESIDE_LINKS)
        head.addWidget(self._title)
        page.addLayout(head)
        page.addSpacing(SPACE_XS)
        page.addLayout(source)
        page.addSpacing(SPACE_L)
        page.addLayout(body)
        body.addWidget(self._notice)
        self._notice_gap = gap(SPACE_L)
        body.addWidget(self._notice_gap)
        self._progress = QWidget()
        progress = column(self._progress)
        progress.addWidget(caption(self.tr("Progress")))
        progress.addSpacing(SPACE_S)
        for step in self._steps:
            progress.addWidget(step)
        body.addWidget(self._progress)
        self._about = QWidget()
        about = column(self._about, spacing=SPACE_XS)
        for part in (self._facts, self._saved_from, self._canonical):
            about.addWidget(part)
        about.addSpacing(SPACE_XS)
        for button in (self._label, self._describe):
            about.addWidget(button, 0, Qt.AlignmentFlag.AlignLeading)
        self._add_section(body, self.tr("About"), self._about)
        self._versions_section = QWidget()
        self._add_section(column(self._versions_section), self.tr("Versions"), self.versions)
        body.addWidget(self._versions_section)
        self._links_section = QWidget()
        self._add_section(column(self._links_section), self.tr("Links"), self.links, _BESIDE_LINKS)
        page.addWidget(self._links_section)
        self._words_section = QWidget()
        self._add_section(column(self._words_section), self.tr("First words"), self._first_words)
        last = column(margins=_BESIDE_LINKS)
        last.addWidget(self._words_section)
        page.addLayout(last)

    @staticmethod
    def _add_section(page: QVBoxLayout, title: str, body: QWidget, beside: Margins = NONE) -> None:
        """``beside`` is the room that the words of the head keep to those of a body of links."""
        head = column(margins=beside)
        head.addSpacing(SPACE_L + SPACE_XS)
        line = Panel("line")
        line.setFixedHeight(1)
        head.addWidget(line)
        head.addSpacing(SPACE_L)
        head.addWidget(caption(title))
        head.addSpacing(SPACE_S)
        page.addLayout(head)
        page.addWidget(body)

    def _lay_out_several(self, page: QVBoxLayout) -> None:
        page.addWidget(self._count)
        page.addWidget(self._states)
        page.addSpacing(SPACE_M)
        for action, drawing in (
            (self._actions.retry, "rotate-cw"),
            (self._actions.restore, "undo-2"),
            (self._actions.stop, "ban"),
            (self._actions.label, "tag"),
            (self._actions.remove, "trash-2"),
        ):
            button = push_button(action.text(), icon=drawing)
            button.clicked.connect(action.trigger)
            button.setToolTip(plain_tooltip(f"{action.text()} ({action.shortcut().toString()})"))
            follow = _enable(button, action)
            action.changed.connect(follow)
            follow()
            page.addWidget(button)
            page.addSpacing(SPACE_XS)

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_selection(self, count: int, document: DocumentRow | None, states: str = "") -> None:
        """Show a selection of ``count`` documents; of a single one ``document`` is what its row knows."""
        shown = (count, document, states)
        if shown == self._shown:
            return
        self._shown = shown
        self._row = document
        if document is None or (self._details is not None and self._details.row.id != document.id):
            self._details = None
        self._nothing.setVisible(count == 0)
        self._several.setVisible(count > 1)
        self._count.setText(self.tr("{0} selected").format(quantities.documents(count)))
        self._states.setText(states)
        self._states.setVisible(bool(states))
        self._show_one()

    def show_details(self, details: DocumentDetails | None) -> None:
        """Show what is known beyond the row; what comes for another document than the one shown is late."""
        if details is not None and self._row is not None and details.row.id != self._row.id:
            return
        self._details = details
        if details is not None and self._row is None:
            self._row = details.row
        self._show_one()

    def show_texts(self, texts: "DocumentTexts") -> None:
        """Show what became of the document over time; what comes for another than the one shown is late."""
        if self._row is not None and texts.document_id == self._row.id:
            self._texts = texts
            self.versions.show_texts(texts)
            self._show_one()

    def show_links(self, links: DocumentLinks) -> None:
        """Show its links and those to it; what comes for another document than the one shown is late."""
        if self._row is not None and links.document_id == self._row.id:
            self._links = links
            self.links.show_links(links)
            self._show_one()

    def _show_one(self) -> None:
        document, details = self._row, self._details
        self._one.setVisible(document is not None)
        if document is None:
            return
        self._title.set_text(document.title)
        self._show_source(document, details)
        self._show_notice(document)
        for part in (self._progress, self._label, self._describe):
            part.setVisible(document.removed_at is None)
        self.versions.offer_checks(document.removed_at is None)
        for line, step in zip(self._steps, steps_of(document, details), strict=True):
            line.show_step(step)
        self._facts.show_facts(fact_list(document, details))
        saved_from, canonical = (
            (details.metadata.saved_from, details.canonical) if details is not None else ("", "")
        )
        self._saved_from.show_address(openable(saved_from))
        self._canonical.show_address(openable(canonical if canonical != document.address else ""))
        texts = self._texts if self._texts is not None and self._texts.document_id == document.id else None
        self._versions_section.setVisible(texts is not None and bool(texts.versions))
        links = self._links if self._links is not None and self._links.document_id == document.id else None
        self._links_section.setVisible(bool(links))
        first_words = details.first_words if details is not None else ""
        self._words_section.setVisible(bool(first_words))
        self._first_words.set_text(first_words)
        self._settle()

    def _settle(self) -> None:
        """Lay out at once, from the inside: heights that depend on widths would need a frame for each level."""
        parts = (
            self._notice,
            *self._steps,
            self._progress,
            self._facts,
            self._about,
            self.versions.changed,
            self.versions,
            self._versions_section,
            *self.links.groups,
            self.links,
            self._links_section,
            self._words_section,
            self._one,
            self._inner,
        )
        for layout in [part.layout() for part in parts]:
            if layout is not None:
                layout.invalidate()
                layout.activate()
        QApplication.sendEvent(self, QEvent(QEvent.Type.LayoutRequest))  # it asks how tall they are

    def _show_source(self, document: DocumentRow, details: DocumentDetails | None) -> None:
        web = is_web(document.address)
        self._site.setAccessibleName(document.place)
        self._site.setToolTip(plain_tooltip(with_key(self.tr("Open in browser"), "documents", "browse")))
        self._site.setVisible(web)
        self._fit_site()
        self._folder.setText(document.place)
        self._folder.setVisible(not web and bool(document.place))
        received = details.received_bytes if details is not None else 0
        size = quantities.file_size(received) if received else ""
        kind = words.kind_words(document.kind, document.address)
        metadata = details.metadata if details is not None else None
        pages = quantities.pages(metadata.page_count) if metadata is not None and metadata.page_count else ""
        self._kind.setText(", ".join(part for part in (kind, pages, size) if part))
        room = self._kind.sizePolicy()  # of a file the folder is cut first
        room.setHorizontalPolicy(room.Policy.Preferred if web else room.Policy.Minimum)
        self._kind.setSizePolicy(room)

    def _show_notice(self, document: DocumentRow) -> None:
        notice = self._notice
        in_bin = document.removed_at is not None
        failed = document.state == "failed" and not in_bin
        stopped = document.state == "cancelled" and not in_bin
        waits = document.waits_until
        searchable = can_be_read(document) and document.state not in {"ready", "failed"}
        noted = (
            document.state == "ready" and bool(document.reason) and not in_bin
        )  # a check failed, or it lacks a part
        if in_bin:
            text = self.tr(
                "Nothing finds it here. Restore takes it out, with its tags, collections and citations."
            )
            headline = self.tr("In the bin, {0}").format(words.days_left(document))
            notice.show_notice("trash-2", "text2", "sunken", headline, text)
        elif failed:
            reason = document.reason or self.tr("This document could not be read.")
            notice.show_notice("circle-alert", "bad", "bad_soft", reason, document.hint or "")
        elif stopped:
            text = self.tr("Retry continues it.")
            notice.show_notice("ban", "text2", "sunken", self.tr("You stopped this document"), text)
        elif waits is not None:
            headline = document.reason or words.state_words(document)
            asked = self.tr("The site is requested {0}; everything else continues.")
            if document.waits_for != "site":
                asked = self.tr("It is tried {0}; everything else continues.")
            text = asked.format(quantities.again_at(waits))
            notice.show_notice("circle-dashed", "text2", "sunken", headline, text)
        elif searchable:
            headline = self.tr("You can already search its words")
            text = self.tr("Search by meaning comes next.") if self._details is not None else ""
            if is_checked_again(document, self._details):
                headline = self.tr("You can search this document")
                queued = document.state == "queued"
                text = self.tr("It is read again next.") if queued else self.tr("It is being read again.")
            notice.show_notice("search", "accent_text", "accent_soft", headline, text)
        elif noted:
            notice.show_notice("circle-dashed", "text2", "sunken", document.reason or "", document.hint or "")
        self._retry.setVisible(can_be_retried(document))
        self._restore.setVisible(in_bin)
        self._browse.setVisible(failed and is_web(document.address))
        shown = in_bin or failed or stopped or searchable or noted or waits is not None
        notice.setVisible(shown)
        self._notice_gap.setVisible(shown and not in_bin)  # nothing is in progress there

    def _fit_site(self) -> None:
        """Cut a long site's name so that the button fits into the pane."""
        room = self.viewport().width() - 2 * _INSET - _KIND_LEAST
        place = self._row.place if self._row is not None else ""
        cut = self._site.fontMetrics().elidedText(place, Qt.TextElideMode.ElideMiddle, room)
        self._site.setText(cut)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what cannot wrap into the new width."""
        super().resizeEvent(event)
        self._fit_site()

    def sizeHint(self) -> QSize:
        """The width of the pane."""
        return QSize(INSPECTOR_WIDTH, super().sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Times and sizes depend on the language: show them again when it changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange:
            self._show_one()


def _enable(button: QPushButton, action: QAction) -> Callable[[], None]:
    return lambda: button.setVisible(action.isEnabled())
