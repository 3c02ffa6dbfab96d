"""What can be known and done of the settings of a data folder, and of the models that they name."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from webrag_desktop.config import (
    SETTINGS_FILE,
    Settings,
    change_settings,
    given_settings,
    in_words,
    listed_settings,
    problems_of,
    settings_warnings,
    shareable_settings,
)
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop.models.settings import GivenSetting, SettingSection
    from webrag_desktop.models.stack import ServerTrial


class FolderSettings:
    """The settings of a data folder: what is given, changing it, and trying what is not in force yet."""

    def __init__(self, settings: Settings) -> None:
        """The folder that ``settings`` name."""
        self.settings = settings

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.settings.webrag_home

    @property
    def settings_file(self) -> Path:
        """The file of settings, whether there is one or not."""
        return self.path / SETTINGS_FILE

    def given_settings(self) -> "list[GivenSetting]":
        """Which settings environment and file give, without secrets; what a program gave is not among them."""
        return given_settings(self.path)

    def all_settings(self) -> "tuple[SettingSection, ...]":
        """Every setting in groups, with what environment and file give; raises ConfigurationError."""
        return listed_settings(self.path)

    @staticmethod
    def problems_of(given: Mapping[str, str]) -> dict[str, str]:
        """What is wrong with values of settings, by their names in upper case: what each must be."""
        return problems_of(given)

    @staticmethod
    def in_words(text: str, section: str = "") -> str:
        """A text that calls settings as the form of a ``section`` does, not by their names in the environment."""
        return in_words(text, section)

    def change_settings(self, changes: Mapping[str, str | None]) -> list[str]:
        """Set settings in the file, checked first; None takes one out of it. They hold for what is opened afterwards.

        Keys go to the system's keyring where there is one. Returns what is worth knowing of that, in sentences.

        Raises:
            InputError: there is no setting of a name, or the file cannot set it.
            ConfigurationError: a value cannot be used, or the file cannot be read or written; nothing is changed.
        """
        return change_settings(self.path, changes)

    def awaited_keys(self) -> list[str]:
        """The settings whose keys lie in the system's keyring, which did not give them."""
        given = self.settings.given
        there = [one.name for one in self.given_settings() if one.place == "keyring"]
        return [name for name in there if name.lower() not in given]

    def settings_warnings(self) -> list[str]:
        """What is odd about those of environment and file."""
        return settings_warnings(self.path)

    def shareable_settings(self) -> dict[str, str]:
        """What the file sets, without keys, addresses that may hold one, and where things live."""
        return shareable_settings(self.path)

    # -- Trying a model -----------------------------------------------------------------------------------------

    def try_embedding(self, given: Mapping[str, str], cancel: CancelToken | None = None) -> "ServerTrial":
        """Use the embedding model that these settings name for a moment; what goes wrong is in the trial.

        ``given`` goes before the folder's own settings, by names in upper case. Nothing of the user's is sent.

        Raises:
            ConfigurationError: a value cannot be used.
            Cancelled: the token was set.
        """
        from webrag_desktop.library.server_trials import try_embedding

        return try_embedding(given_before(self.settings, given), cancel or CancelToken())

    def try_chat(self, given: Mapping[str, str], cancel: CancelToken | None = None) -> "ServerTrial":
        """The same of the chat model, which writes a few words."""
        from webrag_desktop.library.server_trials import try_chat

        return try_chat(given_before(self.settings, given), cancel or CancelToken())


def given_before(settings: Settings, given: Mapping[str, str]) -> Settings:
    """Settings in which some values go before their own, by names in upper case; an empty one is as good as none.

    Raises:
        ConfigurationError: a value cannot be used.
    """
    own = {name: value for name, value in settings.as_environment().items() if name not in given}
    return Settings.of(**own | {name: value for name, value in given.items() if value})
