"""The library's pages by their links, beside the drawing: the most linked first, with a line that finds some."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from webrag_desktop.gui.data.map import LinkedPage, LinkMap
from webrag_desktop.gui.kit.quantities import documents
from webrag_desktop.gui.kit.theme.fonts import MEDIUM
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.choices import CheckRow
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, Panel, column
from webrag_desktop.gui.map import words
from webrag_desktop.gui.map.page_rows import PageRow, PageRows

_INSET = 20


class LinksPane(Panel):
    """The same pages as in the drawing, for the keyboard and screen readers."""

    page_chosen = Signal(str)  # a document's id
    page_opened = Signal(str)
    navigation_chosen = Signal(bool)  # whether links of menus and footers count

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("surface", parent=parent)
        self._shown = LinkMap()
        self._header = PaneHeader(self.tr("Pages by their links"))
        self._busy = BusyBar()
        self._title = Label("", "body", "text", MEDIUM, wrap=True)
        self._sentence = Label("", "body", "text2", wrap=True)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find a page or site in this list"))
        self.field.setAccessibleName(self.field.placeholderText())
        self.navigation = CheckRow("menu", self.tr("With menus and footers"), "")
        self.navigation.setToolTip(self.tr("Count the links around the texts, too; most sites repeat them"))
        self.list = PageRows(self.tr("Pages by their links. Enter opens one."))
        note = Panel("surface")
        inside = column(note, (_INSET, SPACE_M, _INSET - 4, SPACE_S), SPACE_XS)
        for part in (self._busy, self._title, self._sentence, self.field, self.navigation):
            inside.addWidget(part)
        layout = column(self)
        layout.addWidget(self._header)
        layout.addWidget(note)
        layout.addWidget(self.list, 1)
        self.field.textChanged.connect(self._find)
        self.navigation.toggled.connect(self.navigation_chosen)
        self.list.page_chosen.connect(self.page_chosen)
        self.list.page_opened.connect(self.page_opened)

    def show_waiting(self) -> None:
        """The links are being read; what was shown before stays meanwhile."""
        if self._shown.pages:
            return
        self._say(self.tr("Reading the links of your library"), "")
        self._busy.show()
        self.field.hide()

    def show_links(self, shown: LinkMap) -> None:
        """List the pages."""
        self._shown = shown
        self._busy.hide()
        self.field.setVisible(bool(shown.pages))
        self._header.set_detail(documents(len(shown.pages)) if shown.pages else "")
        if not shown.pages:
            self._say(self.tr("No links yet."), words.no_links(shown))
        elif shown.limited:
            self._say("", words.limited(len(shown.pages)))
        else:
            self._say("", "")
        self._find()

    def show_failure(self, message: str, hint: str) -> None:
        """The links could not be read."""
        self._busy.hide()
        self._say(message, hint)

    def _say(self, title: str, sentence: str) -> None:
        for label, text in ((self._title, title), (self._sentence, sentence)):
            label.setText(text)
            label.setVisible(bool(text))

    def _find(self) -> None:
        wanted = self.field.text().strip().casefold()
        found = [
            page
            for page in self._shown.pages
            if wanted in page.label.casefold() or wanted in page.address.casefold()
        ]
        self.list.show_rows([str(page.document_id) for page in found], lambda at: _row(found[at]))

    @property
    def first(self) -> QWidget:
        """Where work with the keyboard begins."""
        return self.list


def _row(page: LinkedPage) -> PageRow:
    return PageRow(
        str(page.document_id),
        page.label,
        page.host,
        "globe",
        "text2",
        words.link_sentence(page),
        end=words.link_detail(page),
    )
