"""Tooltips of text that comes from elsewhere: shown letter by letter, never read as markup."""

from html import escape

from PySide6.QtGui import Qt


def plain_tooltip(text: str) -> str:
    """What to set as a tooltip so that ``text`` is seen as it is.

    Qt reads a tooltip that looks like HTML as HTML, with its pictures: a page's title could then load files.
    """
    if not Qt.mightBeRichText(text):
        return text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>'
