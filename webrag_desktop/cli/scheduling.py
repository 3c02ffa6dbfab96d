"""``webrag refresh --every`` and ``--schedule``: how often documents are looked at by themselves."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import click

from webrag_desktop import Library
from webrag_desktop.cli.output import Output, readable_address
from webrag_desktop.cli.shapes.documents import ScheduleReport
from webrag_desktop.cli.times import day_and_minute, time_of_day
from webrag_desktop.models.queue import NEVER

_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AMOUNT = re.compile(r"([1-9]\d{0,3})([hdw])")


class Every(NamedTuple):
    """How often: a stretch of time, never (``off``), or as the library (``default``)."""

    wish: str
    interval: timedelta | None = None


class EveryType(click.ParamType[Every]):
    """``12h``, ``7d``, ``2w``, ``off`` or ``default``."""

    name = "every"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Every:
        """What the user wrote, understood."""
        text = str(value).strip().lower()
        if text in ("off", "default"):
            return Every(text)
        found = _AMOUNT.fullmatch(text)
        if found is None:
            self.fail(
                "Give an hour at least, as hours, days or weeks: 12h, 7d, 2w; or off, or default.", param, ctx
            )
        return Every("interval", int(found[1]) * _UNITS[found[2]])


def change_schedule(library: Library, references: Sequence[str], every: Every) -> None:
    """Set how often these documents, or those of the library, are looked at.

    Raises:
        NotFoundError: one of the references names no document; nothing is changed then.
        click.UsageError: only documents can follow the library.
    """
    if not references:
        if every.wish == "default":
            raise click.UsageError("Only documents can be looked at as often as the library: name them.")
        library.schedule.set(every.interval)
        return
    ids = [library.documents.find(reference).id for reference in references]
    library.schedule.set(NEVER if every.wish == "off" else every.interval, ids)


def tell_schedule(library: Library, output: Output) -> None:
    """Say how often documents are looked at."""
    report = ScheduleReport.scheduled(library.schedule.now())
    if output.as_json:
        output.document(report)
        return
    every = report.every_seconds
    if every is None:
        output.say("Documents are not looked at by themselves. `webrag refresh --every 7d` changes that.")
    else:
        output.say(
            f"Documents are looked at every {_words(every)}, while the window is open or by `webrag work`."
        )
    for one in report.documents:
        own = f"every {_words(one.every_seconds)}" if one.every_seconds else "never"
        output.say(f"  {own}: ", readable_address(one.given))
    if report.due:
        output.say(f"Due now: {report.due}")
    if report.rests_until:
        output.say(f"Nothing could be reached; tried again at {time_of_day(report.rests_until)}.")
    elif report.next_at and not report.due:
        output.say(f"The next one is due at {day_and_minute(report.next_at)}.")


def _words(seconds: int) -> str:
    """``7 days``, ``12 hours``."""
    days, rest = divmod(seconds, 86_400)
    number, unit = (seconds // 3600, "hour") if rest else (days, "day")
    return unit if number == 1 else f"{number} {unit}s"
