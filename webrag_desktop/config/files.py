"""Where settings are written: the environment, and the file ``.env`` of the data folder."""

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from webrag_desktop.config.settings import Settings, default_home, setting_names
from webrag_desktop.config.unknown_names import unknown_in_environment, unknown_in_file
from webrag_desktop.config.values import SETTINGS_FILE, read_value, tokenizer_path
from webrag_desktop.errors import ConfigurationError

log = logging.getLogger(__name__)


def data_folder() -> Path:
    """The data folder: what ``WEBRAG_HOME`` names, or the platform's own place.

    Raises:
        ConfigurationError: it names a user without a home folder.
    """
    named = read_value("WEBRAG_HOME", os.environ.get("WEBRAG_HOME") or str(default_home()))
    assert isinstance(named, Path)
    return named


def _given(file: Path) -> dict[str, str]:
    """What is set, by its upper-case name; what is empty counts as not set.

    A file that the file names by a relative path lies beside it.
    """
    written = {name.upper(): value for name, value in _written(file).items() if value}
    if tokenizer := written.get("EMBEDDING_TOKENIZER"):
        written["EMBEDDING_TOKENIZER"] = tokenizer_path(tokenizer, file.parent)
    if (model := written.get("RETRIEVAL_RERANK_MODEL_FILE")) and not model.startswith("~"):
        written["RETRIEVAL_RERANK_MODEL_FILE"] = str(file.parent / model)
    return written | {name.upper(): value for name, value in os.environ.items() if value}


def _written(file: Path) -> Mapping[str, str | None]:
    if not file.is_file():
        return {}
    from dotenv import dotenv_values  # most users have no such file

    try:
        return dotenv_values(file)
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"The settings file {file} is not in UTF-8.", "Save it as plain text in UTF-8."
        ) from error


_NEVER_SHARED = re.compile(r"WEBRAG_|.*_(KEY|FILE)$")


def shareable_settings(home: Path) -> dict[str, str]:
    """What the data folder's settings file sets, without keys, addresses that may hold one, and where things live."""
    written = ((name.upper(), value or "") for name, value in _written(home / SETTINGS_FILE).items())
    return {
        name: value
        for name, value in written
        if name in setting_names() and value and not _NEVER_SHARED.match(name) and not set("@?") & set(value)
    }


def unknown_settings(home: Path) -> list[str]:
    """A sentence for each name in the settings file or the environment that looks like a setting's and is none."""
    file, names = home / SETTINGS_FILE, setting_names()
    written = [name.upper() for name, value in _written(file).items() if value]
    exported = [name.upper() for name, value in os.environ.items() if value]
    unknown = [(one, str(file)) for one in unknown_in_file(written, names)]
    unknown += [(one, "the environment") for one in unknown_in_environment(exported, names)]
    return [
        f"{one.name} in {place} is no setting and does nothing. "
        + (f"Did you mean {one.nearest}?" if one.nearest else "blank.env lists every setting.")
        for one, place in unknown
    ]


def load_settings() -> Settings:
    """Read the environment and the file ``.env`` in the data folder; the environment wins.

    Only that folder's file is read: one that happens to lie in the current folder belongs to somebody else. What
    :func:`unknown_settings` has to say is logged as warnings.

    Raises:
        ConfigurationError: a value is not of its type or out of range (the message names the setting), or the file
            is not in UTF-8.
    """
    home = data_folder()
    for told in unknown_settings(home):
        log.warning(told)
    return replace(Settings.of(**_given(home / SETTINGS_FILE)), webrag_home=home)
