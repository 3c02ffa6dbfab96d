"""What the core tells of a library, as the window hears it."""

from typing import TYPE_CHECKING

from webrag_desktop.gui.data.view_data import DocumentNews

if TYPE_CHECKING:
    from webrag_desktop.models.news import LibraryNews


def document_news(news: "LibraryNews") -> tuple[DocumentNews, ...]:
    """What changed, each document once, as it was last told."""
    latest = {event.source_id: event for event in news.changed}
    return tuple(
        DocumentNews(
            event.source_id, None if event.state == "removed" else event.state, event.done, event.total
        )
        for event in latest.values()
    )
