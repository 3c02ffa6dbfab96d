"""A text document that loads nothing, from nowhere."""

from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument


class SilentDocument(QTextDocument):
    """What it names stays where it is: neither the network nor this computer is asked."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Nothing is loaded."""
        return None
