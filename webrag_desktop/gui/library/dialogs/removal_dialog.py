"""Asks before documents are removed that are cited, and before documents of the bin are deleted for good."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QLayout, QWidget

from webrag_desktop.gui.data.library import Doomed
from webrag_desktop.gui.kit.quantities import counted, documents, plural
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import IconLabel, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, row

_WIDTH = 460
_ICON = 20


class RemovalDialog(QDialog):
    """Names what goes, what happens to what the user made of it, and whether it can come back.

    The keyboard begins at the button that changes nothing where there is no way back.
    """

    confirmed = Signal(object)  # Doomed

    def __init__(self, doomed: Doomed, parent: QWidget | None = None) -> None:
        """Ask about ``doomed``."""
        super().__init__(parent)
        self._doomed = doomed
        for_good = doomed.kind != "remove"
        self.headline = self._headline()
        self.setWindowTitle(self.tr("Delete for good") if for_good else self.tr("Remove"))
        self.setAccessibleName(self.headline)
        sentences = [line for line in (self._of_citations(), self._of_labels(), self._of_return()) if line]
        self.text = "\n".join(sentences)
        self.setAccessibleDescription(self.text)
        self.cancel_button = push_button(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.confirm_button = push_button(
            self.tr("Delete for good") if for_good else self.tr("Remove"), "primary"
        )
        self.confirm_button.clicked.connect(self._confirm)
        self._lay_out(sentences)
        first = self.cancel_button if for_good else self.confirm_button
        first.setDefault(True)
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, sentences: list[str]) -> None:
        ground = Panel("raised")
        ground.setFixedWidth(grown(_WIDTH))
        across = row(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_M)
        across.addWidget(IconLabel("trash-2", "text2", _ICON), 0, Qt.AlignmentFlag.AlignTop)
        lines = column(spacing=SPACE_S)
        across.addLayout(lines, 1)
        lines.addWidget(Label(self.headline, "title", "text", SEMIBOLD, wrap=True))
        for sentence in sentences:
            lines.addWidget(Label(sentence, "body", "text2", wrap=True))
        lines.addSpacing(SPACE_M)
        lines.addLayout(button_row(self.cancel_button, self.confirm_button))
        whole = column(self)
        whole.addWidget(ground)
        whole.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)

    def _headline(self) -> str:
        doomed = self._doomed
        what = f"“{doomed.title}”" if doomed.title else documents(len(doomed.ids))
        if doomed.kind == "empty":
            return self.tr("Empty the bin with {0}?").format(documents(len(doomed.ids)))
        if doomed.kind == "delete":
            return self.tr("Delete {0} for good?").format(what)
        return self.tr("Remove {0}?").format(what)

    def _of_citations(self) -> str:
        doomed = self._doomed
        if not doomed.citations:
            return ""
        count = counted(doomed.citations, self.tr("citation"), self.tr("citations"))
        if len(doomed.ids) > 1:
            count = self.tr("{0} in {1}").format(count, documents(doomed.cited))
        if doomed.kind == "remove":
            one = self.tr("{0}: it stays, can still be opened, and says that its source is in the bin.")
            more = self.tr("{0}: they stay, can still be opened, and say that their source is in the bin.")
        else:
            one = self.tr("{0}: it keeps its words and is lost until the same page is added again.")
            more = self.tr("{0}: they keep their words and are lost until the same page is added again.")
        return (one if doomed.citations == 1 else more).format(count)

    def _of_labels(self) -> str:
        doomed = self._doomed
        counts = (
            (doomed.tags, self.tr("tag"), self.tr("tags")),
            (doomed.filed, self.tr("place in a collection"), self.tr("places in collections")),
            (doomed.places, self.tr("reading position"), self.tr("reading positions")),
        )
        named = ", ".join(counted(*one) for one in counts if one[0])
        if not named:
            return ""
        kept = doomed.kind == "remove"
        return (self.tr("Kept in the bin, too: {0}.") if kept else self.tr("Deleted, too: {0}.")).format(
            named
        )

    def _of_return(self) -> str:
        if self._doomed.kind != "remove":
            return self.tr("The kept copies and texts are deleted. This cannot be undone.")
        days = plural(self._doomed.days, self.tr("1 day"), self.tr("{0} days"))
        return self.tr(
            "The bin keeps what is removed for {0}. Until then it can be restored as it was."
        ).format(days)

    def _confirm(self) -> None:
        self.accept()
        self.confirmed.emit(self._doomed)
