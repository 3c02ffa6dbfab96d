"""Where settings are written: the environment, and the file ``.env`` of the data folder; misspelt names."""

import logging
import os
import re
import shlex
import stat
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from webrag_desktop.config import keys
from webrag_desktop.config.declaration import Setting
from webrag_desktop.config.sections import Places
from webrag_desktop.config.settings import Settings, declared_settings, setting_names
from webrag_desktop.config.values import SETTINGS_FILE
from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.errors.opening import NotAFileError, file_content, why
from webrag_desktop.models.settings import GivenSetting

# By difflib's measure: a slip in a short name; in a long one also a word that is missing.
_ALIKE = 0.85


# docker-compose.yml reads these from the environment, or from a file of that name, itself.
_OF_COMPOSE = frozenset(("WEBRAG_DB_PASSWORD", "WEBRAG_DB_PORT", "WEBRAG_OLLAMA_PORT"))


class UnknownName(NamedTuple):
    """A name that no setting has, and the setting that is most likely meant, if any is."""

    name: str
    nearest: str | None


def unknown_in_file(written: Iterable[str], settings: Iterable[str]) -> list[UnknownName]:
    """Those of a settings file that begin like a setting, or read nearly like one."""
    known = frozenset(settings)
    beginnings = {_beginning(name) for name in known}
    found = [UnknownName(name, _nearest(name, known)) for name in written if _is_unknown(name, known)]
    return [one for one in found if one.nearest or _beginning(one.name) in beginnings]


def unknown_in_environment(exported: Iterable[str], settings: Iterable[str]) -> list[UnknownName]:
    """Those of the environment that read nearly like a setting; it holds many that belong to other programs.

    So does what continues the name of a setting, such as ``CHAT_MODEL_NAME``, and what begins with another word,
    such as ``CHATGPT_API_KEY``.
    """
    known = frozenset(settings)
    longer = tuple(f"{name}_" for name in known)
    names = [name for name in exported if _is_unknown(name, known) and not name.startswith(longer)]
    found = [UnknownName(name, _nearest(name, known)) for name in names]
    return [one for one in found if one.nearest and _begins_alike(one.name, one.nearest)]


def _begins_alike(name: str, other: str) -> bool:
    from difflib import get_close_matches

    return bool(get_close_matches(_beginning(name), [_beginning(other)], cutoff=_ALIKE))


def _beginning(name: str) -> str:
    return name.partition("_")[0]


def _is_unknown(name: str, known: frozenset[str]) -> bool:
    return name not in known and name not in _OF_COMPOSE


def _nearest(name: str, known: frozenset[str]) -> str | None:
    # Slips in the first two letters are rare, and comparing everything with everything would be felt at each start.
    candidates = sorted(one for one in known if one[:2] == name[:2])
    if not candidates:
        return None
    from difflib import get_close_matches  # most users have no such name

    return next(iter(get_close_matches(name, candidates, n=1, cutoff=_ALIKE)), None)


log = logging.getLogger(__name__)
_HOME = "WEBRAG_HOME"
_LARGEST = 1_000_000  # bytes; blank.env, which names every setting, has a few thousand
_ENVIRONMENT = "the environment"
_PASSWORD = re.compile(r"//[^/@]*:[^/@]+@|\bpassword=", re.IGNORECASE)
_OTHERS_MAY_READ = stat.S_IRGRP | stat.S_IROTH


class _SettingsFile:
    """What a settings file says; a relative path in it starts at its folder.

    ``written`` has every name in upper case, also of other programs, with its value; what is empty counts as not set.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.written: dict[str, str] = {}
        try:
            if _is_there(file):  # the library would wait for a pipe
                _refuse_open_quotation(file)
                self.written = _not_empty(dotenv_values(file, encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ConfigurationError(
                f"The settings file {file} is not in UTF-8.", "Save it as plain text in UTF-8."
            ) from error
        except OSError as error:
            raise ConfigurationError(
                f"The settings file {file} cannot be read: {why(error)}.",
                "Give yourself the right to read it if it is a file of settings, or move it away.",
            ) from error

    def settings(self) -> dict[str, Any]:
        """What it says of settings; it cannot move its own data folder."""
        return {
            one.name: one.beside(value, self.file.parent) if one.beside else value
            for one in declared_settings()
            if one.name != _HOME and (value := self.written.get(one.name))
        }


def _not_empty(given: Mapping[str, str | None]) -> dict[str, str]:
    """What is given, by names in upper case; they may be written in any."""
    return {name.upper(): value for name, value in given.items() if value}


def _is_there(file: Path) -> bool:
    """Whether there is such a file; raises OSError for one that cannot be read whole."""
    try:
        file_content(file, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except NotAFileError:
        if not file.is_dir():  # a Python environment may have that name
            raise
        return False
    return True


_OPEN_QUOTATION = re.compile(r"\s*(?:export\s+)?[^\s=#]+[^\S\r\n]*=[^\S\r\n]*['\"]")


def _refuse_open_quotation(file: Path) -> None:
    """Refuse a value whose quotation mark is never closed: its line would be ignored, with others behind it."""
    for line in parse_stream(StringIO(file_content(file, _LARGEST).decode("utf-8-sig"))):
        if line.error and _OPEN_QUOTATION.match(line.original.string):
            blank = line.original.string[: -len(line.original.string.lstrip())]
            raise ConfigurationError(
                f"Line {line.original.line + blank.count(chr(10))} of the settings file {file} cannot be read: its "
                "quotation mark is not closed, or something follows the closed one.",
                "Close the value with the mark that it begins with, or take both away.",
            )


def data_folder() -> Path:
    """The data folder: what ``WEBRAG_HOME`` names, or the platform's own place.

    Raises:
        ConfigurationError: it names a user without a home folder.
    """
    named = _environment().get(_HOME)
    return Settings.of(**({_HOME: named} if named else {})).webrag_home


def _environment() -> dict[str, str]:
    given, names = _not_empty(os.environ), setting_names()
    return {name: given[name] for name in names if name in given}


def shareable_settings(home: Path) -> dict[str, str]:
    """What the data folder's settings file sets, without keys, addresses that may hold one, and where things live."""
    written = _SettingsFile(home / SETTINGS_FILE).written
    return {
        one.name: written[one.name]
        for one in declared_settings()
        if one.name in written and _is_shareable(one, written[one.name])
    }


def _is_shareable(one: Setting, value: str) -> bool:
    return one.section != Places.title and one.kind not in ("secret", "file") and not may_hold_key(value)


def may_hold_key(address: str) -> bool:
    """Whether a value may hold a key or a password beside an address."""
    return bool(set("@?") & set(address))


def written_settings(file: Path) -> dict[str, str]:
    """What a settings file says, word for word, by names in upper case; also of other programs."""
    return _SettingsFile(file).written


def exported_settings() -> dict[str, str]:
    """What the environment says of settings."""
    return _environment()


def given_settings(home: Path) -> list[GivenSetting]:
    """The settings that are given, in their order, as they are in force: the environment wins over the file."""
    from_file, exported = _SettingsFile(home / SETTINGS_FILE).settings(), _environment()
    given = from_file | exported
    return [
        GivenSetting(
            name=one.name,
            value=None if one.secret or may_hold_key(given[one.name]) else given[one.name],
            place="environment" if one.name in exported else _place(one, given[one.name]),
            unused=one.unused or None,
        )
        for one in declared_settings()
        if one.name in given
    ]


def _place(one: Setting, value: str) -> Literal["file", "keyring"]:
    return "keyring" if keys.may_lie_in_keyring(one) and keys.is_mark(value) else "file"


def unknown_settings(home: Path) -> list[str]:
    """A sentence for each name in the settings file or the environment that resembles a setting's and is none."""
    return _unknown(_SettingsFile(home / SETTINGS_FILE))


def _unknown(file: _SettingsFile) -> list[str]:
    names = setting_names()
    exported = [name.upper() for name, value in os.environ.items() if value]
    unknown = [(one, str(file.file)) for one in unknown_in_file(file.written, names)]
    unknown += [(one, _ENVIRONMENT) for one in unknown_in_environment(exported, names)]
    return [
        f"{one.name} in {place} is no setting and does nothing. "
        + (f"Did you mean {one.nearest}?" if one.nearest else "blank.env lists every setting.")
        for one, place in unknown
    ]


def settings_warnings(home: Path) -> list[str]:
    """Sentences for what is given and does nothing, and for keys in a settings file that others may read."""
    file = _SettingsFile(home / SETTINGS_FILE)
    return [*_unknown(file), *_unused(file), *_readable(file)]


def _unused(file: _SettingsFile) -> list[str]:
    written, exported = file.written, _environment()
    warnings = [
        f"{one.name} in {place} does nothing yet: {one.unused}."
        for one in declared_settings()
        for place, names in ((str(file.file), written), (_ENVIRONMENT, exported))
        if one.unused and one.name in names
    ]
    if _HOME in written:
        warnings.append(
            f"{_HOME} in {file.file} does nothing: only the environment can move the data folder."
        )
    return warnings


def _readable(file: _SettingsFile) -> list[str]:
    """By their modes, POSIX systems tell who may read a file; others have lists that say more."""
    written = file.written
    secrets = [one.name for one in declared_settings() if _is_secret(one, written.get(one.name, ""))]
    if not secrets or os.name != "posix":
        return []
    mode = stat.S_IMODE(file.file.stat().st_mode)
    if not mode & _OTHERS_MAY_READ:
        return []
    return [
        f"{file.file} holds {' and '.join(secrets)}, and its mode {mode:o} lets others on this computer read it. "
        f"To keep it to yourself, run: chmod 600 {shlex.quote(str(file.file))}"
    ]


def _is_secret(one: Setting, value: str) -> bool:
    """Whether there is a secret in it: a key, or an address with a password; that of a database may have none."""
    if one.name != "WEBRAG_DATABASE_URL" and one.secret:
        return bool(value) and _place(one, value) == "file"
    return bool(_PASSWORD.search(value))


def load_settings(home: str | Path | None = None, **settings: object) -> Settings:
    """Read the environment and the file ``.env`` in the data folder; the environment wins.

    A key that lies in the system's keyring is read from there; where that takes longer than a few seconds, or fails,
    a warning is logged and the setting has no value.

    Only that folder's file is read: one in the current folder belongs to some other program. What
    :func:`settings_warnings` has to say is logged as warnings. ``home`` names another data folder than the environment
    does; ``settings``, by their names in any case, go before the environment.

    Raises:
        ConfigurationError: a value is not of its type or out of range (the message names the setting), or the file
            cannot be read or is not in UTF-8.
        InputError: there is no setting of a name.
    """
    return _loaded(home, _requested(settings), keys.PATIENCE)


def reload_settings(home: Path, patience: float) -> Settings:
    """The settings of a folder as environment and file give them now; its keyring may take ``patience`` seconds.

    Raises as :func:`load_settings` does.
    """
    return _loaded(home, {}, patience)


def _loaded(home: str | Path | None, requested: dict[str, object], patience: float) -> Settings:
    folder = data_folder() if not str(home or "") else Settings.of(**{_HOME: home}).webrag_home
    for warning in settings_warnings(folder):
        log.warning(warning)
    others = _environment() | requested
    from_file = _SettingsFile(folder / SETTINGS_FILE).settings()
    given = _with_keys({name: from_file[name] for name in from_file if name not in others}, patience) | others
    is_named = bool(str(home or "")) or _HOME in given
    return Settings.of(**(given | {_HOME: folder} if is_named else given))


def _with_keys(from_file: dict[str, Any], patience: float) -> dict[str, Any]:
    """The keys themselves where the file has marks of the keyring; those that are not to be had are left out."""
    found = dict(from_file)
    for one in declared_settings():
        if one.name in found and _place(one, found[one.name]) == "keyring":
            try:
                found[one.name] = keys.key_of(one.name, found[one.name], patience)
            except keys.KeyringError as error:
                log.warning("%s is not used: %s %s", one.name, error.message, error.hint)
                del found[one.name]
                patience = min(patience, 1.0)  # one that hangs would hang for each key
    return found


def _requested(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings that a program passes, by their names in upper case; None and what is empty count as not passed."""
    given = {name.upper(): value for name, value in settings.items()}
    for name in given:
        if name == _HOME or name not in setting_names():
            raise InputError(
                f"There is no setting {name} to be given here.",
                "docs/settings.md lists the settings; the data folder is the first argument.",
            )
    values = {
        name: value.get_secret_value()
        if hasattr(value, "get_secret_value")
        else value  # pydantic's SecretStr
        for name, value in given.items()
        if value is not None
    }
    return {
        name: value for name, value in values.items() if str(value)
    }  # as in the environment, nothing says nothing
