"""What the window remembers: layout, view and question over restarts; the places visited, for back and forward."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args
from uuid import UUID

from PySide6.QtCore import QByteArray, QSettings

from webrag_desktop.gui.data.appearance import SCALES, THEMES, Appearance
from webrag_desktop.gui.data.filters import restored_filters, stored_filters
from webrag_desktop.gui.data.questions import NO_QUESTION, LastQuestion
from webrag_desktop.gui.data.view_data import Listing, SpanReference
from webrag_desktop.models.sources import Grouping, SortKey

if TYPE_CHECKING:
    from webrag_desktop.gui.shell.main_window import MainWindow


FILE = "window.ini"
View = Literal["library", "research", "map"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a window begins with: the view and the question of the last one, and whether it searches as one types.

    ``order`` is how lists of documents are sorted and grouped.
    """

    view: View = "library"
    question: LastQuestion = NO_QUESTION
    as_typed: bool = True
    order: Listing = field(default_factory=Listing)


class WindowState:
    """Keeps the window's layout in the data folder."""

    def __init__(self, home: Path) -> None:
        """Use the file in ``home``; a damaged one is as good as none."""
        self._settings = QSettings(str(home / FILE), QSettings.Format.IniFormat)

    def restore(self, window: "MainWindow") -> None:
        """Put the window back as it was left."""
        geometry = self._bytes("geometry")
        if geometry:
            window.restoreGeometry(QByteArray(geometry))
        panes = {
            name: value for name in filter(None, self._settings.allKeys()) if (value := self._bytes(name))
        }
        if "body" in panes:
            window.body.restore(panes["body"])
        window.sidebar.restore_layout(panes)
        window.library.restore_layout(panes)
        window.research.reader.set_zoom(self._zoom())
        window.recently_run = self._commands()
        window.research.restore_layout(panes)
        window.once_map_is_made(lambda view: view.restore_layout(panes))

    def remembered(self) -> Remembered:
        """What the last window was left with; what cannot be read is as if it were not there."""
        view = str(self._settings.value("view", ""))
        return Remembered(
            cast("View", view) if view in get_args(View) else "library",
            _question(str(self._settings.value("question", ""))),
            as_typed=str(self._settings.value("as-typed", "true")) != "false",
            order=_order(str(self._settings.value("order", ""))),
        )

    def save(self, window: "MainWindow", remembered: Remembered | None = None) -> None:
        """Remember how the window is now, and what it shows."""
        if remembered is not None:
            self._settings.setValue("view", remembered.view)
            self._settings.setValue("question", _written(remembered.question))
            self._settings.setValue("as-typed", "true" if remembered.as_typed else "false")
            order = remembered.order
            self._settings.setValue("order", json.dumps([order.sort, order.descending, order.grouping]))
        self._settings.setValue("geometry", window.saveGeometry())
        self._settings.setValue("body", QByteArray(window.body.saved()))
        for view in window.layouts():
            for name, value in view.saved_layout().items():
                self._settings.setValue(name, QByteArray(value))
        self._settings.setValue("commands", list(window.recently_run))
        self._settings.setValue("zoom", window.research.reader.zoom)
        self._settings.sync()

    def _bytes(self, name: str) -> bytes | None:
        value = self._settings.value(name)
        return bytes(value.data()) if isinstance(value, QByteArray) else None

    def _commands(self) -> tuple[str, ...]:
        kept = self._settings.value("commands")
        if isinstance(kept, str):  # one alone comes back without its list
            return (kept,)
        return tuple(map(str, kept)) if isinstance(kept, list) else ()

    def _zoom(self) -> int:
        try:
            return int(str(self._settings.value("zoom", 0)))
        except ValueError:  # written by somebody else
            return 0


def _written(last: LastQuestion) -> str:
    passage = str(last.passage) if last.passage is not None else None
    filters = stored_filters(last.filters)
    return json.dumps(
        {"question": last.question, "filters": filters, "asked": last.asked, "passage": passage}
    )


def _question(written: str) -> LastQuestion:
    try:
        read = json.loads(written)
        passage = UUID(read["passage"]) if read["passage"] else None
        return LastQuestion(
            str(read["question"]), restored_filters(read["filters"]), read["asked"] is True, passage
        )
    except (ValueError, TypeError, KeyError, AttributeError):  # written by somebody else
        return NO_QUESTION


def _order(written: str) -> Listing:
    try:
        sort, descending, grouping = json.loads(written)
    except (ValueError, TypeError):  # written by somebody else
        return Listing()
    if sort not in get_args(SortKey) or grouping not in (None, *get_args(Grouping)):
        return Listing()
    return Listing(sort=sort, descending=descending is True, grouping=grouping)


class KeptAppearance:
    """Keeps how the window looks beside its layout; read before there is a window."""

    def __init__(self, home: Path) -> None:
        """Use the file in ``home``; what is damaged or of another version counts as not chosen."""
        self._settings = QSettings(str(home / FILE), QSettings.Format.IniFormat)

    def read(self) -> Appearance:
        """What was chosen last."""
        usual = Appearance()
        theme = next((one for one in THEMES if one == self._text("theme")), usual.theme)
        scale = self._text("scale")
        return Appearance(
            theme,
            max(SCALES[0], min(int(scale), SCALES[-1])) if scale.isdecimal() else usual.scale,
            self._text("language") or usual.language,
        )

    def write(self, appearance: Appearance) -> None:
        """Keep what was chosen."""
        for name in ("theme", "scale", "language"):
            self._settings.setValue(f"appearance/{name}", getattr(appearance, name))
        self._settings.sync()

    def _text(self, name: str) -> str:
        return str(self._settings.value(f"appearance/{name}", ""))


class KeptKeys:
    """Keeps the keys that the user chose, by the ids of their shortcuts; read before there is a window."""

    def __init__(self, home: Path) -> None:
        """Use the file in ``home``."""
        self._settings = QSettings(str(home / FILE), QSettings.Format.IniFormat)

    def read(self) -> dict[str, str]:
        """What was chosen last."""
        self._settings.beginGroup("shortcuts")
        chosen = {name: str(self._settings.value(name)) for name in self._settings.allKeys()}
        self._settings.endGroup()
        return chosen

    def write(self, chosen: Mapping[str, str]) -> None:
        """Keep what is chosen, and nothing else."""
        self._settings.remove("shortcuts")
        for name, key in chosen.items():
            self._settings.setValue(f"shortcuts/{name}", key)
        self._settings.sync()


LONGEST = 100


@dataclass(frozen=True, slots=True)
class Visit:
    """A view, what its reader showed, and whether the reader had the whole view."""

    view: View
    span: SpanReference | None = None
    full: bool = False


class History:
    """A walk through visits, as in a browser: a new visit forgets what lay ahead."""

    def __init__(self, start: Visit) -> None:
        """Begin at ``start``."""
        self._visits = [start]
        self._index = 0

    @property
    def current(self) -> Visit:
        """The visit that is shown."""
        return self._visits[self._index]

    @property
    def can_go_back(self) -> bool:
        """Whether there is something behind."""
        return self._index > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether there is something ahead."""
        return self._index + 1 < len(self._visits)

    def visit(self, place: Visit) -> None:
        """Go somewhere new."""
        if place == self.current:
            return
        self._visits = [*self._visits[: self._index + 1], place][-LONGEST:]
        self._index = len(self._visits) - 1

    def amend(self, place: Visit) -> None:
        """Replace the present visit: walking through passages is one visit, not one each."""
        self._visits[self._index] = place

    def back(self) -> Visit:
        """Go one visit back; stays where it is at the beginning."""
        self._index = max(0, self._index - 1)
        return self.current

    def forward(self) -> Visit:
        """Go one visit forward; stays where it is at the end."""
        self._index = min(len(self._visits) - 1, self._index + 1)
        return self.current
