"""A page as it looked, drawn by Qt's web engine, which loads nothing: the page and its files are in memory.

What is drawn was made harmless before. The engine holds all the same: it runs no scripts, keeps nothing, and every
request but for the page and the files that are kept of it is refused. Imported where a page is first shown.
"""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt, QUrl, Signal
from PySide6.QtWebEngineCore import (
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineSettings,
    QWebEngineUrlRequestInfo,
    QWebEngineUrlRequestInterceptor,
    QWebEngineUrlRequestJob,
    QWebEngineUrlScheme,
    QWebEngineUrlSchemeHandler,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QWidget

from webrag_desktop.models.subresources import PageLook, StoredBody

SCHEME: Final = "webrag-page"
_OFF = (
    "JavascriptEnabled", "LocalStorageEnabled", "PluginsEnabled", "HyperlinkAuditingEnabled", "WebGLEnabled",
    "LocalContentCanAccessRemoteUrls", "LocalContentCanAccessFileUrls", "ErrorPageEnabled", "PdfViewerEnabled",
    "FullScreenSupportEnabled", "DnsPrefetchEnabled", "NavigateOnDropEnabled", "AutoLoadIconsForPage",
    "ScreenCaptureEnabled", "JavascriptCanOpenWindows", "AllowWindowActivationFromJavaScript",
)  # fmt: skip


def _register() -> None:
    """Have the engine know the scheme, as it has to before any of its objects is made."""
    if QWebEngineUrlScheme.schemeByName(SCHEME.encode()).name().isEmpty():
        scheme = QWebEngineUrlScheme(SCHEME.encode())
        scheme.setSyntax(QWebEngineUrlScheme.Syntax.Host)
        QWebEngineUrlScheme.registerScheme(scheme)


class _Refusal(QWebEngineUrlRequestInterceptor):
    """Refuses every request but for what is in memory; ``refused`` has the addresses, for whoever asks."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.refused: list[str] = []

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        url = info.requestUrl()
        if url.scheme() == "data" or (url.scheme() == SCHEME and info.requestMethod() == QByteArray(b"GET")):
            return
        self.refused.append(url.toString())
        info.block(True)


class _Files(QWebEngineUrlSchemeHandler):
    """Gives the page at the address without a path, and files by their names."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.html = b""
        self.files: Mapping[str, StoredBody] = {}

    def requestStarted(self, job: QWebEngineUrlRequestJob) -> None:
        name = job.requestUrl().path().removeprefix("/")
        found = self.files.get(name) if name else StoredBody("text/html", self.html)
        if found is None:
            job.fail(QWebEngineUrlRequestJob.Error.UrlNotFound)
            return
        body = QBuffer(job)
        body.setData(QByteArray(found.body))
        body.open(QIODevice.OpenModeFlag.ReadOnly)
        job.reply(QByteArray(found.media_type.partition(";")[0].encode()), body)


class _Page(QWebEnginePage):
    """Goes nowhere: what the user follows is only told."""

    link_followed = Signal(str)

    def acceptNavigationRequest(
        self, url: QUrl | str, kind: QWebEnginePage.NavigationType, is_main_frame: bool
    ) -> bool:
        address = QUrl(url)
        if is_main_frame and (address.scheme(), address.path()) == (SCHEME, "/"):
            return True
        if kind == QWebEnginePage.NavigationType.NavigationTypeLinkClicked:
            self.link_followed.emit(address.toString())
        return False

    def createWindow(self, _kind: QWebEnginePage.WebWindowType) -> QWebEnginePage | None:  # type: ignore[override]
        return None


class PageView(QWebEngineView):
    """Shows one page at a time. ``link_followed`` has the address of a link that the user clicked."""

    link_followed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        _register()
        super().__init__(parent)
        profile = QWebEngineProfile()  # off the record
        profile.setHttpCacheType(QWebEngineProfile.HttpCacheType.NoCache)
        profile.setPersistentCookiesPolicy(QWebEngineProfile.PersistentCookiesPolicy.NoPersistentCookies)
        self.refusal, self._files = _Refusal(self), _Files(self)
        profile.setUrlRequestInterceptor(self.refusal)
        profile.installUrlSchemeHandler(SCHEME.encode(), self._files)
        profile.downloadRequested.connect(lambda download: download.cancel())
        page = _Page(profile, self)
        profile.setParent(page)  # it must outlive the page
        for name in _OFF:
            page.settings().setAttribute(getattr(QWebEngineSettings.WebAttribute, name), False)
        page.link_followed.connect(self.link_followed)
        self.setPage(page)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setAcceptDrops(False)
        self._shown = 0

    def show_look(self, look: PageLook) -> None:
        """Show a page from its beginning."""
        self._files.html, self._files.files = look.html.encode("utf-8", "replace"), look.files
        self._shown += 1
        # The engine remembers files by their address; at a new host it asks for them again, which may have changed.
        self.load(QUrl(f"{SCHEME}://page-{self._shown}/"))
