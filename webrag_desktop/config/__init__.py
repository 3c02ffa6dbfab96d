"""Every setting. Read once by the composition root; nothing else reads the environment."""

from webrag_desktop.config.declaration import Setting
from webrag_desktop.config.files import (
    data_folder,
    given_settings,
    load_settings,
    settings_warnings,
    shareable_settings,
    unknown_settings,
)
from webrag_desktop.config.sections import default_home
from webrag_desktop.config.settings import SECTIONS, Settings, declared_settings, setting_names, setting_of
from webrag_desktop.config.values import SETTINGS_FILE
from webrag_desktop.models.stack import GivenSetting

__all__ = [
    "SECTIONS",
    "SETTINGS_FILE",
    "GivenSetting",
    "Setting",
    "Settings",
    "data_folder",
    "declared_settings",
    "default_home",
    "given_settings",
    "load_settings",
    "setting_names",
    "setting_of",
    "settings_warnings",
    "shareable_settings",
    "unknown_settings",
]
