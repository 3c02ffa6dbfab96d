"""Every setting. Read once by the composition root; nothing else reads the environment."""

from webrag_desktop.config.declaration import Setting
from webrag_desktop.config.files import (
    data_folder,
    exported_settings,
    given_settings,
    load_settings,
    reload_settings,
    settings_warnings,
    shareable_settings,
    unknown_settings,
    written_settings,
)
from webrag_desktop.config.groups import GROUPS, SettingGroup, in_words
from webrag_desktop.config.listing import listed_settings
from webrag_desktop.config.sections import default_home
from webrag_desktop.config.settings import (
    SECTIONS,
    Settings,
    declared_settings,
    problems_of,
    setting_names,
    setting_of,
)
from webrag_desktop.config.values import SETTINGS_FILE
from webrag_desktop.config.writing import change_settings

__all__ = [
    "GROUPS",
    "SECTIONS",
    "SETTINGS_FILE",
    "Setting",
    "SettingGroup",
    "Settings",
    "change_settings",
    "data_folder",
    "declared_settings",
    "default_home",
    "exported_settings",
    "given_settings",
    "in_words",
    "listed_settings",
    "load_settings",
    "problems_of",
    "reload_settings",
    "setting_names",
    "setting_of",
    "settings_warnings",
    "shareable_settings",
    "unknown_settings",
    "written_settings",
]
