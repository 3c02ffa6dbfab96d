"""Parts of the window that it starts without: imported one after another once the documents are listed.

Whatever is opened sooner imports its part itself. It is done on the GUI thread, since Qt for Python makes its
enumerations when they are first used, which two threads must not do at once.
"""

from importlib import import_module
from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

# In an order in which none brings much that was not there before.
LATER: Final = tuple(
    f"webrag_desktop.gui.{name}"
    for name in (
        "library.dialogs.check_list", "research.filter_panel", "research.answer.history_card", "shell.palette",
        "map.words", "map.canvas", "map.page_rows", "map.to_fetch_list", "map.fetch_pane", "map.expansion_scene",
        "map.link_scene", "map.map_view",
        "adding.add_dialog", "adding.folder_dialog", "adding.report_dialog",
        "library.dialogs.facts_dialog", "library.dialogs.removal_dialog", "library.dialogs.difference_dialog",
        "reader.page_look_dialog",
        "citations.quote_place_delegate", "citations.quote_places", "citations.quote_dialog",
        "maintenance.stack_dialog", "maintenance.upkeep_dialog",
        "settings.fields", "settings.pages", "settings.plain_pages", "settings.trials", "settings.appearance_page",
        "settings.shortcuts_page", "settings.cost_dialog", "settings.settings_dialog",
    )
)  # fmt: skip
_PAUSE = 100  # ms between two: what the user does comes first


class LaterImports(QObject):
    """Imports a module a turn, from :meth:`begin` on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._left = list(LATER)
        self._timer = QTimer(self)
        self._timer.setInterval(_PAUSE)
        self._timer.timeout.connect(self._import_next)

    @property
    def is_done(self) -> bool:
        """Whether all of them are imported."""
        return not self._left

    @Slot()
    def begin(self) -> None:
        """Begin, if that was not done before."""
        if self._left:
            self._timer.start()

    def _import_next(self) -> None:
        import_module(self._left.pop(0))
        if not self._left:
            self._timer.stop()
