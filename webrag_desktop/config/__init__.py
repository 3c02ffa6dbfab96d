"""Every setting. Read once by the composition root; nobody else reads the environment."""

from webrag_desktop.config.files import data_folder, load_settings, shareable_settings, unknown_settings
from webrag_desktop.config.settings import Settings, default_home, setting_names
from webrag_desktop.config.values import SETTINGS_FILE

__all__ = [
    "SETTINGS_FILE",
    "Settings",
    "data_folder",
    "default_home",
    "load_settings",
    "setting_names",
    "shareable_settings",
    "unknown_settings",
]
