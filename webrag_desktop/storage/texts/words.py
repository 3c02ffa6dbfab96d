"""Upkeep of the postings that words are scored by: they are put down by triggers, in ever more segments."""

from webrag_desktop.storage.database import Connection

# Segments below this many children are merged, eight of like size into one, of at most so many. What a writer of
# chunks merges by itself is much smaller: it waits for that.
MERGED_BELOW = 32_768
LARGEST_SEGMENT = 65_536


def tidy(conn: Connection) -> bool:
    """Do one piece of it; False where there is nothing to do, or another program is at it.

    First, segments of which much was deleted are put down anew; then small ones are merged. Searches and writers
    go on meanwhile, and scores stay as they are to the last bit.
    """
    row = conn.execute("SELECT webrag_scrub_segment()").fetchone()
    if row == (0,):
        row = conn.execute("SELECT webrag_merge_segments(%s, %s)", [MERGED_BELOW, LARGEST_SEGMENT]).fetchone()
    return row != (0,)


def put_down_anew(conn: Connection) -> None:
    """Make all postings anew from the words of the chunks.

    Writers of chunks wait meanwhile: what one of them commits between two statements would be counted twice, or noted
    as gone though nothing lists it.
    """
    conn.execute("LOCK TABLE chunks IN SHARE MODE")
    conn.execute("SELECT webrag_put_down_words()")
