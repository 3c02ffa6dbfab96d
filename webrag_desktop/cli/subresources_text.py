"""Keeping what shows a page as it looked: the option for it, and what is said of what is kept."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from webrag_desktop.models.subresources import KeptSubresources

Command = TypeVar("Command", bound=Callable[..., Any])
MOST_REASONS = 5


def with_images_option(command: Command) -> Command:
    """Give a command the option ``--with-images``."""
    return click.option(
        "--with-images/--without-images",
        default=None,
        help="Keep stylesheets and images of web pages, too, or not; without it, as the settings say.",
    )(command)


def said_subresources(kept: KeptSubresources | None) -> Iterator[str]:
    """What is kept of the files of a page, and why others are not; nothing where none were asked for."""
    if kept is None:
        return
    of = f" of {kept.referred}" if kept.referred != kept.kept else ""
    files = "file" if kept.referred == 1 else "files"
    more = ", more are still to be fetched" if kept.is_open else ""
    yield f"{kept.kept}{of} {files} kept ({kept.kept_bytes:,} bytes){more}"
    reasons = list(kept.reasons().items())
    for reason, count in reasons[:MOST_REASONS]:
        yield f"{count} absent: {reason}"
    if rest := sum(count for _reason, count in reasons[MOST_REASONS:]):
        yield f"{rest} absent for other reasons"
    if kept.left_out_reason and not kept.left_out:
        yield kept.left_out_reason
