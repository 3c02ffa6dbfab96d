"""What a capture looks like: a page, or one of its stylesheets."""

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.page_look.page import page_markup
from webrag_desktop.ingestion.page_look.stylesheets import stylesheet_markup
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.markup import Markup

_PAGES = ("text/html", "application/xhtml+xml")


def markup_of(capture: Capture) -> Markup:
    """The markup of a page or a stylesheet, by the type that it came with; what has none is a page.

    Raises:
        ExtractionError: it is neither.
    """
    declared = (capture.header("content-type") or _PAGES[0]).partition(";")[0].strip().lower()
    if declared == "text/css":
        return stylesheet_markup(capture)
    if declared in _PAGES:
        return page_markup(capture)
    raise ExtractionError("This is no web page, so it cannot be shown as one", "Its text can be read.")
