"""The settings in their dialog, connected with the window: opened at a section, tried, weighed, saved."""

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.data.appearance import Appearance
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.theme.colours import choose_theme
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.panes import button_row
from webrag_desktop.gui.settings.operations.changing import Model
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.gui.shell.one_dialog import OneDialog
from webrag_desktop.gui.shell.window_state import KeptAppearance, KeptKeys

if TYPE_CHECKING:
    from webrag_desktop.gui.settings.pages import Page, SettingsPage
    from webrag_desktop.gui.settings.settings_dialog import SettingsDialog
    from webrag_desktop.gui.settings.trials import ModelTrial
    from webrag_desktop.models.settings import SettingSection
    from webrag_desktop.models.spaces import MoveCost
    from webrag_desktop.models.stack import ServerTrial

_ICONS: Final = {
    "library": "database",
    "embedding": "cpu",
    "answers": "message-square",
    "search": "search",
    "fetching": "globe",
    "reading": "file-text",
    "privacy": "lock",
}


class SettingsConnections(QObject):
    """One dialog at a time; what it is to show is read first."""

    move_wanted = Signal()  # to compare library and settings, and move

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._all, self._do = window, operations, operations.settings
        self._dialog: OneDialog[SettingsDialog] = OneDialog(self._end_trials)
        self._trials: dict[str, ModelTrial] = {}
        self._wanted: tuple[str, str] = ("", "")
        self._changes: dict[str, str | None] = {}
        self._moves_then = False
        self._do.listed.connect(self._show)
        self._do.tried.connect(self._show_trial)
        self._do.cost.connect(self._take_cost)
        self._do.saved.connect(self._end)
        self._do.failed.connect(self._show_failure)
        operations.session.opened.connect(self._move)

    def open(self, section: str = "", setting: str = "") -> None:
        """Open the settings, at a section and with the keyboard at one of its settings where they are named."""
        self._wanted = (section, setting)
        if self._dialog.shown is not None:
            self._go()
        else:
            self._do.fetch()

    def _show(self, sections: "tuple[SettingSection, ...]") -> None:
        if self._dialog.shown is not None:
            return
        from webrag_desktop.gui.settings.pages import SettingsPage
        from webrag_desktop.gui.settings.settings_dialog import SettingsDialog
        from webrag_desktop.gui.settings.trials import ModelTrial

        forms = [SettingsPage(one, self._do.check, _ICONS[one.id]) for one in sections]
        dialog = self._dialog.hold(SettingsDialog(self._pages(forms), self._window))
        self._trials = {
            "embedding": ModelTrial(dialog.page("embedding"), "EMBEDDING_BASE_URL", "EMBEDDING_MODEL"),
            "answers": ModelTrial(dialog.page("answers"), "CHAT_BASE_URL", "CHAT_MODEL"),
        }
        for name, trial in self._trials.items():
            model: Model = "embedding" if name == "embedding" else "answers"
            trial.requested.connect(partial(self._do.try_model, model))
            trial.stopped.connect(partial(self._do.end_trial, model))
        move = push_button(self.tr("Move the library…"))
        move.setToolTip(self.tr("Compare the library with these settings, and move it where they differ"))
        move.clicked.connect(self._leave_for_move)
        dialog.page("embedding").foot.addLayout(button_row(leading=[move]))
        dialog.save_requested.connect(self._save)
        dialog.show()
        self._go()

    def _leave_for_move(self) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.reject()
        self.move_wanted.emit()

    def _pages(self, forms: "list[SettingsPage]") -> "list[Page]":
        from webrag_desktop.gui.settings.appearance_page import AppearancePage
        from webrag_desktop.gui.settings.plain_pages import FactsPage, add_facts
        from webrag_desktop.gui.settings.shortcuts_page import ShortcutsPage

        kept = KeptAppearance(self._all.session.settings.webrag_home)
        reader = self._window.research.reader
        appearance = AppearancePage(kept.read(), reader.zoom)
        appearance.changed.connect(partial(self._look, kept))
        appearance.zoom_changed.connect(reader.set_zoom)
        (privacy,) = [one for one in forms if one.id == "privacy"]
        add_facts(privacy, self._privacy(forms))
        clear = push_button(self.tr("Clear search history"))
        clear.clicked.connect(self._all.kept.clear_history)
        privacy.foot.addLayout(button_row(leading=[clear]))
        others = [one for one in forms if one is not privacy]
        browser = FactsPage(
            self.tr("Browser"),
            self.tr("How your browser and other programs lead into the library."),
            "external-link",
            self._browser(),
        )
        keys = KeptKeys(self._all.session.settings.webrag_home)
        shortcuts = ShortcutsPage(keys.read())
        shortcuts.changed.connect(partial(KeptKeys.write, keys))  # which is nobody else's
        return [*others, appearance, shortcuts, privacy, browser]

    def _look(self, kept: KeptAppearance, appearance: Appearance) -> None:
        kept.write(appearance)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        choose_theme(application, appearance.theme)

    def _privacy(self, forms: "list[SettingsPage]") -> list[tuple[str, str]]:
        """What leaves this computer, with the servers as they are set."""
        set_to = {name: row.text() for page in forms for name, row in page.rows.items()}
        backend, embedding = set_to["EMBEDDING_BACKEND"], set_to["EMBEDDING_BASE_URL"]
        texts = self.tr(
            "They, and your questions, are embedded in the program itself, or by an Ollama on this computer."
        )
        if backend == "embedded":
            texts = self.tr("They, and your questions, are embedded in the program itself.")
        elif embedding or backend == "openai":
            texts = self.tr("They, and your questions, are sent to {0}, to be embedded.").format(
                embedding or "https://api.openai.com"
            )
        chat = self.tr("No chat model is set up, so questions stay here.")
        if set_to["CHAT_MODEL"]:
            where = set_to["CHAT_BASE_URL"] or "http://localhost:11434"
            chat = self.tr("Question and evidence are sent to {0}, and only when an answer is asked for.")
            chat = chat.format(where)
        if set_to["RETRIEVAL_RERANK_ENABLED"] == "true" and set_to["RETRIEVAL_RERANK_MODEL"]:
            judge = set_to["RETRIEVAL_RERANK_BASE_URL"] or set_to["CHAT_BASE_URL"] or "http://localhost:11434"
            judged = self.tr("The question of a search and its best passages are sent to {0}, to be judged.")
            chat = f"{chat} {judged.format(judge)}"
        return [
            (self.tr("Your texts"), texts),
            (self.tr("Your questions"), chat),
            (
                self.tr("Pages"),
                self.tr(
                    "They are fetched from their sites when you add, capture or refresh them, or have links followed. "
                    "Reading one loads nothing."
                ),
            ),
            (self.tr("Usage reports"), self.tr("None are sent. There is nothing to switch off.")),
        ]

    def _browser(self) -> list[tuple[str, str]]:
        return [
            (
                self.tr("Links into the library"),
                self.tr(
                    "“Copy WebRAG link” copies a webrag:// link, which opens the very words in this window. `webrag "
                    "open LINK` opens one; docs/cli.md says how a click on one opens the window."
                ),
            ),
            (
                self.tr("From the browser"),
                self.tr(
                    "Links and pages are dropped on the window, or pasted. There is no extension for browsers."
                ),
            ),
        ]

    def _go(self) -> None:
        assert self._dialog.shown is not None
        section, setting = self._wanted
        if section:
            self._dialog.shown.show_section(section, setting)
        self._dialog.shown.raise_()
        self._dialog.shown.activateWindow()

    def _show_trial(self, model: str, trial: "ServerTrial") -> None:
        if model in self._trials:
            self._trials[model].show_trial(trial)

    # -- Saving -----------------------------------------------------------------------------------------------

    def _save(self, changes: dict[str, str | None]) -> None:
        if self._dialog.shown is None:
            return
        self._changes, self._moves_then = changes, False
        self._dialog.shown.show_saving(saving=True)
        self._do.weigh(changes)

    def _take_cost(self, cost: "MoveCost | None") -> None:
        if self._dialog.shown is None:
            return
        if cost is None:
            self._do.save(self._changes)
            return
        from webrag_desktop.gui.settings.cost_dialog import CostDialog

        asking = CostDialog(cost, self._dialog.shown)
        asking.chosen.connect(self._save_anyway)
        asking.rejected.connect(self._go_back)
        asking.finished.connect(asking.deleteLater)
        asking.open()

    def _save_anyway(self, move: bool) -> None:
        self._moves_then = move
        self._do.save(self._changes)

    def _go_back(self) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_saving(saving=False)

    def _end(self, notes: tuple[str, ...]) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.accept()
        said = self.tr("The settings are saved and hold now.")
        self._window.toasts.show_notice(" ".join((said, *notes)))

    def _move(self) -> None:
        """Begin the move that the user chose, now that the library is open with the new settings."""
        if self._moves_then:
            self._moves_then = False
            self._all.moving.begin()

    def _show_failure(self, failure: Failure) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_saving(saving=False)
            for trial in self._trials.values():
                trial.stop()
        self._window.errors.report(failure)

    def _end_trials(self) -> None:
        for trial in self._trials.values():
            trial.stop()
        self._trials = {}
        self._do.stop_weighing()
