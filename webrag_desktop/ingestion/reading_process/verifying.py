"""What the reading process says is checked before it is believed: hostile bytes may have taken it over."""

import hashlib
from collections.abc import Sequence

from webrag_desktop.errors import IngestionError
from webrag_desktop.ingestion.html.metadata import may_be_canonical
from webrag_desktop.ingestion.reading_process.protocol import Answer
from webrag_desktop.ingestion.text_decoding import storable
from webrag_desktop.models.documents import AddressKind, Block, Capture, NormalizedDocument

Addresses = tuple[tuple[str, AddressKind], ...]


def verified(capture: Capture, answer: Answer) -> tuple[NormalizedDocument, Addresses]:
    """Document and addresses of an answer that can be true of ``capture``.

    Raises:
        IngestionError: it cannot: another page's facts, offsets beside the text, addresses nobody gave.
    """
    document = answer.document
    if document is None or not (
        _is_about(document, capture)
        and _is_sound(document)
        and all(_may_lead_here(url, kind, capture) for url, kind in answer.addresses)
    ):
        raise IngestionError("The program could not read this; the fault is its own", "Report it.")
    return document, answer.addresses


def _is_about(document: NormalizedDocument, capture: Capture) -> bool:
    return (document.url, document.source_url, document.fetched_at, document.status_code) == (
        capture.url,
        capture.final_url.partition("#")[0],
        capture.fetched_at,
        capture.status_code,
    )


def _is_sound(document: NormalizedDocument) -> bool:
    text = document.markdown
    return (
        hashlib.sha256(text.encode()).hexdigest() == document.content_hash
        and storable(text) == text
        and _are_in_order(document.blocks, len(text))
    )


def _are_in_order(blocks: Sequence[Block], length: int) -> bool:
    position = 0
    for block in blocks:
        if not position <= block.char_start < block.char_end:
            return False
        position = block.char_end
    return position <= length


def _may_lead_here(url: str, kind: AddressKind, capture: Capture) -> bool:
    if kind == "given":
        return url == capture.url
    if kind == "redirect":
        return url in {*capture.redirects, capture.final_url}
    return may_be_canonical(url, capture.final_url)
