"""``webrag backup`` and ``restore``: the whole library in one file, and back from it."""

import sys
from pathlib import Path

import click

from webrag_desktop import DataFolder, check_backup
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.session import open_library, showing_steps
from webrag_desktop.cli.shapes.upkeep import BackupReport, RestoreReport
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.models.backups import Manifest, RestoredLibrary

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
@json_option
@pass_output
def backup(output: Output, file: Path, force: bool) -> ExitCode:
    """Save everything in the library to FILE: documents, what was fetched, versions, vectors, citations, the queue.

    It is the library of one moment, also while pages are being indexed. Keys and passwords are not in it.
    """
    with open_library() as library, showing_steps() as show:
        saved = library.backup(file.absolute(), overwrite=force, progress=show)
    report = BackupReport.of(saved.path, saved.size, saved.manifest)
    if output.as_json:
        output.document(report)
    else:
        output.say(f"Saved {held_words(saved.manifest)} to {file} ({_megabytes(saved.size)}).")
    return ExitCode.OK


def held_words(manifest: Manifest) -> str:
    """How many documents a backup holds, those in the bin apart."""
    words = "1 document" if manifest.held == 1 else f"{manifest.held} documents"
    if manifest.without_text:
        words = f"{words} ({manifest.without_text} without a text)"
    return f"{words}, and {manifest.in_bin} in the bin," if manifest.in_bin else words


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"


@click.command()
@click.argument("file", type=FILE)
@click.option("--check", "only_check", is_flag=True, help="Only read the file to its end; change nothing.")
@click.option("--replace", is_flag=True, help="Replace a library that is not empty; it is saved first.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
@pass_output
def restore(output: Output, file: Path, only_check: bool, replace: bool, yes: bool) -> ExitCode:
    """Make FILE, which `webrag backup` wrote, the library, if this one is empty.

    The file is checked to its end first. With --replace the present library is saved into the folder `backups` of the
    data folder, and goes. Whatever happens meanwhile, there is the one library or the other. Close the window before.
    """
    if only_check:
        with showing_steps() as show:
            manifest = check_backup(file.absolute(), show)
        _print(
            output,
            RestoreReport.checked(file.absolute(), manifest),
            f"The backup is whole: {held_words(manifest)}",
        )
        return ExitCode.OK
    if replace and not yes and not output.as_json and not _agreed():
        output.say("Nothing was changed.")
        return ExitCode.OK
    folder = DataFolder.at()
    with showing_steps() as show:
        restored = folder.restore(file.absolute(), replace=replace, progress=show)
    _print(output, RestoreReport.of(file.absolute(), restored), f"Restored {held_words(restored.manifest)}")
    if not output.as_json:
        _print_more(output, restored, folder.shareable_settings())
    return ExitCode.OK


def _agreed() -> bool:
    return not sys.stdin.isatty() or click.confirm("Put the saved library in the place of the present one?")


def _print(output: Output, report: RestoreReport, said: str) -> None:
    if output.as_json:
        output.document(report)
        return
    output.say(f"{said.rstrip(',')}, as of {day_and_minute(report.made_at)}.")


def _print_more(output: Output, restored: RestoredLibrary, now: dict[str, str]) -> None:
    if restored.former is not None:
        output.say(f"What was here before is kept in {restored.former.path}.")
    if restored.intake:
        output.say(f"{restored.intake} more wait to be taken in; `webrag work` does that.")
    if differing := _differing(restored.manifest, now):
        output.say(
            "Settings were not restored. Other ones than now were in the settings file of that library:"
        )
        for name, value in differing.items():
            output.say(f"    {name}={value}")


def _differing(manifest: Manifest, now: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in manifest.settings.items() if now.get(name) != value}
