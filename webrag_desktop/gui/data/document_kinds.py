"""What kinds of documents are called, and which icon each has."""

from typing import Final

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.view_data import DocumentKind

KIND_ICONS: Final[dict[DocumentKind, str]] = {
    "html": "globe",
    "pdf": "file-type",
    "markdown": "file-text",
    "text": "file-text",
    "docx": "file-text",
    "epub": "book-open",
    "unknown": "file",
}


def kind_word(kind: DocumentKind) -> str:
    """The kind in a word or two, for people."""
    words: dict[DocumentKind, str] = {
        "html": QCoreApplication.translate("DocumentKind", "Web page"),
        "pdf": QCoreApplication.translate("DocumentKind", "PDF"),
        "markdown": QCoreApplication.translate("DocumentKind", "Markdown"),
        "text": QCoreApplication.translate("DocumentKind", "Text"),
        "docx": QCoreApplication.translate("DocumentKind", "Word document"),
        "epub": QCoreApplication.translate("DocumentKind", "EPUB"),
        "unknown": QCoreApplication.translate("DocumentKind", "File"),
    }
    return words[kind]
