"""Every keyboard shortcut of the window, in one table: menus, key handlers, tooltips and the list of keys read it.

A new shortcut is a row of the table, and what its place does for the command. The user may choose another key for a
row that has words (`choosing_keys.py`).
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

    ``words`` name it where its key is chosen, and a window command in its menu too; without them the key is fixed.
    ``listed`` has the words under which a section of the list of keys names it, with the keys ``shown`` there where
    these are not ``keys``. What is neither listed nor of the window is left out of that list.
    """

    command: str
    keys: tuple[str, ...]
    places: tuple[Place, ...]
    words: str = ""
    listed: Mapping[Section, str] = field(default_factory=dict)
    shown: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What its chosen key is kept under."""
        return f"{self.places[0]}/{self.command}"


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
    _window("page_look", "The page as it looked…", "Ctrl+Shift+B"),
    _window("menu", "Menu", "F10"),
    _window("settings", "Settings…", "Ctrl+,"),
    _window("keys", "Keyboard…", "F1"),
    Shortcut("accept", _ACCEPT, ("dialog",)),
    Shortcut("details", ("Ctrl+I",), ("library",), "Details of a document"),
    Shortcut("filter", ("Ctrl+F",), ("library",), "Filter the library", listed={"lists": "Filter the library"}),
    # Down and Up are Qt's own keys in every list.
    Shortcut(
        "down", ("J",), _LISTS, "Next row", listed={"lists": "Next, previous"}, shown=("Down", "Up", "J", "K")
    ),
    Shortcut("up", ("K",), _LISTS, "Previous row"),
    Shortcut(
        "left", ("Left",), ("answer",),
        listed={"answer": "Next, previous citation or mark"}, shown=("Tab", "Shift+Tab", "Right", "Left"),
    ),
    Shortcut("right", ("Right",), ("answer",)),
    Shortcut(
        "show", ("Space",), ("answer",), "Show the sentence in the reader",
        listed={"answer": "Show the sentence in the reader"},
    ),
    Shortcut(
        "open", _OPEN, ("documents", "results", "answer", "citations", "quotes", "map pages"), "Open in the reader",
        listed={"lists": "Open in the reader", "answer": "Open the sentence in the reader"}, shown=("Return",),
    ),
    Shortcut("open", _ACCEPT, ("quote dialog",)),
    Shortcut("show", _OPEN, ("history",)),
    Shortcut("open", ("Enter", "Return"), ("reader", "related")),
    Shortcut(
        "preview", ("Space",), ("results",), "Preview a passage in the reader",
        listed={"lists": "Preview a passage in the reader"},
    ),
    Shortcut(
        "more", ("M",), ("results",), "Show all of a long passage, or less",
        listed={"lists": "Show all of a long passage, or less"},
    ),
    Shortcut("close", ("Left",), ("results",)),
    Shortcut("enter", ("Right",), ("results",)),
    *(
        Shortcut(
            f"number {number}", (str(number),), ("answer",),
            listed={"answer": "Go to number 1 to 9 of the answer"} if number == 1 else {}, shown=("1", "9"),
        )
        for number in range(1, 10)
    ),
    Shortcut("find", ("Ctrl+F",), ("reader",), "Find in this text", listed={"reader": "Find in this text"}),
    Shortcut("page", (), ("reader",), listed={"reader": "Next page, previous page"}, shown=("Space", "Shift+Space")),
    Shortcut(
        "larger", ("Ctrl++", "Ctrl+="), ("reader",), "Larger text",
        listed={"reader": "Larger, smaller"}, shown=("Ctrl++", "Ctrl+-"),
    ),
    Shortcut("smaller", ("Ctrl+-",), ("reader",), "Smaller text"),
    Shortcut("usual_size", ("Ctrl+0",), ("reader",), "Text of the usual size"),
    Shortcut("cite", ("C",), ("results", "answer", "quotes", "reader"), "Cite, or remove the citation", listed=_CITES),
    Shortcut("copy", ("Ctrl+C",), ("results", "answer", "citations", "quotes"), listed={
        "lists": "Copy quote", "answer": "Copy the selection, or the quote",
    }),
    Shortcut("select_all", ("Ctrl+A",), ("text",)),
    Shortcut(
        "copy_reference", ("Ctrl+Shift+C",), ("results", "answer"), "Copy quote with reference",
        listed={"lists": "Copy quote with reference"},
    ),
    Shortcut("copy_text", ("Ctrl+Shift+C",), ("citations",), "Copy the text of a citation"),
    Shortcut(
        COPY_LINK, ("Ctrl+Shift+L",), ("documents", "results", "answer", "citations", "quotes", "reader"),
        "Copy WebRAG link", listed=_COPY_LINKS,
    ),
    *(
        Shortcut(
            f"number {number}", (str(number),), ("citations", "research"),
            listed={"lists": "Go to citation 1 to 9, in the Research view"} if number == 1 else {}, shown=("1", "9"),
        )
        for number in range(1, 10)
    ),
    Shortcut(
        "move_up", ("Alt+Up",), ("citations",), "Move a citation up",
        listed={"lists": "Move a citation"}, shown=("Alt+Up", "Alt+Down"),
    ),
    Shortcut("move_down", ("Alt+Down",), ("citations",), "Move a citation down"),
    Shortcut("browse", ("Ctrl+Return",), ("documents",), "Open a document in the browser"),
    Shortcut("retry", ("R",), ("documents",), "Retry"),
    Shortcut("reread", ("Shift+R",), ("documents",), "Read the kept copy again"),
    Shortcut("refresh", ("F5",), ("documents",), "Check for changes"),
    Shortcut("stop", ("S",), ("documents",), "Stop"),
    Shortcut(
        "label", ("T",), ("documents",), "Tags and collections of documents",
        listed={"lists": "Tags and collections of documents"},
    ),
    Shortcut(
        "describe", ("F2",), ("documents",), "Title, authors and dates of a document",
        listed={"lists": "Title, authors and dates of a document"},
    ),
    Shortcut(
        "restore", ("U",), ("documents",), "Take a document out of the bin",
        listed={"lists": "Take a document out of the bin"},
    ),
    Shortcut(
        "remove", _REMOVE, ("documents", "history", "citations"), "Remove", listed={"lists": "Remove"}, shown=("Del",)
    ),
    Shortcut(
        "rename", ("F2",), ("sidebar",), "Rename a collection or a saved search",
        listed={"lists": "Rename a collection or a saved search"},
    ),
    Shortcut("delete", _REMOVE, ("sidebar",), "Delete a collection or a saved search"),
    Shortcut(
        "tick", ("Space",), ("map fetch",), "Tick a page to fetch, or remove the tick",
        listed={"maps": "Tick a page to fetch, or remove the tick"},
    ),
    Shortcut(
        "larger", ("+", "="), ("map pages", "map fetch"), "Larger map",
        listed={"maps": "Larger, smaller, fit to the window"}, shown=("+", "-", "0"),
    ),
    Shortcut("smaller", ("-",), ("map pages", "map fetch"), "Smaller map"),
    Shortcut("fit", ("0",), ("map pages", "map fetch"), "Fit the map to the window"),
    Shortcut(
        "next_link", ("L",), ("reader",), "Next link",
        listed={"reader": "Next link, previous link; Enter follows it"}, shown=("L", "Shift+L"),
    ),
    Shortcut("previous_link", ("Shift+L",), ("reader",), "Previous link"),
    Shortcut("outline", ("O",), ("reader",), "Outline"),
    Shortcut(
        "related", ("R",), ("reader",), "Related passages", listed={"reader": "Related passages beside the full reader"}
    ),
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


_chosen: dict[str, str] = {}  # by the shortcut's id
_commands: dict[Place, dict[str, str]] = {}


@cache
def _shortcut(place: Place, command: str) -> Shortcut:
    return next(one for one in SHORTCUTS if one.command == command and place in one.places)


def keys_of(place: Place, command: str) -> tuple[str, ...]:
    """The keys of a command in a place, the one that is shown first."""
    return present_keys(_shortcut(place, command))


def key_of(place: Place, command: str) -> str:
    """The key that menus and tooltips show."""
    return keys_of(place, command)[0]


def present_keys(one: Shortcut, chosen: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The keys of a shortcut where these are chosen, by ids: one is instead of the usual key that is shown."""
    key = (_chosen if chosen is None else chosen).get(one.id)
    return one.keys if key is None else (key, *(other for other in one.keys[1:] if other != key))


def take_chosen(chosen: Mapping[str, str]) -> None:
    """Have these keys hold instead of the usual ones, by ids; whoever shows keys was not made yet."""
    _chosen.clear()
    _chosen.update(chosen)
    for place, commands in _commands.items():
        commands.clear()
        commands.update(_commands_by_key(place))


def with_key(text: str, place: Place, command: str) -> str:
    """A tooltip that ends in the key of what it describes."""
    return f"{text} ({key_of(place, command)})"


def words_of(command: str) -> str:
    """What a command of the window is called."""
    return _tr(_shortcut("window", command).words)


def commands_of(place: Place) -> Mapping[str, str]:
    """The commands of a place by their keys; the same mapping while the program runs, whatever is chosen."""
    if place not in _commands:
        _commands[place] = dict(_commands_by_key(place))
    return _commands[place]


def _commands_by_key(place: Place) -> Iterator[tuple[str, str]]:
    for one in SHORTCUTS:
        if place in one.places:
            yield from ((keys, one.command) for keys in present_keys(one))


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
                keys = tuple(_present(one.places[0], usual) for usual in one.shown or one.keys)
                yield title, _tr(one.listed[section]), keys


def _present(place: Place, key: str) -> str:
    """The key that holds instead of a usual one."""
    by_usual = (one for one in SHORTCUTS if place in one.places and key in one.keys[:1])
    return next((key_of(place, one.command) for one in by_usual), key)


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
    return keys.get(pressed_keys(event, ignored=ignored)) if isinstance(event, QKeyEvent) else None


def pressed_keys(event: QKeyEvent, *, ignored: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> str:
    """The keys of an event as the table writes them."""
    combination = event.keyCombination()
    modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier & ~ignored
    pressed = QKeySequence((modifiers | combination.key()).toCombined())
    return pressed.toString(QKeySequence.SequenceFormat.PortableText)


def _is_letter(event: QKeyEvent) -> bool:
    return bool(event.text()) and event.text().isprintable() and not event.modifiers() & _COMMANDING


def _tr(text: str) -> str:
    return QCoreApplication.translate("Shortcuts", text)
