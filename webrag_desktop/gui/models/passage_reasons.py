"""Why a passage was found, in words."""

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.view_data import Passage


class Reason(NamedTuple):
    """What was measured, and what came out."""

    name: str
    value: str


def reasons(passage: Passage) -> tuple[Reason, ...]:
    """Similarity, terms, how it was found, depth; what was not measured is left out."""
    made: list[Reason] = []
    if passage.similarity is not None:
        made.append(Reason(_tr("Similarity"), f"{passage.similarity:.2f}"))
    if passage.terms:
        made.append(Reason(_tr("Terms"), ", ".join(_counted(*term) for term in passage.terms)))
    if passage.found_by:
        made.append(Reason(_tr("Found"), ", ".join(passage.found_by)))
    made.append(Reason(_tr("Depth"), _depth(passage.depth)))
    return tuple(made)


def reasons_text(passage: Passage) -> str:
    """The reasons, one on each line."""
    return "\n".join(f"{reason.name}: {reason.value}" for reason in reasons(passage))


def _counted(word: str, count: int) -> str:
    """A word and how often it stands there; isolated, so that no word's direction turns the figure."""
    return f"\N{FIRST STRONG ISOLATE}{word}\N{POP DIRECTIONAL ISOLATE} ×{count}"


def _depth(depth: int) -> str:
    if depth == 0:
        return _tr("0, added by you")
    if depth == 1:
        return _tr("1, one link away")
    return _tr("{0}, {0} links away").format(depth)


def _tr(text: str) -> str:
    return QCoreApplication.translate("PassageReasons", text)
