"""Captured pages whose files are to be fetched, as the worker takes them up."""

from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.errors import IngestionError
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.models.sources import FollowedWithin
from webrag_desktop.storage.captures import captures, page_looks
from webrag_desktop.storage.captures.captures import StoredCapture
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources

MOST_BEGUN = 3  # times that the program may end in the files of a page
DAMAGED = "What was kept is damaged"
GIVEN_UP = "The program was ended repeatedly while it fetched them"


@dataclass(frozen=True, slots=True)
class CapturedPage:
    """A captured page whose files are to be fetched."""

    source_id: UUID
    stored: StoredCapture
    begun: int
    followed: FollowedWithin | None

    @property
    def capture_id(self) -> UUID:
        """The capture that is shown with these files."""
        return self.stored.id

    @property
    def lies(self) -> AddressClass:
        """Where the page came from; the internet where that is not known."""
        reached = self.stored.capture.reached
        return reached[-1] if reached else "public"


def open_page(conn: Connection, capture_id: UUID, source_id: UUID, begun: int) -> CapturedPage | None:
    """The page, of which another beginning is counted; None where it was begun too often, or is damaged."""
    if begun >= MOST_BEGUN:
        page_looks.finish(conn, capture_id, 0, GIVEN_UP)
        return None
    page_looks.begin(conn, capture_id)
    try:
        stored = captures.load_capture(conn, capture_id)
    except IngestionError:
        stored = None
    if stored is None:
        page_looks.finish(conn, capture_id, 0, DAMAGED)
        return None
    return CapturedPage(source_id, stored, begun, sources.followed_within(conn, source_id))
