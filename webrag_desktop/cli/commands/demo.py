"""``webrag demo``: the first three commands a newcomer types, run for real in a folder of their own."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, Styled, pass_output
from webrag_desktop.resources import resource_path

SAMPLE = ("demo", "tide_pools.md")
QUESTION = "how do animals survive low tide"
REAPER_SECONDS = 40.0


@click.command()
@pass_output
def demo(output: Output) -> ExitCode:
    """Add a sample text, search it, and tidy up; your own library is not touched.

    Runs real commands on a real database in a temporary folder and shows each one.
    """
    with tempfile.TemporaryDirectory(prefix="webrag-demo-", ignore_cleanup_errors=True) as folder:
        environment = _environment(Path(folder))
        try:
            code = _show(output, environment, ["add", str(resource_path(*SAMPLE))])
            if code == ExitCode.OK:
                code = _show(output, environment, ["search", QUESTION, "--limit", "3"])
            if code == ExitCode.OK:
                code = _show(output, environment, ["list"])
        finally:
            _run(environment, ["stack", "stop"], quiet=True)
            _wait_for_reaper(Path(folder))
    if code == ExitCode.OK:
        output.say("That was all of it. Your own library begins with:  webrag add URL")
    return ExitCode(code)


def _environment(home: Path) -> dict[str, str]:
    """Ours, led to a library that has nothing to do with the user's own."""
    own = {name: value for name, value in os.environ.items() if name != "WEBRAG_DATABASE_URL"}
    return own | {"WEBRAG_HOME": str(home), "WEBRAG_STACK": "embedded", "EMBEDDING_BACKEND": "embedded"}


def _wait_for_reaper(home: Path) -> None:
    """The reaper looks into the folder once more before it ends, and would keep it from being deleted."""
    from webrag_desktop import DataFolder, Settings  # seldom felt here, and long to import

    DataFolder(Settings.of(WEBRAG_HOME=home)).wait_until_stopped(REAPER_SECONDS)


def _show(output: Output, environment: dict[str, str], arguments: Sequence[str]) -> int:
    words = (f'"{word}"' if " " in word else word for word in arguments)
    output.say(Styled(f"$ webrag {' '.join(words)}", bold=True))
    code = _run(environment, arguments, quiet=False)
    output.say()
    return code


def _run(environment: dict[str, str], arguments: Sequence[str], *, quiet: bool) -> int:
    sink = subprocess.DEVNULL if quiet else None
    command = [
        sys.executable,
        "-P",
        "-m",
        "webrag_desktop",
        *arguments,
    ]  # -P: run nothing of the current folder
    return subprocess.run(command, env=environment, stdout=sink, check=False).returncode
