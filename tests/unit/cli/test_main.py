import json
import logging
import subprocess
import sys
import types
import warnings
from collections.abc import Callable

import click
import pytest

from webrag_desktop import __version__
from webrag_desktop.cli import main
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.main import Entry, run
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    DatabaseError,
    EmbeddingError,
    FetchError,
    InputError,
    TextSearchConfigurationError,
    WebragError,
)

Body = Callable[[Output], object]
Install = Callable[[Body], None]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a command named ``fake`` into the group."""

    def install(body: Body) -> None:
        @click.command()
        @json_option
        @pass_output
        def command(output: Output) -> object:
            return body(output)

        module = types.ModuleType("fake")
        module.command = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "webrag_desktop.cli.commands.fake", module)
        monkeypatch.setitem(main.COMMANDS, "fake", Entry("fake", "command", "For tests."))

    return install


def raising(error: BaseException) -> Body:
    def body(_output: Output) -> object:
        raise error

    return body


def test_without_arguments_it_helps_and_tells_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    out = capsys.readouterr().out
    assert "Usage: webrag" in out
    assert out.splitlines()[-1].startswith("Begin with:  webrag add")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"webrag {__version__}\n"


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    assert f"Usage: webrag {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FetchError("The page is gone.", "Try later."), ExitCode.FAILED),
        (InputError("No such thing.", "Look again."), ExitCode.USAGE),
        (DatabaseError("It does not answer.", "Start it."), ExitCode.UNAVAILABLE),
        (EmbeddingError("The model is away.", "Start it."), ExitCode.UNAVAILABLE),
        (ConfigurationError("A setting is wrong.", "Change it."), ExitCode.CONFIGURATION),
        (TextSearchConfigurationError("No klingon.", "Use english."), ExitCode.CONFIGURATION),
        (Cancelled("Stopped.", "Go on."), ExitCode.INTERRUPTED),
    ],
)
def test_errors_become_words_and_codes(
    fake: Install, capsys: pytest.CaptureFixture[str], error: WebragError, code: ExitCode
) -> None:
    fake(raising(error))
    assert run(["fake"]) == code
    assert capsys.readouterr() == ("", f"{error.message}\n{error.hint}\n")
    assert run(["fake", "--json"]) == code
    assert json.loads(capsys.readouterr().out)["error"]["exit_code"] == code


def test_ctrl_c_is_quiet(fake: Install, capsys: pytest.CaptureFixture[str]) -> None:
    fake(raising(KeyboardInterrupt()))
    assert run(["fake"]) == 130
    assert "Stopped." in capsys.readouterr().err


def test_what_the_system_refuses_is_reported(fake: Install, capsys: pytest.CaptureFixture[str]) -> None:
    fake(raising(PermissionError(13, "Permission denied", "/data")))
    assert run(["fake"]) == ExitCode.UNAVAILABLE
    assert "Permission denied (/data)" in capsys.readouterr().err


def test_the_returned_code_is_the_exit_code(fake: Install) -> None:
    fake(lambda _output: ExitCode.DAMAGED)
    assert run(["fake"]) == 5
    fake(lambda _output: None)
    assert run(["fake"]) == 0


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["list", "--nonsense"], ["show"], ["search", "q", "--limit", "0"]]
)
def test_usage_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*arguments, "--json"]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"]["exit_code"] == 2
    assert "--help" in printed.err


@pytest.mark.filterwarnings("default")
def test_warnings_and_own_log_lines_are_one_line_each(
    fake: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    def body(_output: Output) -> None:
        warnings.warn("the threshold is too high", stacklevel=1)
        logging.getLogger("webrag_desktop.storage").warning("an entry was quarantined")
        logging.getLogger("psycopg.pool").warning("error connecting in 'pool-1'")

    fake(body)
    assert run(["fake"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "Note: the threshold is too high",
        "Note: an entry was quarantined",
    ]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["stack", "--help"]])
def test_a_reader_that_went_away_is_no_error(arguments: list[str]) -> None:
    # Not `python -m webrag_desktop`: without arguments that opens the window.
    command = [sys.executable, "-c", "from webrag_desktop.__main__ import main; main()", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == main.READER_WENT_AWAY
    assert said == b""


@pytest.mark.parametrize("arguments", [["--help"], ["list", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    heavy = ["onnxruntime", "trafilatura", "lxml", "numpy", "tokenizers", "tiktoken"]
    script = (
        "import sys; from webrag_desktop.cli.main import run; "
        f"code = run({arguments!r}); loaded = [m for m in {heavy!r} if m in sys.modules]; "
        "sys.exit(f'loaded {loaded}' if loaded else code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
