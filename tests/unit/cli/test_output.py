import json
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, Styled, one_line, sentences
from webrag_desktop.cli.shapes.reports import ReportItem
from webrag_desktop.text.printable import printable


@pytest.mark.parametrize(
    "hostile",
    ["\x1b[2J\x1b[1;1Hgone", "\x9b31m", "\x07", "a\rb", "\u202egpj.exe", "\x00", "\udc80"],
)
def test_nothing_that_steers_a_terminal_is_printed(hostile: str, capsys: pytest.CaptureFixture[str]) -> None:
    Output().say(hostile, Styled(hostile, bold=True))
    assert not set(capsys.readouterr().out) & set("\x1b\x9b\x07\r\u202e\x00\udc80")


@given(st.text())
def test_printable_keeps_length_lines_and_all_but_control_characters(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert shown.count("\n") == text.count("\n")
    assert all(new == old or new == "\N{REPLACEMENT CHARACTER}" for new, old in zip(shown, text, strict=True))
    assert printable(shown) == shown


def test_one_line_has_one_line() -> None:
    assert one_line(" a\n\n b\tc ") == "a b c"


def test_sentences_end_with_a_stop_each() -> None:
    assert sentences("The site is gone (404)", None, "", "Try later.") == "The site is gone (404). Try later."


def test_no_ansi_outside_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Output().say(Styled("bold", bold=True, colour="red"))
    assert capsys.readouterr().out == "bold\n"


@given(st.text())
def test_json_is_utf8_whatever_it_holds(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        written: list[bytes] = []
        patch.setattr("webrag_desktop.cli.output.click.echo", written.append)
        Output().document(ReportItem(given=text, outcome="added", id=uuid4()))
    assert json.loads(written[0].decode("utf-8"))["given"] == text


def test_an_error_goes_to_stderr_and_as_json_to_stdout_too(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    output.error("The page is gone.", "Try later.", ExitCode.FAILED)
    assert capsys.readouterr() == ("", "The page is gone.\nTry later.\n")
    output.as_json = True
    output.error("The page is gone.", "Try later.", ExitCode.FAILED)
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"] == {
        "message": "The page is gone.",
        "hint": "Try later.",
        "exit_code": 1,
    }
    assert printed.err == "The page is gone.\nTry later.\n"


def test_what_has_lines_is_printed_line_by_line_with_its_indentation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Output().indented(Styled("def a(b):\n    c()"))
    Output().indented(Styled("    c()"))
    assert capsys.readouterr().out == "    def a(b):\n        c()\n        c()\n"
