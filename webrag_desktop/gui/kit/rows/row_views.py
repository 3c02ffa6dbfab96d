"""What every list of rows begins with."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame

from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.kit.widgets.quiet_tooltips import QuietTooltips


def set_up_rows(view: QAbstractItemView, surface: Role = "surface") -> QuietTooltips:
    """Make a view of painted rows: no frame, scrolled by pixels, hovered, never edited, quiet while keys move."""
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setProperty("surface", surface)
    view.setMouseTracking(True)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    return QuietTooltips(view)
