"""Whether the data folder is still the one that was opened: folders can be moved and removed while they are used."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from webrag_desktop.errors import DataFolderGoneError


@dataclass
class Place:
    """A file that lies in the data folder and is neither written to nor replaced, so that it tells one from another."""

    path: Path
    _noted: tuple[int, int, int] | None = field(default=None, init=False)

    def note(self, home: Path) -> None:
        """Remember which file it is, the first time; afterwards as :meth:`ensure`."""
        if self._noted is None:
            self._noted = which_file(self.path)
        self.ensure(home)

    def ensure(self, home: Path) -> None:
        """Raise DataFolderGoneError where another file lies there than was noted, or none."""
        if self._noted is not None and which_file(self.path) != self._noted:
            raise DataFolderGoneError.of(home)


def which_file(path: Path | int) -> tuple[int, int, int] | None:
    """What tells the file at a path (or an open one) from any other; None where there is none.

    The number of a file alone may be given to the next one once it is removed.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - an open file, too
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns
