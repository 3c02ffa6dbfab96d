"""Every setting with what it is for and what holds now, in groups."""

from pathlib import Path

from webrag_desktop.config import keys
from webrag_desktop.config.declaration import Setting
from webrag_desktop.config.files import exported_settings, may_hold_key, written_settings
from webrag_desktop.config.groups import GROUPS, Entry
from webrag_desktop.config.settings import declared_settings
from webrag_desktop.config.values import SETTINGS_FILE
from webrag_desktop.models.settings import SettingPlace, SettingSection, SettingState


def listed_settings(home: Path) -> tuple[SettingSection, ...]:
    """Every setting, group by group, as environment and settings file of the data folder give it.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    written, exported = written_settings(home / SETTINGS_FILE), exported_settings()
    by_name = {one.name: one for one in declared_settings()}
    written.pop("WEBRAG_HOME", None)  # a file cannot move its own folder
    return tuple(
        SettingSection(
            group.id,
            group.title,
            group.about,
            tuple(_state(by_name[entry.name], entry, written, exported, home) for entry in group.entries),
        )
        for group in GROUPS
    )


def _state(
    one: Setting, entry: Entry, written: dict[str, str], exported: dict[str, str], home: Path
) -> SettingState:
    value = exported.get(one.name, written.get(one.name))
    if one.name == "WEBRAG_HOME":
        value = str(home)
    return SettingState(
        name=one.name,
        label=entry.label,
        kind=one.kind,
        choices=one.choices,
        bounds=one.bounds,
        unit=one.unit,
        description=one.description,
        default=one.written_default,
        otherwise=one.otherwise,
        advanced=entry.advanced,
        place=_place(one, written, exported),
        value=None if one.secret else value,
        sensitive=one.secret or may_hold_key(value or ""),
    )


def _place(one: Setting, written: dict[str, str], exported: dict[str, str]) -> SettingPlace:
    if one.name in exported:
        return "environment"
    if one.name not in written:
        return "default"
    return "keyring" if keys.may_lie_in_keyring(one) and keys.is_mark(written[one.name]) else "file"
