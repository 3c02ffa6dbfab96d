"""The embedded model's forms: which one a library lives with, and which one a new library gets."""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from webrag_desktop.embedding.catalog import EMBEDDED_MODEL, SHIPPED_FORM
from webrag_desktop.embedding.embedded import EmbeddedEmbedder
from webrag_desktop.embedding.encoders import Encoder, FusedEncoder, ShippedEncoder
from webrag_desktop.embedding.fused.model_store import kept_fused_model
from webrag_desktop.embedding.fused.unsupported import UnsupportedFormError
from webrag_desktop.embedding.model_file import installed_model_file, verified_model_file
from webrag_desktop.errors import ConfigurationError, EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel

# From the model's own documentation: the cosines of these sentences in full precision.
_SENTENCES: Final = (
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
)
_COSINES: Final = ((0, 1, 0.6660), (0, 2, 0.1046), (1, 2, 0.1411))
_TOLERANCE: Final = 0.02


def encoder_loader(model: EmbeddingModel, folder: Path | None) -> Callable[[], Encoder]:
    """What loads the encoder that ``model`` names; ``folder`` keeps what is made for it (None: nothing is kept).

    Raises:
        ConfigurationError: the model is none that this version brings.
    """
    if model.model == EMBEDDED_MODEL.model:
        return lambda: FusedEncoder(kept_fused_model(folder))
    if model.model == SHIPPED_FORM.model:
        return lambda: ShippedEncoder(verified_model_file(installed_model_file()))
    raise ConfigurationError(
        f"This library's vectors were made with {model.model}, and this version brings "
        f"{EMBEDDED_MODEL.model}. The two cannot be compared.",
        "Use the version of WebRAG Desktop that made the library, or embed its texts anew.",
    )


@cache
def preferred_form(folder: Path | None) -> EmbeddingModel:
    """The form a new library gets: the fused one, unless this computer cannot compute with it.

    A model that is missing or altered is no reason to choose another form; whoever loads it tells.
    """
    try:
        _require_known_cosines(EmbeddedEmbedder(EMBEDDED_MODEL, load=encoder_loader(EMBEDDED_MODEL, folder)))
    except UnsupportedFormError:
        return SHIPPED_FORM
    except EmbeddingError:
        return EMBEDDED_MODEL
    return EMBEDDED_MODEL


def _require_known_cosines(embedder: EmbeddedEmbedder) -> None:
    vectors = np.array(embedder.embed_texts(list(_SENTENCES)))
    for first, second, known in _COSINES:
        if not math.isclose(float(vectors[first] @ vectors[second]), known, abs_tol=_TOLERANCE):
            raise UnsupportedFormError(
                "The fast form of the embedded model computes wrong vectors on this computer.",
                "Report this with the name of the processor.",
            )
