"""``webrag settings``: list the settings, and change those of the data folder's file."""

import sys

import click

from webrag_desktop import DataFolder
from webrag_desktop.cli.output import Output, Styled, json_option, pass_output
from webrag_desktop.cli.shapes.reports import ListedSetting
from webrag_desktop.errors import InputError
from webrag_desktop.models.settings import SettingState

_PLACES = {
    "default": "the default",
    "file": "the settings file",
    "keyring": "the system's keyring",
    "environment": "the environment",
}


@click.group(invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also list settings that have their defaults.")
@json_option
@click.pass_context
def settings(ctx: click.Context, everything: bool) -> None:
    """List the settings that are given, and where; keys are never shown.

    The environment goes before the file. What is changed here holds for every program that is started afterwards; an
    open window takes it when it is started again.
    """
    if ctx.invoked_subcommand is None:
        _print(ctx.ensure_object(Output), [one for one in _states() if everything or one.place != "default"])


@settings.command()
@click.argument("name")
@json_option
@pass_output
def get(output: Output, name: str) -> None:
    """Tell what a setting is now, and what it is for."""
    state = _state(name)
    if output.as_json:
        output.document(_listed(state))
        return
    _say(output, state)
    bounds = f" ({state.bounds})" if str(state.bounds) else ""
    output.indented(Styled(f"{state.description}{bounds}", dim=True))


@settings.command(name="set")
@click.argument("name")
@click.argument("value", required=False)
@json_option
@pass_output
def set_setting(output: Output, name: str, value: str | None) -> None:
    """Set a setting in the settings file. A key is asked for, or read from standard input: never put it on a line.

    \b
    webrag settings set CHAT_MODEL llama3.1
    webrag settings set CHAT_API_KEY < key.txt
    """
    state = _state(name)
    if state.kind == "secret" and value is not None:
        raise click.UsageError(
            f"{state.name} is secret: other programs can read what is on a command line. Leave the value out, and it "
            "is asked for."
        )
    _change(output, state, value if value is not None else _asked(state))


@settings.command()
@click.argument("name")
@json_option
@pass_output
def unset(output: Output, name: str) -> None:
    """Take a setting out of the settings file, so that its default holds."""
    _change(output, _state(name), None)


def _asked(state: SettingState) -> str:
    if sys.stdin.isatty():
        value: str = click.prompt(state.name, hide_input=state.kind == "secret", err=True)
    else:
        value = sys.stdin.readline()
    if not value.strip():
        raise click.UsageError(f"No value for {state.name} was given; `webrag settings unset` takes it out.")
    return value.strip()


def _change(output: Output, state: SettingState, value: str | None) -> None:
    folder = DataFolder.unread()
    folder.make()
    for note in folder.change_settings({state.name: value}):
        output.note(note)
    if state.place == "environment":
        output.note(f"The environment sets {state.name}, too, and goes before the file.")
    _print(output, [_state(state.name)])


def _states() -> list[SettingState]:
    return [one for group in DataFolder.unread().all_settings() for one in group.settings]


def _state(name: str) -> SettingState:
    wanted = name.upper()
    for one in _states():
        if one.name == wanted:
            return one
    raise InputError(
        f"There is no setting {name}.", "`webrag settings --all` lists them; docs/settings.md explains each."
    )


def _listed(state: SettingState) -> ListedSetting:
    hidden = state.sensitive and state.place != "default"
    return ListedSetting(
        name=state.name,
        value=None if hidden else state.value,
        place=state.place,
        default=state.default,
        description=state.description,
    )


def _print(output: Output, states: list[SettingState]) -> None:
    if output.as_json:
        output.documents([_listed(one) for one in states])
        return
    for one in states:
        _say(output, one)
    if not states:
        output.note("No setting is given: all have their defaults. `webrag settings --all` lists them.")


def _say(output: Output, state: SettingState) -> None:
    shown = _listed(state)
    if state.place == "default":
        value = state.default or state.otherwise or "not set"
    else:
        value = "(hidden)" if shown.value is None else shown.value
    output.say(Styled(state.name, bold=True), f"  {value}  ", Styled(f"({_PLACES[state.place]})", dim=True))
