"""``webrag backup``: the whole library in one file."""

from pathlib import Path

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.upkeep import BackupReport
from webrag_desktop.cli.steps import showing_steps

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(short_help="Save the whole library to one file.")
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
        output.say(f"Saved {counted(report.documents, report.sources)} to {file} ({_megabytes(saved.size)}).")
    return ExitCode.OK


def counted(documents: int, sources: int) -> str:
    """How many documents, and what has no text yet."""
    words = "1 document" if documents == 1 else f"{documents} documents"
    without_text = sources - documents
    return words if not without_text else f"{words} and {without_text} without a text"


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"
