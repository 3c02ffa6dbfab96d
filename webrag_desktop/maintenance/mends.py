"""What mends a damaged library: derived data is made again from what was kept; what the user gave is never deleted.

Each function is the mend of that name, which checks declare (:class:`~webrag_desktop.models.checks.Check`): it is
called with these checks and yields what became of the damage, nothing where there is none.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    EmbeddingError,
    IngestionError,
    ResourceError,
    WebragError,
)
from webrag_desktop.indexing.batch import rebuild
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.sanitizing import sanitize
from webrag_desktop.maintenance.checking import Deep, Mending
from webrag_desktop.models.checks import Check, Mend, Remedy, Repair
from webrag_desktop.models.documents import NormalizedDocument
from webrag_desktop.storage import upkeep
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.checks import deep_reads, repair, text_repair
from webrag_desktop.storage.checks.declared import offenders_of
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.spaces import space_index
from webrag_desktop.storage.spaces.space_tables import active_space, damaged_space, put_back
from webrag_desktop.storage.texts import documents, versions
from webrag_desktop.text.plain_text import project

SPACE_PUT_BACK = "The record of how its vectors were made was restored."
SPACE_UNKNOWN = (
    "The settings do not name the embedding space that the library uses. Set the embedding model and the chunk sizes "
    "to their former values and repair the library again, or restore a backup with `webrag restore`."
)
_FETCHED_AGAIN = "Checking for changes fetches the page again."
_GONE = "A newer copy exists, so it cannot be fetched again."
NOT_UNDERSTOOD = "What is stored about its text cannot be read."
Checks = Sequence[Check]


def _each(
    check: str, subjects: Iterable[object], message: str, remedy: Remedy | None = None, *, mended: bool = True
) -> Iterator[Repair]:
    return (Repair(check, str(subject), mended, message, remedy) for subject in subjects)


def _counted(check: str, count: int, message: str) -> Iterator[Repair]:
    return _each(check, ["1 row" if count == 1 else f"{count} rows"] if count else [], message)


def _by_sql(checks: Checks) -> list[str]:
    return [check.name for check in checks if not isinstance(check, Deep)]


def _found_deep(mending: Mending, checks: Checks) -> Iterator[tuple[str, str]]:
    """What the deep checks among these found: name of the check, id."""
    for check in checks:
        if isinstance(check, Deep):
            yield from ((check.name, id_) for id_ in mending.deep_offenders(check.name))


# -- Spaces and the queue ----------------------------------------------------------------------------------------------


def definition(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Restore the definition of the library's space; where that fails, ``space_is_known`` becomes False."""
    with mending.database.connection() as conn:
        table = damaged_space(conn)
    if table is None:
        return
    try:
        wanted = mending.chosen() if mending.chosen is not None else None
    except (ConfigurationError, EmbeddingError):  # doctor reports the settings elsewhere
        wanted = None
    with mending.database.connection() as conn:
        mended = wanted is not None and put_back(conn, wanted)
    mending.space_is_known = mended
    yield Repair(checks[0].name, table, mended, SPACE_PUT_BACK if mended else SPACE_UNKNOWN)


def spaces(mending: Mending, _checks: Checks) -> Iterator[Repair]:
    """Give each space its table and index, and drop vectors that are wrong or that no space owns."""
    mending.next("spaces")
    with mending.database.connection() as conn:
        chosen = repair.choose_only_space(conn)
        unaccounted = repair.drop_unaccounted_spaces(conn)
        made = repair.make_missing_space_tables(conn)
        dropped = repair.drop_orphaned_space_tables(conn)
        wrong = repair.drop_wrong_vectors(conn)
        stale = repair.drop_stale_cache(conn)
        stored = active_space(conn)
    yield from _each("vectors-complete", ["corpus"] * chosen, "The library has its embedding space again.")
    yield from _each("spaces-accounted", made, "The table was created again; its vectors are made next.")
    unused = (*unaccounted, *dropped)
    yield from _each("spaces-accounted", unused, "Vectors of a space that is not in use were deleted.")
    yield from _counted("vectors-complete", wrong, "Wrong vectors were deleted; they are made again next.")
    yield from _counted("no-orphans", stale, "Cached data that belongs to no text was deleted.")
    if stored is not None:
        with mending.database.connection() as conn:
            state = space_index.state(conn, stored)
        if state in ("absent", "broken") and space_index.build(mending.database, stored, mending.cancel):
            yield Repair("spaces-accounted", stored.table, True, "The index of vectors was built again.")


def queue(mending: Mending, _checks: Checks) -> Iterator[Repair]:
    """Queue sources that lost their job or their text."""
    mending.next("queue")
    with mending.database.connection() as conn:
        requeued = repair.requeue_lost_work(conn)
        lost, gone = repair.requeue_lost_documents(conn)
    yield from _each("queue-legal", requeued, "It is in the queue again.", "work")
    yield from _each("no-orphans", lost, "Its text is lost; reading it again is queued.", "work")
    yield from _each("no-orphans", gone, f"{sources.NOTHING_KEPT} {sources.ADD_AGAIN}", mended=False)


def addresses(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Give sources without an address the one that their capture or document names."""
    with mending.database.connection() as conn:
        for id_, address in repair.without_address(conn):
            owner = sources.claim_address(conn, id_, address, url_key(address), "given") if address else None
            if owner == id_:
                yield Repair(checks[0].name, str(id_), True, "It has its address again.")
            else:
                yield Repair(checks[0].name, str(id_), False, "Its address is not known any more.", "remove")


# -- Texts -------------------------------------------------------------------------------------------------------------


def texts(mending: Mending, _checks: Checks) -> Iterator[Repair]:
    """Put damaged texts together from their chunks or read them again, then mend the citations of them."""
    with mending.database.connection() as conn:
        joined = text_repair.join_captures(conn)
        put_together = text_repair.texts_from_chunks(conn)
        damaged = text_repair.damaged_texts(conn)
    yield from _each("no-orphans", joined, "It is linked again to the copy that it was read from.")
    yield from _each("texts-unaltered", put_together, "The text was restored from its passages.")
    for text in damaged:
        mending.next("texts")
        yield _text(mending, text)
    with mending.database.connection() as conn:
        renewed = text_repair.renew_document_hashes(conn)
        cited = text_repair.mend_citations(conn)
        left = offenders_of(conn, "citations-verbatim")
    yield from _counted("texts-unaltered", renewed, "Documents have the hash of their text again.")
    yield from _counted("citations-verbatim", cited, "Citations point to their words again.")
    outcome = "Its words are not in the text; the citation stays as it is."
    yield from _each("citations-verbatim", left, outcome, "uncite", mended=False)


def _text(mending: Mending, text: text_repair.DamagedText) -> Repair:
    try:
        found = _read_again(mending, text.capture_id)
    except (Cancelled, ResourceError):
        raise
    except WebragError as error:
        return _unmended(mending, text, f"Its kept copy cannot be read: {error.message}")
    stored_hash = hashlib.sha256(text.markdown.encode()).hexdigest()
    if found is not None and found.content_hash in (text.content_hash, stored_hash):
        plain = project(found.markdown)
        with mending.database.connection() as conn:
            text_repair.rewrite_text(conn, text.id, found, plain.text, plain.runs)
        return Repair("texts-unaltered", str(text.id), True, "The text was read again from its kept copy.")
    if text.shown and found is not None:
        with mending.database.connection() as conn:
            versions.reread(conn, [text.document_id])
        outcome = "Its kept copy gives a different text today. Reading it is queued; the damaged text stays."
        return Repair("texts-unaltered", str(text.id), False, outcome, "work")
    return _unmended(mending, text, "No kept copy gives this text.")


def _unmended(mending: Mending, text: text_repair.DamagedText, outcome: str) -> Repair:
    if text.capture_id is not None:  # a site that answers "not modified" would send nothing
        with mending.database.connection() as conn:
            text_repair.to_be_fetched_whole(conn, [text.capture_id])
    return Repair("texts-unaltered", str(text.id), False, outcome, "refresh" if text.shown else None)


def _read_again(mending: Mending, capture_id: UUID | None) -> NormalizedDocument | None:
    if capture_id is None:
        return None
    with mending.database.connection() as conn:
        stored = captures.load_capture(conn, capture_id)
    if stored is None:
        return None
    if captures.raw_hash_of(stored.capture) != stored.raw_hash:
        raise IngestionError("It has changed since it was received.")
    return mending.read(stored.capture, mending.cancel)


def projections(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Make plain texts again from their markdown."""
    for check, id_ in _found_deep(mending, checks):
        try:
            with mending.database.connection() as conn:
                version = documents.load_text(conn, UUID(id_))
                if version is None:
                    continue
                plain = project(version.markdown)
                deep_reads.renew_projection(conn, version.id, plain.text, plain.runs)
        except ValidationError:
            yield Repair(check, id_, False, NOT_UNDERSTOOD)
        else:
            yield Repair(check, id_, True, "The text in which quotations are searched was made again.")


def html(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Make stored HTML harmless; chunks that hold a part of it are cut again."""
    for check, id_ in _found_deep(mending, checks):
        with mending.database.connection() as conn:
            stored = text_repair.html_of(conn, UUID(id_))
            if stored is None:
                continue
            document_id, source_url, whole, blocks = stored
            local = source_url.startswith("file:")
            for block in blocks:
                if isinstance(of_block := block.get("html"), str):
                    block["html"] = sanitize(of_block, local=local)
            text_repair.renew_html(conn, UUID(id_), whole and sanitize(whole, local=local), blocks)
        mending.to_cut.append(document_id)
        yield Repair(
            check, id_, True, "Scripts and content loaded from elsewhere were removed from its HTML."
        )


def lost_captures(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Have pages fetched whole at their next refresh where their capture is gone or damaged."""
    damaged = [*_found_deep(mending, checks)]
    with mending.database.connection() as conn:
        lost = text_repair.without_capture(conn)
        newest = text_repair.to_be_fetched_whole(conn, [UUID(id_) for _check, id_ in damaged])
    for version, shown in lost:
        outcome = f"There is no copy of what this text was read from. {_FETCHED_AGAIN if shown else _GONE}"
        yield Repair("no-orphans", str(version), False, outcome, "refresh" if shown else None)
    for check, id_ in damaged:
        again = UUID(id_) in newest
        outcome = (
            f"What was fetched is damaged; the text read from it stays. {_FETCHED_AGAIN if again else _GONE}"
        )
        yield Repair(check, id_, False, outcome, "refresh" if again else None)


# -- Chunks ------------------------------------------------------------------------------------------------------------


def chunks(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Cut and embed documents again."""
    with mending.database.connection() as conn:
        damaged = repair.documents_of(conn, *_by_sql(checks))
    misplaced = [UUID(id_) for _check, id_ in _found_deep(mending, checks)]
    for id_ in dict.fromkeys((*damaged, *mending.to_cut, *misplaced)):
        mending.next("documents")
        try:
            rebuild(mending.indexer(), id_, mending.cancel)
        except (Cancelled, ResourceError):
            raise
        except ValidationError:
            yield Repair("blocks-inside", str(id_), False, NOT_UNDERSTOOD)
        except WebragError as error:
            yield Repair("chunks-verbatim", str(id_), False, f"{error.message} {error.hint}".strip())
        else:
            yield Repair("chunks-verbatim", str(id_), True, "Its text was divided and indexed again.")


def figures(mending: Mending, _checks: Checks) -> Iterator[Repair]:
    """Drop chunks of no space, and count what the library holds."""
    with mending.database.connection() as conn:
        stray = repair.drop_stray_chunks(conn)
        wrong = repair.count_again(conn)
    yield from _counted("spaces-accounted", stray, "Passages that belong to no space were deleted.")
    yield from _counted("figures-true", wrong, "The figures were counted again.")


def word_index(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Write the index of words again."""
    mending.next("words")
    with mending.database.connection() as conn:
        wrong = offenders_of(conn, *_by_sql(checks))
        different = {*wrong, *(id_ for _check, id_ in _found_deep(mending, checks))}
        if different:
            upkeep.write_postings_again(conn)
    check = "words-scored" if wrong else "word-index-true"
    yield from _counted(check, len(different), "The index of words was written again.")


def subresources(mending: Mending, checks: Checks) -> Iterator[Repair]:
    """Drop files of pages that are damaged, or that no page has; of each page the lost ones are noted as absent."""
    damaged = list(_found_deep(mending, checks))
    with mending.database.connection() as conn:
        unused, pages = repair.drop_unsound_subresources(
            conn, [bytes.fromhex(id_) for _check, id_ in damaged]
        )
    outcome = "It was damaged, and is noted as absent. Fetching its pages again brings it back."
    yield from ((Repair(check, id_, True, outcome)) for check, id_ in damaged)
    yield from _counted("subresources-complete", unused, "Files that no page has were deleted.")
    lost = [page for page in pages if not damaged]
    yield from _each(
        "subresources-complete",
        lost,
        "What its page lacks is noted; fetching it again brings it back.",
        "refresh",
    )


# In their order: each works with what those before it have mended.
MENDS: Final[dict[Mend, Callable[[Mending, Checks], Iterator[Repair]]]] = {
    "definition": definition,
    "spaces": spaces,
    "queue": queue,
    "addresses": addresses,
    "texts": texts,
    "projections": projections,
    "html": html,
    "lost_captures": lost_captures,
    "chunks": chunks,
    "figures": figures,
    "word_index": word_index,
    "subresources": subresources,
}
# The others must know how texts are divided.
WITHOUT_SPACE: Final[frozenset[Mend]] = frozenset(("definition", "queue", "addresses", "subresources"))
