"""What the window says when something was given to the library."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.session.failures import without_secrets

if TYPE_CHECKING:
    from webrag_desktop.models.intake import Accepted, Kept, Refused

Kinds = Mapping[str, str]


def counted(number: int, one: str, many: str) -> str:
    """``one`` for 1, else ``many`` with its ``{0}`` filled in."""
    return one if number == 1 else many.format(number)


def added_sentences(accepted: "Sequence[Accepted]", kinds: Kinds) -> str:
    """What became of what was accepted; ``kinds`` tell links from files, by what was given."""
    of_verdict = Counter(one.verdict for one in accepted)
    added = [kinds.get(one.given, "url") for one in accepted if one.verdict == "added"]
    parts = [
        _tr("{0} added.").format(_things(added)) if added else "",
        _told(of_verdict["retried"], _tr("1 is tried again."), _tr("{0} are tried again.")),
        _told(
            of_verdict["changed"],
            _tr("1 has changed and is read again."),
            _tr("{0} have changed and are read again."),
        ),
        _told(of_verdict["present"], _tr("1 was already here."), _tr("{0} were already here.")),
    ]
    return " ".join(filter(None, parts))


def kept_sentences(kept: "Sequence[Kept]", kinds: Kinds) -> str:
    """What is said of what waits outside the database."""
    things = _things([kinds.get(one.given, "url") for one in kept])
    if len(kept) == 1:
        return _tr("{0} kept. It is added as soon as your library is open.").format(things)
    return _tr("{0} kept. They are added as soon as your library is open.").format(things)


def refusal(refused: "Sequence[Refused]", given: int) -> Failure | None:
    """One message for all that was refused of ``given`` things; None where nothing was."""
    if not refused:
        return None
    details = "\n".join(f"{one.given}\n    {one.error.message} {one.error.hint}".rstrip() for one in refused)
    if len(refused) == 1:
        error = refused[0].error
        return Failure(error.message, error.hint, without_secrets(details))
    message = (
        _tr("None of {0} could be added.").format(given)
        if len(refused) == given
        else _tr("{0} of {1} could not be added. The others were.").format(len(refused), given)
    )
    reasons = dict.fromkeys(one.error.message for one in refused)
    return Failure(message, _reasons(list(reasons)), without_secrets(details))


def _reasons(reasons: Sequence[str], shown: int = 3) -> str:
    lines = list(reasons[:shown])
    if len(reasons) > shown:
        lines.append(_tr("The details tell the rest."))
    return "\n".join(lines)


def _told(number: int, one: str, many: str) -> str:
    return counted(number, one, many) if number else ""


def _things(kinds: Sequence[str]) -> str:
    files = sum(1 for kind in kinds if kind == "file")
    links = len(kinds) - files
    named: list[str] = []
    if links:
        named.append(counted(links, _tr("1 link"), _tr("{0} links")))
    if files:
        named.append(counted(files, _tr("1 file"), _tr("{0} files")))
    return _tr("{0} and {1}").format(*named) if len(named) == 2 else "".join(named)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Adding", text)
