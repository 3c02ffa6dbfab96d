"""Texts to quote from: markup, several scripts, borders of chunks and sections, older versions, copies."""

from uuid import UUID

from tests.support.corpus import captured
from tests.support.new_source import new_source
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources

TIDES = """# Tide pools

Where the **sea** meets [rock](https://example.org/rock), *lim*pets clamp their shells — “tight” — against
the wa­ves. A ﬁne ﬂoor of sand lies below; it was \\-18 degrees &amp; calm.

To be or not to be, that is the question of every limpet.

| Animal | Legs |
| --- | --- |
| crab | ten |

## Measured there

The pools of Tarbet held 3.5 mg of zirconium in 1987, and 41 limpets.
"""
COPY = """# Notes on limpets

Somebody copied it: To be or not to be, that is the question of every limpet.
"""
JAPANESE = "# 潮だまり\n\n潮が引くと、鏡のような水の中に小さな魚が残される。\n\n岩の上の貝は殻を閉じて乾きに耐える。\n"
THAI = "# ทะเล\n\nปูเสฉวนอาศัยอยู่ในเปลือกหอยที่ว่างเปล่าตามชายฝั่ง\n"
GERMAN = "# Das Watt\n\nBei Ebbe fallen die Wattflächen trocken, und Wattwürmer werfen ihre Häufchen auf.\n"
CODE = "# Settings\n\nCall `open_library(max_depth=3)` with `--no-cache`, or set WEBRAG_HOME first.\n"
PLAIN_OLD = "# Ferry\n\nThe ferry to Tarbet leaves at nine each morning.\n"
PLAIN_NEW = "# Ferry\n\nThe ferry to Tarbet leaves at half past ten each morning.\n"


def book() -> str:
    """Many sections of many words, each sentence with a number of its own."""
    parts = ["# The long voyage"]
    for chapter in range(24):
        parts.append(f"## Chapter {chapter}")
        parts += [
            " ".join(
                f"On day {chapter}-{n}-{m} the crew of ship{n} saw whale{m} near isle{chapter}."
                for m in range(14)
            )
            for n in range(5)
        ]
    return "\n\n".join(parts) + "\n"


TEXTS = {
    "tides": TIDES, "copy": COPY, "japanese": JAPANESE, "thai": THAI, "german": GERMAN, "code": CODE, "book": book(),
}  # fmt: skip


def address(name: str) -> str:
    """Where the text of that name is said to come from."""
    return f"https://example.org/{name}.md"


def put_text(
    database: Database, indexer: Indexer, name: str, markdown: str, known: UUID | None = None
) -> UUID:
    """Index a Markdown file under :func:`address`; another text of the document ``known``."""
    url = address(name)
    capture = captured(url, markdown.encode()).model_copy(
        update={"headers": (("content-type", "text/markdown; charset=utf-8"),)}
    )
    with database.connection() as conn:
        source_id = known or new_source(conn, "url", url, url)
        stored = captures.save_capture(conn, source_id, capture)
    origin = Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
    indexer.index(source_id, extract(capture), origin, report=lambda *_step: None)
    with database.connection() as conn:
        sources.set_state(conn, source_id, "ready")
    return source_id


def put_texts(database: Database, indexer: Indexer) -> dict[str, UUID]:
    """Index all of them; the ferry has an older version."""
    ids = {name: put_text(database, indexer, name, text) for name, text in TEXTS.items()}
    ids["ferry"] = put_text(database, indexer, "ferry", PLAIN_OLD)
    put_text(database, indexer, "ferry", PLAIN_NEW, ids["ferry"])
    return ids
