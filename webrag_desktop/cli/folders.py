"""``webrag add FOLDER``: shows what is in a folder and asks before its files are added."""

import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import click

from webrag_desktop.cli.output import Output, Styled, one_line
from webrag_desktop.cli.session import showing_steps
from webrag_desktop.errors import InputError
from webrag_desktop.models.formats import DOC_TYPES
from webrag_desktop.models.intake import FolderPreview, Skipped, SkipReason
from webrag_desktop.progress import ProgressCallback

LookThrough = Callable[[Sequence[Path], ProgressCallback], FolderPreview]
_COLUMN = 10
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_REASONS: dict[SkipReason, str] = {
    "unreadable": "may not be read; check the permissions",
    "kind": "of kinds that cannot be read",
    "too large": "too large",
    "empty": "empty",
    "hidden": "hidden",
    "tool": "version control, packages and the like",
    "page parts": "parts of a saved page",
    "link": "links; what they lead to is not followed",
    "special": "no ordinary files",
    "name": "with names that are not UTF-8; rename them first",
    "deep": "too deep inside each other",
}

_NAMED: frozenset[SkipReason] = frozenset(("unreadable", "name", "too large"))


def chosen_kinds(
    _ctx: click.Context, _parameter: click.Parameter, value: str | None
) -> frozenset[str] | None:
    """The kinds named in ``--kinds``, or None for all of them."""
    if value is None:
        return None
    named = [kind.strip().lower() for kind in value.split(",") if kind.strip()]
    unknown = next((kind for kind in named if kind not in DOC_TYPES), None)
    if unknown is not None or not named:
        raise click.BadParameter(f"“{unknown or value}” is none of {', '.join(DOC_TYPES)}.")
    return frozenset(named)


def with_folders(
    given: Sequence[str],
    look: LookThrough,
    output: Output,
    kinds: Collection[str] | None,
    *,
    yes: bool,
) -> list[str]:
    """What was given, with the files in folders, once the user agreed, in place of the folders.

    Raises:
        InputError: it would have to ask, and nobody is there to answer.
        FetchError: a folder cannot be looked into.
    """
    folders = [text for text in dict.fromkeys(given) if is_folder(text)]
    if not folders:
        return list(given)
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"{folders[0]} is a folder, and there is no terminal to ask on whether to add what is in it.",
            "Give --yes to add its files without asking.",
        )
    with showing_steps() as show:
        preview = look([Path(folder).expanduser() for folder in folders], show)
    paths = preview.paths(kinds)
    _print(output, preview, kinds)
    rest = [text for text in given if text not in folders]
    if not paths:
        output.note("There is nothing to add in it.")
        return rest
    if not yes and not click.confirm(f"Add {_files(len(paths))}?", default=True, err=True):
        output.note("Nothing of it was added.")
        return rest
    return [*rest, *paths]


def is_folder(text: str) -> bool:
    """Whether that is given which is to be looked through first."""
    if "://" in text or not text.strip():  # an empty variable is not the current folder
        return False
    try:
        return Path(text).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError):  # no name of a file, or no such home
        return False


def _print(output: Output, preview: FolderPreview, kinds: Collection[str] | None) -> None:
    """The preview, on standard error: standard output is for the report."""
    for folder in preview.folders:
        output.note(Styled(one_line(folder), bold=True))
    for count in preview.kinds():
        if kinds is None or count.kind in kinds:
            size = f", {_size(count.bytes_to_add)}" if count.to_add else ""
            output.note(f"  {count.kind:<{_COLUMN}}{count.to_add} to add{size}")
    present, changed = preview.standing("present"), preview.standing("changed")
    if changed:
        output.note(f"  {changed} of them were read before and have changed, or could not be read then")
    if present:
        output.note(f"  {_files(present)} already in the library")
    _print_left_out(output, preview)


def _print_left_out(output: Output, preview: FolderPreview) -> None:
    if preview.skipped:
        output.note("  Left out:")
    for group in preview.skipped:
        output.note("    ", _skipped(group))
        for path in group.examples if group.reason in _NAMED else ():
            output.note("      ", Styled(one_line(path), dim=True))
    if preview.cut_short:
        output.note("  There is more than is looked at in one go; add the folders in it one by one.")


def _skipped(group: Skipped) -> str:
    parts = [_files(group.files) if group.files else "", _folders(group.folders) if group.folders else ""]
    endings = ", ".join(f"{one_line(ending) or 'no ending'} {count}" for ending, count in group.endings)
    return (
        f"{' and '.join(filter(None, parts))}: {_REASONS[group.reason]}{f' ({endings})' if endings else ''}"
    )


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _folders(count: int) -> str:
    return "1 folder" if count == 1 else f"{count} folders"


def _size(size: int) -> str:
    leading, unit = float(size), 0
    while leading >= 1000 and unit + 1 < len(_UNITS):
        leading, unit = leading / 1000, unit + 1
    return f"{leading:.1f} {_UNITS[unit]}" if unit > 1 and leading < 10 else f"{leading:.0f} {_UNITS[unit]}"
