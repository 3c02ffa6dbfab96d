"""Drag and drop as Qt receives it from the window system: events to the window, which finds the widget itself."""

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

_LEFT = Qt.MouseButton.LeftButton
_NO_KEYS = Qt.KeyboardModifier.NoModifier
_OFFERED = Qt.DropAction.CopyAction | Qt.DropAction.LinkAction


def drag_over(window: QWidget, mime: QMimeData, at: QPoint | None = None) -> bool:
    """Enter and move over a shown window; whether a drop would be taken."""
    handle = window.windowHandle()
    assert handle is not None
    place = at or window.rect().center()
    QApplication.sendEvent(handle, QDragEnterEvent(place, _OFFERED, mime, _LEFT, _NO_KEYS))
    move = QDragMoveEvent(place, _OFFERED, mime, _LEFT, _NO_KEYS)
    QApplication.sendEvent(handle, move)
    return move.isAccepted()


def drag_away(window: QWidget) -> None:
    """Leave the window without dropping."""
    handle = window.windowHandle()
    assert handle is not None
    QApplication.sendEvent(handle, QDragLeaveEvent())


def drop(window: QWidget, mime: QMimeData, at: QPoint | None = None) -> bool:
    """Drag over a shown window and let go; whether it was taken."""
    if not drag_over(window, mime, at):
        drag_away(window)
        return False
    handle = window.windowHandle()
    assert handle is not None
    event = QDropEvent(QPointF(at or window.rect().center()), _OFFERED, mime, _LEFT, _NO_KEYS)
    QApplication.sendEvent(handle, event)
    return event.isAccepted()


def link_of_firefox(address: str, title: str) -> QMimeData:
    """What Firefox sends for a link."""
    mime = QMimeData()
    mime.setData("text/x-moz-url", f"{address}\n{title}".encode("utf-16-le"))
    mime.setUrls([QUrl(address)])
    mime.setText(address)
    mime.setHtml(f'<a href="{address}">{title}</a>')
    return mime


def uri_list(*addresses: str) -> QMimeData:
    """What Chromium and file managers send."""
    mime = QMimeData()
    mime.setData("text/uri-list", "".join(f"{address}\r\n" for address in addresses).encode())
    return mime


def plain_text(text: str) -> QMimeData:
    """Selected text."""
    mime = QMimeData()
    mime.setText(text)
    return mime
