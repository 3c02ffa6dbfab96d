"""Changes of the settings file: checked first, then written whole, with comments and unknown lines as they were."""

import os
import re
import tempfile
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Final

from dotenv.parser import Binding, parse_stream

from webrag_desktop.config import keys
from webrag_desktop.config.files import written_settings
from webrag_desktop.config.keys import KeyringError
from webrag_desktop.config.settings import declared_settings, problems_of
from webrag_desktop.config.values import SETTINGS_FILE
from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.errors.opening import why
from webrag_desktop.stack.layout import make_private
from webrag_desktop.stack.locks import FileLock

Changes = Mapping[str, str | None]
_FIXED: Final = "WEBRAG_HOME"
_LOCK_SECONDS = 10.0
# A line that sets something, as python-dotenv reads it; but what looks like a comment where no value is, stays one.
_LINE = re.compile(
    r"""(?P<before>\s*(?:export[^\S\r\n]+)?)
    (?:'[^']+'|[^=\#\s]+)[^\S\r\n]*
    (?:=(?:(?=[^\S\r\n]+\#)|[^\S\r\n]*(?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|(?!['"])[^\r\n]*?(?=\s+\#|\s*\Z))))?
    (?P<comment>[^\S\r\n]*\#[^\r\n]*)?[^\S\r\n]*(?P<end>\r\n|\n|\r|\Z)""",
    re.VERBOSE,
)
_BARE = re.compile(r"[\w./:@+,%&?~-]+")  # what needs no quotation marks


def change_settings(home: Path, changes: Changes, patience: float = keys.PATIENCE) -> list[str]:
    """Set the named settings in the settings file of a data folder; None or nothing takes one out of it.

    Keys go to the system's keyring, where there is one, else into the file, which only the user may read. All of it is
    written, or none. Returns a sentence for each key that could not be kept, or removed, as wished.

    Raises:
        InputError: there is no setting of a name, or it cannot be set in the file.
        ConfigurationError: a value cannot be used, or the file cannot be read or written.
    """
    _check(changes)
    file = home / SETTINGS_FILE
    try:
        make_private(home / "locks")
        lock = FileLock(home / "locks" / "settings")
        if not lock.acquire(shared=False, timeout=_LOCK_SECONDS):
            raise ConfigurationError("Another program is writing the settings.", "Try again in a moment.")
        try:
            return _change(file, changes, patience)
        finally:
            lock.release()
    except OSError as error:
        raise ConfigurationError(
            f"The settings file {file} cannot be written: {why(error)}. Nothing was changed.",
            "Give yourself the right to write to it, or set the settings in the environment.",
        ) from error


def _check(changes: Changes) -> None:
    names = {one.name for one in declared_settings()} - {_FIXED}
    for name in changes:
        if name not in names:
            raise InputError(
                f"There is no setting {name} that a settings file can hold.",
                "`webrag settings` lists the settings; the data folder is named by the environment alone.",
            )
    problems = problems_of({name: value for name, value in changes.items() if value})
    if problems:
        said = " ".join(f"The setting {name} cannot be used: {wanted}." for name, wanted in problems.items())
        raise ConfigurationError(f"{said} Nothing was changed.", "`webrag settings` tells what it may be.")


def _change(file: Path, changes: Changes, patience: float) -> list[str]:
    before = written_settings(file)
    lines, notes = _kept(changes, patience)
    text = file.read_bytes().decode("utf-8-sig") if file.exists() else ""
    try:
        _write(file, changed_text(text, lines))
    except BaseException:
        _forget({name: value for name, value in lines.items() if value}, patience)
        raise
    replaced = {name: before[name] for name in lines if name in before and before[name] != lines[name]}
    return notes + _forget(replaced, patience)


def _kept(changes: Changes, patience: float) -> tuple[dict[str, str | None], list[str]]:
    """What the file is to say: of a key that the keyring took, its mark."""
    lines: dict[str, str | None] = {}
    notes = []
    own = {one.name for one in declared_settings() if keys.may_lie_in_keyring(one)}
    there = any(changes[name] for name in own & set(changes)) and keys.has_keyring(patience)
    for name, value in changes.items():
        lines[name] = value or None
        if value and name in own and there:
            try:
                lines[name] = keys.keep(name, value, patience)
            except KeyringError as error:
                notes.append(f"{error.message} {name} is kept in the settings file instead.")
    return lines, notes


def _forget(written: Mapping[str, str], patience: float) -> list[str]:
    """Remove keys from the keyring that no line of the file leads to any more."""
    notes = []
    for name, value in written.items():
        if keys.is_mark(value):
            try:
                keys.forget(name, value, patience)
            except KeyringError as error:
                notes.append(f"{error.message} The former key of {name} is still in it.")
    return notes


def changed_text(text: str, lines: Changes) -> str:
    """The text of a settings file with these settings; everything else in it stays as it is.

    So does what else is on a changed line; a line that goes takes the comment on it along.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    bindings = list(parse_stream(StringIO(text)))
    last = {one.key.upper(): number for number, one in enumerate(bindings) if one.key}
    comments = {name: at for name in lines if (at := _commented(bindings, name)) is not None}
    parts = []
    left = {name: value for name, value in lines.items() if value}
    for number, one in enumerate(bindings):
        name = (one.key or "").upper()
        if name not in lines:
            parts.append(one.original.string)
        elif name in left and last[name] == number:
            parts.append(_changed(one.original.string, name, left.pop(name), newline))
        else:  # a line that does not hold, or that is to go
            parts.append(_space_before(one))
        for wanted in [wanted for wanted, at in comments.items() if at == number and wanted not in last]:
            if wanted in left:
                parts[-1] = _ended(parts[-1], newline)
                parts.append(_line(wanted, left.pop(wanted)) + newline)
    whole = "".join(parts)
    added = "".join(_line(name, value) + newline for name, value in left.items())
    return _ended(whole, newline) + added if left else whole


def _changed(line: str, name: str, value: str, newline: str) -> str:
    found = _LINE.fullmatch(line)
    assert found is not None, "python-dotenv read a setting in it"
    comment = found["comment"] or ""
    apart = " " if comment.startswith("#") else ""  # a bare value would go on with it
    return f"{found['before']}{_line(name, value)}{apart}{comment}{found['end'] or newline}"


def _commented(bindings: list[Binding], name: str) -> int | None:
    """Where a comment shows how the setting would be written, as blank.env does."""
    pattern = re.compile(rf"\s*#\s*{name}=", re.IGNORECASE)
    return next((at for at, one in enumerate(bindings) if pattern.match(one.original.string)), None)


def _space_before(one: Binding) -> str:
    whole = one.original.string
    return whole[: len(whole) - len(whole.lstrip())]


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith(("\n", "\r")) else f"{text}{newline}"


def _line(name: str, value: str) -> str:
    return f"{name}={_quoted(value)}"


def _quoted(value: str) -> str:
    """As the reader of the file takes it for this value, whatever is in it."""
    if _BARE.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace("${", "${:-$}{") + "'"  # else a name in braces would be replaced


def _write(file: Path, text: str) -> None:
    target = file.resolve()  # a link stays one
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".env.")  # with mode 0600
    part = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as writing:
            writing.write(text)
            writing.flush()
            os.fsync(writing.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
