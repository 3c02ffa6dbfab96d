"""What kinds of documents are called, and which icon each has."""

from typing import Final

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import DocumentKind
from webrag_desktop.models.formats import DOC_TYPE_LOOKS

KIND_ICONS: Final[dict[DocumentKind, str]] = {
    **{kind: look.icon for kind, look in DOC_TYPE_LOOKS.items()},
    "unknown": "file",
}


def kind_word(kind: DocumentKind) -> str:
    """The kind in a word or two, for people."""
    word = "File" if kind == "unknown" else DOC_TYPE_LOOKS[kind].word
    return QCoreApplication.translate("DocumentKind", word)
