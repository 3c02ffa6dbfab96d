"""The part of the inspector about links: where a document leads, in its text and around it, and who links to it."""

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.data.library import DocumentLinks, FollowedLink, LinkList, ListedLink
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S
from webrag_desktop.gui.kit.widgets.buttons import LINK_INSET, push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.panes import column, row

MOST_AT_FIRST = 4
_BESIDE = (LINK_INSET, 0, 0, 0)  # a link button's words begin that far inside it
_LABEL_SHARE = 0.62  # of a line; the rest says where the link leads


class _Line(QWidget):
    """A link in its own words, and in small print where it leads."""

    followed = Signal(object, object)  # FollowedLink, the QPoint on the screen below it

    def __init__(self, link: ListedLink) -> None:
        super().__init__()
        self._link = link
        self.button = push_button("", "link")
        self.button.setAccessibleName(", ".join(filter(None, (link.label, link.detail))))
        lines = (link.label, link.sentence if link.sentence != link.label else "", link.followed.address)
        self.button.setToolTip(plain_tooltip("\n".join(filter(None, lines))))
        self.button.clicked.connect(self._follow)
        self._detail = ElidedLabel(link.detail, "small", "text3")
        self._detail.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        across = row(self, spacing=SPACE_M - LINK_INSET)
        across.addWidget(self.button)
        across.addWidget(self._detail, 1)

    def _follow(self) -> None:
        below = self.button.mapToGlobal(self.button.rect().bottomLeft())
        self.followed.emit(self._link.followed, below)

    def _fit(self) -> None:
        room = self.width() - min(self._detail.sizeHint().width(), round(self.width() * (1 - _LABEL_SHARE)))
        room -= SPACE_M + 2 * LINK_INSET
        cut = self.button.fontMetrics().elidedText(
            self._link.label, Qt.TextElideMode.ElideRight, max(room, 0)
        )
        self.button.setText(cut.replace("&", "&&"))

    def minimumSizeHint(self) -> QSize:
        """As narrow as the pane is made."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the words to the new width."""
        super().resizeEvent(event)
        self._fit()


class _Group(QWidget):
    """Links of one kind: how many, the first of them, and on demand more."""

    followed = Signal(object, object)
    grown = Signal()  # it takes more room now

    def __init__(self, name: str) -> None:
        super().__init__()
        self._links = LinkList()
        self._name = Label(name, "body", "text3")
        self._count = Label("", "body", "text3", figures=True)
        head = row(margins=_BESIDE, spacing=SPACE_S)
        head.addWidget(self._name)
        head.addWidget(self._count)
        head.addStretch(1)
        self._lines: list[_Line] = []
        self._listed = column()
        self._more = push_button("", "link")
        self._more.clicked.connect(self._show_more)
        self._rest = Label("", "body", "text3", wrap=True)
        whole = column(self)
        whole.addLayout(head)
        whole.addLayout(self._listed)
        whole.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeading)
        self._rest.setContentsMargins(*_BESIDE)
        whole.addWidget(self._rest)

    def show_links(self, links: LinkList) -> None:
        """Show the first of these."""
        if links == self._links:
            return
        self._links = links
        self._count.setText(number(links.count))
        self.setVisible(bool(links.count))
        self._list(MOST_AT_FIRST)

    def _show_more(self) -> None:
        had_keyboard, at = self._more.hasFocus(), len(self._lines)
        self._list(len(self._links.links))
        if had_keyboard:
            self._lines[at].button.setFocus(Qt.FocusReason.TabFocusReason)  # the first that is new
        self.grown.emit()

    def _list(self, most: int) -> None:
        for line in self._lines:
            self._listed.removeWidget(line)
            line.hide()
            line.deleteLater()
        self._lines = [_Line(link) for link in self._links.links[:most]]
        for line in self._lines:
            self._listed.addWidget(line)
            line.show()  # a layout would do so only in the next turn
            line.followed.connect(self.followed)
        hidden = self._links.count - len(self._lines)
        is_all = len(self._lines) == len(self._links.links)
        self._more.setText(self.tr("{0} more").format(number(hidden)))
        self._more.setAccessibleName(f"{self._name.text()}: {self._more.text()}")
        self._more.setVisible(not is_all)
        self._rest.setText(self.tr("and {0} more on the page").format(number(hidden)))
        self._rest.setVisible(is_all and hidden > 0)


class LinksSection(QWidget):
    """Emits which link is to be followed; shows the links it is given."""

    followed = Signal(object, object)  # FollowedLink; the QPoint on the screen where it was asked for
    grown = Signal()  # it takes more room now

    def __init__(self, parent: QWidget | None = None) -> None:
        """Of no document yet."""
        super().__init__(parent)
        self.groups = tuple(
            map(_Group, (self.tr("In its text"), self.tr("Menus and footers"), self.tr("Linked from")))
        )
        lines = column(self, spacing=SPACE_S)
        for group in self.groups:
            lines.addWidget(group)
            group.followed.connect(self._follow)
            group.grown.connect(self.grown)

    def show_links(self, links: DocumentLinks) -> None:
        """Show the links of a document and to it."""
        for group, some in zip(self.groups, (links.content, links.navigation, links.back), strict=True):
            group.show_links(some)

    def _follow(self, link: FollowedLink, at: QPoint) -> None:
        self.followed.emit(link, at)
