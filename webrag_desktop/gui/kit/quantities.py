"""Counts, sizes, shares and times in words, as they are written where the user is."""

import re
from datetime import datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QTime


def again_at(moment: datetime) -> str:
    """When a site or the model is requested again: ``again at 14:05``, with the date where that is not today."""
    date, time = _local(moment)
    clock = place().toString(time, "HH:mm")
    if date == _today(None):
        return _tr("again at {0}").format(clock)
    return _tr("again on {0} at {1}").format(place().toString(date, "d MMM"), clock)


def percent(share: float) -> str:
    """A share in whole percent; 100 only where nothing is left."""
    return f"{int(share * 100 + 1e-9)}%"


def number(count: int) -> str:
    """A count as this place writes it."""
    return place().toString(count)


def plural(count: int, one: str, many: str) -> str:
    """``one`` for 1, else ``many`` with its ``{0}`` filled in."""
    return one if count == 1 else many.format(count)


def counted(count: int, one: str, many: str) -> str:
    """``1 document``, ``1,284 documents``; the words are translated already."""
    return f"{number(count)} {one if count == 1 else many}"


def documents(count: int) -> str:
    """A number of documents."""
    return counted(count, _tr("document"), _tr("documents"))


def documents_and_bin(count: int, in_bin: int) -> str:
    """A number of documents, and apart from them what is in the bin, if anything."""
    if not in_bin:
        return documents(count)
    return _tr("{0}, and {1} in the bin").format(documents(count), number(in_bin))


def passages(count: int) -> str:
    """A number of passages."""
    return counted(count, _tr("passage"), _tr("passages"))


def short_time(moment: datetime, now: datetime | None = None) -> str:
    """The time of a moment of today, else its date."""
    date, time = _local(moment)
    today = _today(now)
    if date == today:
        return place().toString(time, "HH:mm")
    return place().toString(date, "d MMM" if date.year() == today.year() else "d MMM yyyy")


def long_time(moment: datetime, now: datetime | None = None) -> str:
    """``Today at 14:02``, ``3 October at 14:02``, ``3 October 2024``."""
    date, time = _local(moment)
    today = _today(now)
    if date == today:
        return _tr("Today at {0}").format(place().toString(time, "HH:mm"))
    if date.year() != today.year():
        return place().toString(date, "d MMMM yyyy")
    day = place().toString(date, "d MMMM")
    return _tr("{0} at {1}").format(day, place().toString(time, "HH:mm"))


def stated_date(date: str | None, *, guessed: bool = False) -> str:
    """A document's own date, as exact as it is: ``2021``, ``May 2021``, ``3 May 2021``; and that it was guessed."""
    if not date:
        return ""
    words = _date_words(date)
    return _tr("{0} (guessed)").format(words) if guessed else words


def _date_words(date: str) -> str:
    try:
        moment = datetime.fromisoformat(date + {4: "-01-01", 7: "-01"}.get(len(date), ""))
    except ValueError:  # a library from before dates were made uniform
        return date
    day = QDate(moment.year, moment.month, moment.day)
    if len(date) == len("2021"):
        return date
    if len(date) == len("2021-05"):
        return place().toString(day, "MMMM yyyy")
    return place().toString(day, "d MMMM yyyy")


def pages(count: int) -> str:
    """A number of pages."""
    return counted(count, _tr("page"), _tr("pages"))


def file_size(size: int) -> str:
    """A number of bytes in a unit that reads well."""
    leading = float(size)
    while leading >= 1000:
        leading /= 1000
    tenths = 1 if leading < 9.95 and size >= 1_000_000 else 0
    return place().formattedDataSize(size, tenths, QLocale.DataSizeFormat.DataSizeSIFormat)


def duration(seconds: float) -> str:
    """How long something takes, as roughly as it is known: ``41 ms``, ``3.2 s``, ``12 minutes``, ``3 hours``."""
    if seconds < 1:
        return _tr("{0} ms").format(round(1000 * seconds))
    if seconds < 100:
        return _tr("{0} s").format(place().toString(seconds, "f", 1 if seconds < 10 else 0))
    minutes = round(seconds / 60)
    if minutes < 90:
        return counted(minutes, _tr("minute"), _tr("minutes"))
    return counted(round(minutes / 60), _tr("hour"), _tr("hours"))


def rate(each_second: float) -> str:
    """So many a second; small ones with a decimal."""
    return place().toString(each_second, "f", 0 if each_second >= 10 else 1)


def place() -> QLocale:
    """How numbers and dates are written here; plain English where the system does not say."""
    here = QLocale()
    return QLocale(QLocale.Language.English) if here.language() == QLocale.Language.C else here


def _local(moment: datetime) -> tuple[QDate, QTime]:
    local = moment.astimezone()
    return QDate(local.year, local.month, local.day), QTime(local.hour, local.minute)


def _today(now: datetime | None) -> QDate:
    return QDate.currentDate() if now is None else _local(now)[0]


def model_word(name: str) -> str:
    """A model's name without the digits that distinguish its files."""
    return re.sub(r"-[0-9a-f]{12}$", "", name)


def language_word(code: str) -> str:
    """A language's name, where its code is known."""
    language = QLocale(code).language()
    return code if language == QLocale.Language.C else QLocale.languageToString(language)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Documents", text)
