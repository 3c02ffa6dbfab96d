"""Whether the files that show a page as it looked are wanted, and having them fetched where they are."""

from uuid import UUID

from webrag_desktop.ingestion.fetching.options import SubresourceOptions
from webrag_desktop.ingestion.fetching.politeness import site_of_address
from webrag_desktop.storage.captures import captures, page_looks
from webrag_desktop.storage.captures.captures import CaptureHead
from webrag_desktop.storage.database import Connection

_PAGES = ("text/html", "application/xhtml+xml")


def request_where_wanted(
    conn: Connection, source_id: UUID, capture_id: UUID, options: SubresourceOptions
) -> None:
    """Have the files of a page that was just captured fetched, where the user or the settings want them kept."""
    head = captures.latest_head(conn, source_id)
    if head is None or head.id != capture_id or not _is_page(head):
        return
    wanted = page_looks.wished(conn, source_id)
    if options.are_kept(site_of_address(head.final_url)) if wanted is None else wanted:
        page_looks.request(conn, capture_id)


def wish_for_page(conn: Connection, source_id: UUID, wanted: bool) -> None:
    """Note whether the files of a page are to be kept; of one that is captured already they are fetched now."""
    page_looks.wish(conn, [source_id], wanted)
    head = captures.latest_head(conn, source_id) if wanted else None
    if head is not None and _is_page(head) and not head.url.startswith("file:"):
        page_looks.request(conn, head.id)


def _is_page(head: CaptureHead) -> bool:
    declared = next((value for name, value in head.headers if name.lower() == "content-type"), _PAGES[0])
    return declared.partition(";")[0].strip().lower() in _PAGES
