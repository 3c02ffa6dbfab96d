"""The user's rules for sites, kept with the window's own settings in the data folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from PySide6.QtCore import QSettings

from webrag_desktop.gui.data.map import SiteRule

_GROUP = "sites"


class KeptRules:
    """Written at once; a line that says no rule is as good as none. :attr:`all` may be read from any thread."""

    def __init__(self, path: Path) -> None:
        """Use the file of the window's settings."""
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)
        self._rules = self._read()

    def _read(self) -> dict[str, SiteRule]:
        self._settings.beginGroup(_GROUP)
        told = {host: str(self._settings.value(host)) for host in self._settings.childKeys()}
        self._settings.endGroup()
        rules: tuple[SiteRule, ...] = get_args(SiteRule)
        return {host: rule for host, said in told.items() for rule in rules if rule == said}

    @property
    def all(self) -> Mapping[str, SiteRule]:
        """The rules of sites that have one; never changed, only replaced."""
        return self._rules

    def set(self, host: str, rule: SiteRule) -> None:
        """Keep a rule; to ask is what holds without one."""
        rules = dict(self._rules)
        rules.pop(host, None)
        if rule == "ask":
            self._settings.remove(f"{_GROUP}/{host}")
        else:
            rules[host] = rule
            self._settings.setValue(f"{_GROUP}/{host}", rule)
        self._rules = rules
        self._settings.sync()
