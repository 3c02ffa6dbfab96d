"""Other keys than the usual ones: which shortcuts may have one, and why a key cannot be chosen."""

from collections.abc import Iterator, Mapping
from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from webrag_desktop.gui.kit.shortcuts import (
    SHORTCUTS,
    Place,
    Shortcut,
    listed_keys,
    present_keys,
    shown_keys,
    take_chosen,
)

Chosen = Mapping[str, str]  # keys by the ids of their shortcuts

_MOVING: Final = frozenset({
    "Esc", "Tab", "Shift+Tab", "Backtab", "Shift+Backtab",
    "Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDown",
})  # fmt: skip
# What can have the keyboard within a place. Dialogs and the palette are within none.
_WITHIN: Final[Mapping[Place, frozenset[Place]]] = {
    "library": frozenset({"documents"}),
    "research": frozenset({"results", "answer", "citations", "reader", "related"}),
    "window": frozenset({place for one in SHORTCUTS for place in one.places})
    - {"dialog", "quote dialog", "quotes", "palette", "find bar"},
}
_SECTIONS: Final[Mapping[Place, int]] = {
    "window": 0, "library": 2, "documents": 2, "sidebar": 2, "results": 3, "answer": 4, "citations": 5, "reader": 6,
    "map pages": 7, "map fetch": 7,
}  # fmt: skip


def changeable() -> Iterator[tuple[str, Shortcut]]:
    """What another key may be chosen for, with the title of its section, in the order of sections."""
    titles = (
        _tr("Everywhere"),
        _tr("In several lists"),
        _tr("In the library"),
        _tr("Among passages"),
        _tr("In an answer"),
        _tr("Among citations"),
        _tr("In the reader"),
        _tr("In lists of the map"),
    )
    for section, one in sorted(
        ((_section(one), one) for one in SHORTCUTS if one.words), key=lambda pair: pair[0]
    ):
        yield titles[section], one


def fixed_keys() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines of the list of keys for which none can be chosen: words and keys."""
    named = {_tr(words) for one in SHORTCUTS if one.words for words in one.listed.values()}
    for _title, words, keys in listed_keys():
        if words not in named:
            yield words, keys


def _section(one: Shortcut) -> int:
    sections = {_SECTIONS.get(place, 1) for place in one.places}
    return 0 if 0 in sections else sections.pop() if len(sections) == 1 else 1


def name_of(one: Shortcut) -> str:
    """What a shortcut is called where its key is chosen."""
    return _tr(one.words or next(iter(one.listed.values()), "") or one.command.replace("_", " "))


def problem_of(one: Shortcut, key: str, chosen: Chosen) -> str:
    """Why a key cannot be that of a shortcut beside the others; empty where it can."""
    if not key or QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText) != key:
        return _tr("That is no key.")
    if key in _MOVING and key not in one.keys:
        return _tr("{0} moves the keyboard, or closes what is open.").format(shown_keys(key))
    if "window" in one.places and len(key) == 1 and key.isalnum():
        return _tr("Letters and digits alone are for lists and texts. Hold Ctrl or Alt as well.")
    is_usual = key in one.keys  # it then stands beside the usual keys of all others
    for other in SHORTCUTS:
        if other is one or (is_usual and other.id not in chosen):
            continue
        if key in present_keys(other, chosen) and _meet(one, other):
            return _tr("{0} is the key of “{1}”.").format(shown_keys(key), name_of(other))
    return ""


def _meet(one: Shortcut, other: Shortcut) -> bool:
    """Whether a key could mean either."""
    nothing: frozenset[Place] = frozenset()
    return any(
        a == b or b in _WITHIN.get(a, nothing) or a in _WITHIN.get(b, nothing)
        for a in one.places
        for b in other.places
    )


def use_keys(chosen: Chosen) -> None:
    """Have the chosen keys hold, before a window is made.

    Left out is what no shortcut is called or what could be confused: another version may have written it.
    """
    by_id = {one.id: one for one in SHORTCUTS if one.words}
    known = {name: key for name, key in chosen.items() if name in by_id}
    take_chosen({name: key for name, key in known.items() if not problem_of(by_id[name], key, known)})


def _tr(text: str) -> str:
    return QCoreApplication.translate("Shortcuts", text)
