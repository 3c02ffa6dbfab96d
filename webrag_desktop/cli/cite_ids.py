"""Cite ids in what commands print: beside offsets in JSON, as links in text where they are asked for."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

import click

from webrag_desktop.cli.output import INDENT, Output, Styled
from webrag_desktop.cli.shapes.documents import cite_id
from webrag_desktop.models.citations import CiteId

Command = TypeVar("Command", bound=Callable[..., object])
_OF_THE_SAME_TEXT = "matched_spans"  # of the version of the passage that holds them


def with_cite_ids(plain: Any, version: str | None = None) -> Any:
    """The document with ``cite_id`` beside the offsets wherever their version is known.

    It is None where there is no version, as of a text that is in no library, or nothing between the offsets.
    """
    if isinstance(plain, list):
        return [with_cite_ids(one, version) for one in plain]
    if not isinstance(plain, dict):
        return plain
    own = plain.get("version_id", version)
    named = {
        name: with_cite_ids(value, own if name == _OF_THE_SAME_TEXT else None)
        for name, value in plain.items()
    }
    if {"char_start", "char_end"} <= plain.keys() and ("version_id" in plain or version is not None):
        named["cite_id"] = cite_id(own, plain["char_start"], plain["char_end"])
    return named


def links_option(command: Command) -> Command:
    """Give a command the option ``--links``."""
    return click.option(
        "--links", is_flag=True, help="Print below each place its link, which `webrag open` opens."
    )(command)


def say_link(output: Output, version_id: UUID | None, char_start: int, char_end: int) -> None:
    """Print the link of a span on a line of its own, if it has one."""
    if version_id is not None and char_start < char_end:
        output.say(INDENT, Styled(CiteId.of(version_id, char_start, char_end).link, dim=True))
