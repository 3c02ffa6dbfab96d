"""Why a passage was found, in words."""

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import AlsoIn, Passage
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.theme.direction import isolated

_MOST_TOLD = 12  # documents in a tooltip, which must fit a screen


class Reason(NamedTuple):
    """What was measured, and what came out.

    Where ``is_title`` holds the value is a document's, as long as it may be and in whatever direction it runs; it has
    a line of its own, and ``rest`` follows it.
    """

    name: str
    value: str
    rest: str = ""
    is_title: bool = False


def reasons(passage: Passage) -> tuple[Reason, ...]:
    """Similarity, terms, how it was found, depth, where else nearly the same is said; without what is not known."""
    made: list[Reason] = []
    if passage.similarity is not None:
        made.append(Reason(_tr("Similarity"), f"{passage.similarity:.2f}"))
    if passage.terms:
        made.append(Reason(_tr("Terms"), ", ".join(_counted(*term) for term in passage.terms)))
    if passage.found_by:
        made.append(Reason(_tr("Found"), ", ".join(passage.found_by)))
    made.append(Reason(_tr("Depth"), _depth(passage.depth)))
    if passage.also_in:
        made.append(_elsewhere(passage.also_in))
    return tuple(made)


def reasons_text(passage: Passage) -> str:
    """The reasons, one on each line."""
    return "\n".join(f"{reason.name}: {_words(reason)}" for reason in reasons(passage))


def elsewhere_text(passage: Passage) -> str:
    """The documents that say nearly the same, each with its title and address; the best, where they are many."""
    told = [f"{one.title}\n{one.address}" for one in passage.also_in[:_MOST_TOLD]]
    more = len(passage.also_in) - len(told)
    return "\n".join([*told, *([_and_more(more)] if more else [])])


def elsewhere_words(passage: Passage) -> str:
    """The same for a screen reader, as a sentence with all of them; empty where there are none."""
    told = "; ".join(f"{isolated(one.title)}, {one.address}" for one in passage.also_in)
    return _tr("Nearly the same is said in: {0}").format(told) if told else ""


def _elsewhere(documents: tuple[AlsoIn, ...]) -> Reason:
    more = len(documents) - 1
    return Reason(_tr("Also in"), documents[0].name, _and_more(more) if more else "", is_title=True)


def _and_more(count: int) -> str:
    return _tr("and {0} more").format(number(count))


def _words(reason: Reason) -> str:
    value = isolated(reason.value) if reason.is_title else reason.value
    return f"{value} {reason.rest}".rstrip()


def _counted(word: str, count: int) -> str:
    """A word and how often it stands there."""
    return f"{isolated(word)} ×{count}"


def _depth(depth: int) -> str:
    if depth == 0:
        return _tr("0, added by you")
    if depth == 1:
        return _tr("1, one link away")
    return _tr("{0}, {0} links away").format(depth)


def _tr(text: str) -> str:
    return QCoreApplication.translate("PassageReasons", text)
