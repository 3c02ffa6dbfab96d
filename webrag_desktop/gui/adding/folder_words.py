"""What of a folder is left out, and why, in words."""

from typing import Final, NamedTuple

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.folders import LeftOut
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.theme.tokens import Role

_NAMED: Final = frozenset(("unreadable", "name", "too large", "deep"))  # worth saying which ones
_SHOWN_PATHS: Final = 3


class LeftOutLook(NamedTuple):
    """The icon of a reason and its colour."""

    icon: str
    role: Role


_LOOKS: Final[dict[str, LeftOutLook]] = {
    "unreadable": LeftOutLook("triangle-alert", "warn"),
    "name": LeftOutLook("triangle-alert", "warn"),
    "too large": LeftOutLook("triangle-alert", "warn"),
    "hidden": LeftOutLook("circle-dashed", "text3"),
    "link": LeftOutLook("link", "text3"),
    "tool": LeftOutLook("folder-open", "text3"),
    "page parts": LeftOutLook("folder-open", "text3"),
}


def left_out_look(group: LeftOut) -> LeftOutLook:
    """How a reason looks; what the user may do something about stands out."""
    return _LOOKS.get(group.reason, LeftOutLook("file", "text3"))


def left_out_headline(group: LeftOut) -> str:
    """How many, and what they are: ``12 files of other kinds``."""
    words = {
        "unreadable": _tr("{0} that may not be read"),
        "kind": _tr("{0} of kinds that cannot be read"),
        "too large": _tr("{0} too large"),
        "empty": _tr("{0} with nothing in them"),
        "hidden": _tr("{0} hidden"),
        "tool": _tr("{0} of tools"),
        "page parts": _tr("{0} with parts of saved pages"),
        "link": _tr("{0} that only link elsewhere"),
        "special": _tr("{0} of the system"),
        "name": _tr("{0} with an unreadable name"),
        "deep": _tr("{0} too deep inside each other"),
    }
    return words.get(group.reason, "{0}").format(_counted(group))


def left_out_detail(group: LeftOut) -> str:
    """Why, and which ones."""
    if group.reason in _NAMED:
        return ", ".join(_name(path) for path in group.examples[:_SHOWN_PATHS])
    words = {
        "tool": _tr("Version control, installed packages and the like"),
        "page parts": _tr("Pictures and styles; the pages themselves are added"),
        "link": _tr("What they lead to is not followed"),
    }
    if group.reason != "kind":
        return words.get(group.reason, "")
    return ", ".join(f"{_ending(ending)} {number(count)}" for ending, count in group.endings)


def _ending(ending: str) -> str:
    return _plain(ending) or _tr("no ending")


def _name(path: str) -> str:
    return _plain(path.replace("\\", "/").rpartition("/")[2]) or path


def _plain(text: str) -> str:
    """Without what no encoding can hold, which names of files may bring."""
    return text.encode("utf-8", "replace").decode()


def _counted(group: LeftOut) -> str:
    files = _files(group.files) if group.files else ""
    folders = ""
    if group.folders:
        folders = _tr("1 folder") if group.folders == 1 else _tr("{0} folders").format(number(group.folders))
    return _tr("{0} and {1}").format(files, folders) if files and folders else files or folders


def _files(count: int) -> str:
    return _tr("1 file") if count == 1 else _tr("{0} files").format(number(count))


def files(count: int) -> str:
    """A number of files."""
    return _files(count)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Folders", text)
