"""Every keyboard shortcut of the window, in one table: menus, key handlers, tooltips and the list of keys read it.

A new shortcut is a row of the table, and what its place does for the command.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut

# Where a shortcut works. A "window" shortcut works everywhere, the others while the keyboard is in that place.
Place = Literal[
    "window", "research", "library", "dialog", "quote dialog", "documents", "sidebar",
    "results", "answer", "history", "citations", "quotes", "reader", "find bar", "map pages", "map fetch", "text",
    "palette", "related",
]  # fmt: skip
Section = Literal["lists", "maps", "answer", "reader"]  # of the list of keys, for what belongs to no menu

_OPEN: Final = ("Return", "Enter")
_REMOVE: Final = ("Del", "Backspace")
_ACCEPT: Final = ("Ctrl+Return", "Ctrl+Enter")


@dataclass(frozen=True, slots=True)
class Shortcut:
    """``command`` is what each of ``places`` does for any of ``keys``: Qt's portable form, the shown one first.

    ``words`` name a window command, in its menu too. ``listed`` has the words under which a section of the list of keys
    names it, with the keys ``shown`` there where these are not ``keys``. What is in neither is left out of that list.
    """

    command: str
    keys: tuple[str, ...]
    places: tuple[Place, ...]
    words: str = ""
    listed: Mapping[Section, str] = field(default_factory=dict)
    shown: tuple[str, ...] = ()


def _window(command: str, words: str, *keys: str) -> Shortcut:
    return Shortcut(command, keys, ("window",), words)


COPY_LINK: Final = "copy_link"
_COPY_LINKS: Final[Mapping[Section, str]] = {
    "lists": "Copy WebRAG link",
    "answer": "Copy the WebRAG link of the sentence",
    "reader": "Copy the WebRAG link of the selection",
}
_CITES: Final[Mapping[Section, str]] = {
    "lists": "Cite a passage, or remove the citation",
    "answer": "Cite the sentence, or remove the citation",
    "reader": "Cite selection",
}
_LISTS: Final[tuple[Place, ...]] = (
    "documents", "sidebar", "results", "history", "citations", "quotes", "map pages", "map fetch", "related",
)  # fmt: skip

SHORTCUTS: Final = (
    _window("add", "Add links or files…", "Ctrl+N"),
    _window("paste", "Paste links", "Ctrl+V"),
    _window("choose_files", "Choose files…", "Ctrl+O"),
    _window("choose_folder", "Choose a folder…", "Ctrl+Shift+O"),
    _window("close", "Close", "Ctrl+Q"),
    _window("undo", "Undo", "Ctrl+Z"),
    Shortcut("find_quote", ("Ctrl+Shift+V",), ("window", "quote dialog"), "Where is this from?…"),
    _window("search", "Search", "Ctrl+L", "/"),
    _window("answer", "Answer the question", *_ACCEPT),
    _window("history", "Earlier questions…", "Ctrl+H"),
    _window("save_search", "Save this search…", "Ctrl+S"),
    _window("filters", "Filters…", "Ctrl+Shift+F"),
    _window("palette", "Command palette…", "Ctrl+K"),
    _window("library", "Library", "Ctrl+1"),
    _window("research", "Research", "Ctrl+2"),
    _window("map", "Map", "Ctrl+3"),
    _window("back", "Back", "Alt+Left"),
    _window("forward", "Forward", "Alt+Right"),
    _window("next_pane", "Next pane", "F6"),
    _window("previous_pane", "Previous pane", "Shift+F6"),
    _window("sidebar", "Sidebar", "F9"),
    Shortcut("next_match", ("F3",), ("window", "reader"), "Next match"),
    Shortcut("previous_match", ("Shift+F3",), ("window", "reader"), "Previous match"),
    _window("browse", "Open in browser", "Ctrl+B"),
    _window("menu", "Menu", "F10"),
    _window("settings", "Settings…", "Ctrl+,"),
    _window("keys", "Keyboard…", "F1"),
    Shortcut("accept", _ACCEPT, ("dialog",)),
    Shortcut("details", ("Ctrl+I",), ("library",)),
    Shortcut("filter", ("Ctrl+F",), ("library",), listed={"lists": "Filter the library"}),
    # Down and Up are Qt's own keys in every list.
    Shortcut("down", ("J",), _LISTS, listed={"lists": "Next, previous"}, shown=("Down", "Up", "J", "K")),
    Shortcut("up", ("K",), _LISTS),
    Shortcut(
        "left", ("Left",), ("answer",),
        listed={"answer": "Next, previous citation or mark"}, shown=("Tab", "Shift+Tab", "Right", "Left"),
    ),
    Shortcut("right", ("Right",), ("answer",)),
    Shortcut("show", ("Space",), ("answer",), listed={"answer": "Show the sentence in the reader"}),
    Shortcut(
        "open", _OPEN, ("documents", "results", "answer", "citations", "quotes", "map pages"),
        listed={"lists": "Open in the reader", "answer": "Open the sentence in the reader"}, shown=("Return",),
    ),
    Shortcut("open", _ACCEPT, ("quote dialog",)),
    Shortcut("show", _OPEN, ("history",)),
    Shortcut("open", ("Enter", "Return"), ("reader", "related")),
    Shortcut("preview", ("Space",), ("results",), listed={"lists": "Preview a passage in the reader"}),
    Shortcut("more", ("M",), ("results",), listed={"lists": "Show all of a long passage, or less"}),
    Shortcut("close", ("Left",), ("results",)),
    Shortcut("enter", ("Right",), ("results",)),
    *(
        Shortcut(
            f"number {number}", (str(number),), ("answer",),
            listed={"answer": "Go to number 1 to 9 of the answer"} if number == 1 else {}, shown=("1", "9"),
        )
        for number in range(1, 10)
    ),
    Shortcut("find", ("Ctrl+F",), ("reader",), listed={"reader": "Find in this text"}),
    Shortcut("page", (), ("reader",), listed={"reader": "Next page, previous page"}, shown=("Space", "Shift+Space")),
    Shortcut(
        "larger", ("Ctrl++", "Ctrl+="), ("reader",), listed={"reader": "Larger, smaller"}, shown=("Ctrl++", "Ctrl+-")
    ),
    Shortcut("smaller", ("Ctrl+-",), ("reader",)),
    Shortcut("usual_size", ("Ctrl+0",), ("reader",)),
    Shortcut("cite", ("C",), ("results", "answer", "quotes", "reader"), listed=_CITES),
    Shortcut("copy", ("Ctrl+C",), ("results", "answer", "citations", "quotes"), listed={
        "lists": "Copy quote", "answer": "Copy the selection, or the quote",
    }),
    Shortcut("select_all", ("Ctrl+A",), ("text",)),
    Shortcut("copy_reference", ("Ctrl+Shift+C",), ("results", "answer"), listed={"lists": "Copy quote with reference"}),
    Shortcut("copy_text", ("Ctrl+Shift+C",), ("citations",)),
    Shortcut(
        COPY_LINK, ("Ctrl+Shift+L",), ("documents", "results", "answer", "citations", "quotes", "reader"),
        listed=_COPY_LINKS,
    ),
    *(
        Shortcut(
            f"number {number}", (str(number),), ("citations", "research"),
            listed={"lists": "Go to citation 1 to 9, in the Research view"} if number == 1 else {}, shown=("1", "9"),
        )
        for number in range(1, 10)
    ),
    Shortcut(
        "move_up", ("Alt+Up",), ("citations",), listed={"lists": "Move a citation"}, shown=("Alt+Up", "Alt+Down")
    ),
    Shortcut("move_down", ("Alt+Down",), ("citations",)),
    Shortcut("browse", ("Ctrl+Return",), ("documents",)),
    Shortcut("retry", ("R",), ("documents",)),
    Shortcut("reread", ("Shift+R",), ("documents",)),
    Shortcut("refresh", ("F5",), ("documents",)),
    Shortcut("stop", ("S",), ("documents",)),
    Shortcut("label", ("T",), ("documents",), listed={"lists": "Tags and collections of documents"}),
    Shortcut("restore", ("U",), ("documents",), listed={"lists": "Take a document out of the bin"}),
    Shortcut("remove", _REMOVE, ("documents", "history", "citations"), listed={"lists": "Remove"}, shown=("Del",)),
    Shortcut("rename", ("F2",), ("sidebar",), listed={"lists": "Rename a collection or a saved search"}),
    Shortcut("delete", _REMOVE, ("sidebar",)),
    Shortcut("tick", ("Space",), ("map fetch",), listed={"maps": "Tick a page to fetch, or remove the tick"}),
    Shortcut(
        "larger", ("+", "="), ("map pages", "map fetch"),
        listed={"maps": "Larger, smaller, fit to the window"}, shown=("+", "-", "0"),
    ),
    Shortcut("smaller", ("-",), ("map pages", "map fetch")),
    Shortcut("fit", ("0",), ("map pages", "map fetch")),
    Shortcut(
        "next_link", ("L",), ("reader",),
        listed={"reader": "Next link, previous link; Enter follows it"}, shown=("L", "Shift+L"),
    ),
    Shortcut("previous_link", ("Shift+L",), ("reader",)),
    Shortcut("outline", ("O",), ("reader",)),
    Shortcut("related", ("R",), ("reader",), listed={"reader": "Related passages beside the full reader"}),
    Shortcut("down", ("Down", "Tab"), ("palette",)),
    Shortcut("up", ("Up", "Shift+Tab", "Shift+Backtab"), ("palette",)),
    Shortcut("run", _OPEN, ("palette",)),
    Shortcut("search", _ACCEPT, ("palette",)),
    Shortcut("next", ("Enter", "Return", "F3"), ("find bar",)),
    Shortcut("previous", ("Shift+Enter", "Shift+Return", "Shift+F3"), ("find bar",)),
    Shortcut("escape", ("Esc",), ("window", "find bar", "reader", "palette"), listed={
        "answer": "Stop writing", "reader": "Close, stop, then back to the results",
    }),
)  # fmt: skip


STEPS: Final[Mapping[str | None, int]] = {"down": 1, "up": -1}


@cache
def _shortcut(place: Place, command: str) -> Shortcut:
    return next(one for one in SHORTCUTS if one.command == command and place in one.places)


def keys_of(place: Place, command: str) -> tuple[str, ...]:
    """The keys of a command in a place, the one that is shown first."""
    return _shortcut(place, command).keys


def key_of(place: Place, command: str) -> str:
    """The key that menus and tooltips show."""
    return keys_of(place, command)[0]


def with_key(text: str, place: Place, command: str) -> str:
    """A tooltip that ends in the key of what it describes."""
    return f"{text} ({key_of(place, command)})"


def words_of(command: str) -> str:
    """What a command of the window is called."""
    return _tr(_shortcut("window", command).words)


@cache
def commands_of(place: Place) -> Mapping[str, str]:
    """The commands of a place by their keys."""
    return {keys: one.command for one in SHORTCUTS if place in one.places for keys in one.keys}


def listed_keys() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The lines of the list of keys that are in no menu: section, words, keys."""
    titles: dict[Section, str] = {
        "lists": _tr("In a list"),
        "maps": _tr("In a list of the map"),
        "answer": _tr("In an answer"),
        "reader": _tr("In the reader"),
    }
    for section, title in titles.items():
        for one in SHORTCUTS:
            if section in one.listed:
                yield title, _tr(one.listed[section]), one.shown or one.keys


def shown_keys(keys: str) -> str:
    """Keys as this platform writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def key_cap(keys: str) -> str:
    """Keys as a key cap on a button or in a list of keys shows them."""
    return _tr("Enter") if keys == "Return" else shown_keys(keys).replace("+", " ").replace(" Return", " ↵")


def install(parent: QObject, place: Place, command: str, run: Callable[[], object]) -> list[QShortcut]:
    """Call ``run`` when any key of a command is pressed in ``parent``'s window."""
    return [QShortcut(QKeySequence(keys), parent, run) for keys in keys_of(place, command)]


# -- Keys that a widget handles itself --------------------------------------------------------------------------------

_COMMANDING = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def is_kept(event: QEvent, keys: Mapping[str, str]) -> bool:
    """Keep a list's key from the window's shortcuts; False where the event is another one."""
    kept = event.type() == QEvent.Type.ShortcutOverride and command_of(event, keys) is not None
    if kept:
        event.accept()
    return kept


def run_key(event: QKeyEvent, keys: Mapping[str, str], run: Callable[[str], None]) -> bool:
    """Run the command of a key; leave other letters to the window. False where the view should have the key."""
    command = command_of(event, keys)
    if command is not None:
        run(command)
    elif _is_letter(event):
        event.ignore()
    else:
        return False
    return True


def command_of(
    event: QEvent, keys: Mapping[str, str], *, ignored: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> str | None:
    """The command of the key of an event, if it has one; ``ignored`` modifiers make no difference."""
    if not isinstance(event, QKeyEvent):
        return None
    combination = event.keyCombination()
    modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier & ~ignored
    pressed = QKeySequence((modifiers | combination.key()).toCombined())
    return keys.get(pressed.toString(QKeySequence.SequenceFormat.PortableText))


def _is_letter(event: QKeyEvent) -> bool:
    return bool(event.text()) and event.text().isprintable() and not event.modifiers() & _COMMANDING


def _tr(text: str) -> str:
    return QCoreApplication.translate("Shortcuts", text)
