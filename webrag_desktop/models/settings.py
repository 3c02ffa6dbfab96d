"""Settings as they are given, listed and changed by whoever uses the program."""

from dataclasses import dataclass
from typing import Literal

from webrag_desktop.bounds import Bounds

SettingKind = Literal["text", "secret", "choice", "yes or no", "whole number", "number", "file", "folder"]
SettingPlace = Literal["default", "file", "keyring", "environment"]


@dataclass(frozen=True, slots=True)
class SettingState:
    """A setting, what it is for, and what holds now.

    ``value`` is what is given, as it is written: None where nothing is, and always None of a secret. ``place`` is where
    it is given; ``sensitive`` says that it may hold a key. ``default`` is empty where there is none, and ``otherwise``
    then says what holds.
    """

    name: str
    label: str
    kind: SettingKind
    choices: tuple[str, ...]
    bounds: Bounds
    unit: str
    description: str
    default: str
    otherwise: str
    advanced: bool
    place: SettingPlace
    value: str | None
    sensitive: bool

    @property
    def is_fixed(self) -> bool:
        """Whether the settings file cannot change it: the environment gives it, or nothing else may."""
        return self.place == "environment" or self.name == "WEBRAG_HOME"


@dataclass(frozen=True, slots=True)
class SettingSection:
    """Settings that a person looks for together."""

    id: str
    title: str
    about: str
    settings: tuple[SettingState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSetting:
    """A setting that is given, and where it is in force from: the environment goes before the settings file.

    Where the file leaves a key to the system's keyring, that is its place. ``value`` is None where it is a secret or
    may hold one; ``unused`` says why it does nothing yet.
    """

    name: str
    value: str | None
    place: Literal["environment", "file", "keyring"]
    unused: str | None
