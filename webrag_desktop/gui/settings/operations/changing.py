"""Reading, checking, trying and writing settings; what the library costs to move is asked before it is moved."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from webrag_desktop import DataFolder
from webrag_desktop.gui.kit.quantities import model_word
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library, Settings
    from webrag_desktop.models.settings import SettingSection
    from webrag_desktop.models.spaces import MoveCost
    from webrag_desktop.models.stack import ServerTrial

Changes = Mapping[str, str | None]
Model = Literal["embedding", "answers"]  # the groups with a model that can be tried

KEYRING_SECONDS = 120.0  # for who has to type a password first
# What makes another space of the library, or may.
_OF_SPACE = ("EMBEDDING_", "CHUNK_")
_NOT_OF_SPACE = frozenset(
    {"EMBEDDING_API_KEY", "EMBEDDING_BATCH_SIZE", "EMBEDDING_MAX_WORKERS", "EMBEDDING_CORES"}
)


class SettingsOperations(QObject):
    """The settings of the session's data folder."""

    listed = Signal(object)  # tuple[SettingSection, ...]
    saved = Signal(object)  # tuple[str, ...]: what is worth knowing of keys
    cost = Signal(object)  # MoveCost | None: saving this moves nothing
    tried = Signal(str, object)  # which model, ServerTrial
    failed = Signal(object)  # Failure

    def __init__(
        self, session: LibrarySession, background: Background, parent: QObject | None = None
    ) -> None:
        """Nothing is read before it is asked for."""
        super().__init__(parent)
        self._session = session
        self._background = background
        self._trials: dict[str, CancelToken] = {}
        self._costing: CancelToken | None = None

    def fetch(self) -> None:
        """List the settings as environment and file give them now."""
        settings = self._session.settings
        self._background.run(
            lambda _task: _listed(settings),
            on_success=self._list,
            on_error=self._fail,
            replaces="settings",
        )

    def _list(self, sections: "tuple[SettingSection, ...]") -> None:
        self.listed.emit(sections)

    @staticmethod
    def check(name: str, text: str) -> str:
        """What is wrong with a value, as it is typed: by the rules by which it is read."""
        return DataFolder.problems_of({name: text}).get(name, "")

    # -- Trying -----------------------------------------------------------------------------------------------

    def try_model(self, model: Model, typed: Mapping[str, str]) -> None:
        """Use a model for a moment, as what is typed names it; the one before is no longer waited for."""
        self.end_trial(model)
        self._trials[model] = self._background.run(
            partial(_tried, self._session.settings, model, dict(typed)),
            on_success=partial(self._show_trial, model),
            on_error=self._fail,
            own_thread=f"trial {model}",
            replaces=f"trial {model}",
        )

    def _show_trial(self, model: str, trial: "ServerTrial") -> None:
        self._trials.pop(model, None)
        self.tried.emit(model, trial)

    def end_trial(self, model: Model) -> None:
        """Stop trying a model."""
        token = self._trials.pop(model, None)
        if token is not None:
            self._background.cancel(token)

    # -- Writing ----------------------------------------------------------------------------------------------

    def weigh(self, changes: Changes) -> None:
        """Find out whether the library would have to move, and what that costs."""
        if not any(_is_of_space(name) for name in changes) or not self._session.is_open:
            self.cost.emit(None)
            return
        self._costing = self._session.call(
            partial(_cost, dict(changes)),
            on_success=self.cost.emit,
            on_error=self._fail,
            own_thread="cost",
            replaces="cost",
        )

    def stop_weighing(self) -> None:
        """The user no longer wants to know."""
        if self._costing is not None:
            self._background.cancel(self._costing)
            self._costing = None

    def save(self, changes: Changes) -> None:
        """Write the changes, and go on with them."""
        self._background.run(
            partial(_saved, self._session.settings, dict(changes)),
            on_success=self._apply,
            on_error=self._fail,
            essential=True,
            own_thread="settings",
        )

    def _apply(self, outcome: "tuple[Settings, list[str]]") -> None:
        settings, notes = outcome
        self._session.apply(settings)
        self.saved.emit(tuple(notes))

    def fetch_awaited_keys(self) -> None:
        """Where the keyring was locked when the program began, go on with its keys once it is open."""
        folder = DataFolder(self._session.settings)
        self._background.run(
            lambda _task: _with_keys(folder), on_success=self._take_keys, own_thread="keyring"
        )

    def _take_keys(self, settings: "Settings | None") -> None:
        if settings is not None:
            self._session.apply(settings)

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


def _listed(settings: "Settings") -> "tuple[SettingSection, ...]":
    """What is said of settings calls others by their labels here."""
    return tuple(
        replace(
            section,
            settings=tuple(
                replace(one, description=DataFolder.in_words(one.description, section.id))
                for one in section.settings
            ),
        )
        for section in DataFolder(settings).all_settings()
    )


def _is_of_space(name: str) -> bool:
    return name.startswith(_OF_SPACE) and name not in _NOT_OF_SPACE


def _tried(settings: "Settings", model: Model, typed: dict[str, str], task: Task) -> "ServerTrial":
    folder = DataFolder(settings)
    trying = folder.try_embedding if model == "embedding" else folder.try_chat
    trial = trying(typed, task.cancel)
    said = DataFolder.in_words(trial.problem), DataFolder.in_words(trial.remedy)
    return replace(trial, problem=said[0], remedy=said[1])


def _cost(changes: Changes, library: "Library", task: Task) -> "MoveCost | None":
    cost = library.move_cost({name: value or "" for name, value in changes.items()}, task.cancel)
    if cost is None:
        return None
    return replace(
        cost,
        present=model_word(cost.present),
        wanted=model_word(cost.wanted),
        problem=DataFolder.in_words(cost.problem),
    )


def _saved(settings: "Settings", changes: Changes, _task: Task) -> "tuple[Settings, list[str]]":
    folder = DataFolder(settings)
    notes = folder.change_settings(changes)
    return folder.reloaded(KEYRING_SECONDS).settings, notes


def _with_keys(folder: DataFolder) -> "Settings | None":
    awaited = folder.awaited_keys()
    if not awaited:
        return None
    found = folder.reloaded(KEYRING_SECONDS)
    return found.settings if len(found.awaited_keys()) < len(awaited) else None
