"""What the inspector says about a document, line by line: times, labels, and who wrote it."""

from collections.abc import Iterator
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.library import DocumentDetails
from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.quantities import language_word, stated_date
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.models.metadata import FACT_NAMES, DocumentMetadata, FactName
from webrag_desktop.text.links import is_web


def fact_list(document: DocumentRow, details: DocumentDetails | None) -> list[tuple[str, str]]:
    """The lines about a document: names and values, of which empty ones are not shown."""
    facts = [(_tr("Added"), quantities.long_time(document.added_at))]
    if details is not None:
        received = quantities.file_size(details.received_bytes) if details.received_bytes else ""
        kept = quantities.file_size(details.kept_bytes) if details.kept_bytes else ""
        language = details.metadata.language
        facts += [
            (_tr("Fetched"), _time(details.fetched_at)),
            (_tr("Checked"), _time(details.checked_at)),
            (_tr("Size"), _tr("{0} as received").format(received) if received else ""),
            (_tr("On disk"), _tr("{0} with text and index").format(kept) if kept else ""),
            (_tr("Tags"), ", ".join(details.tags)),
            (_tr("Collections"), ", ".join(details.collections)),
            (_tr("Language"), language_word(language) if language else ""),
            *_bibliography(details.metadata),
        ]
    if is_web(document.address):
        return [*facts, (_tr("Address"), document.address)]
    return [*facts, (_tr("File"), words.file_path(document))]


def fact_word(name: FactName) -> str:
    """What a fact of a document is called."""
    names: dict[FactName, str] = {
        "authors": _tr("Authors"),
        "publisher": _tr("Publisher"),
        "published_time": _tr("Published"),
        "modified_time": _tr("Changed"),
        "journal": _tr("Journal"),
        "volume": _tr("Volume"),
        "issue": _tr("Issue"),
        "pages": _tr("Pages"),
        "doi": "DOI",
        "isbn": "ISBN",
        "arxiv_id": "arXiv",
        "licence": _tr("Licence"),
    }
    return names[name]


def _bibliography(stated: DocumentMetadata) -> Iterator[tuple[str, str]]:
    for name in FACT_NAMES:
        value = fact_value(stated, name)
        if value and stated.fact_sources.get(name) == "user":
            value = _tr("{0} (set by you)").format(value)
        yield fact_word(name), value


def fact_value(stated: DocumentMetadata, name: FactName) -> str:
    """A fact as it is shown; empty where there is none."""
    if name == "authors":
        return "; ".join(stated.authors)
    if name == "published_time":
        return stated_date(stated.published_time, guessed=stated.published_guessed)
    if name == "modified_time":
        return stated_date(stated.modified_time, guessed=stated.modified_guessed)
    return str(getattr(stated, name) or "")


def _time(moment: datetime | None) -> str:
    return quantities.long_time(moment) if moment is not None else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inspector", text)
