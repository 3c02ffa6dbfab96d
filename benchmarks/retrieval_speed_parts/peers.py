"""hnswlib on the same vectors, where it is installed."""

from importlib import import_module
from importlib.util import find_spec

from benchmarks.measuring import timed
from benchmarks.retrieval_speed_parts.vectors import DIMENSIONS, Vectors
from webrag_desktop.storage.spaces.space_tables import EF_CONSTRUCTION


class Hnswlib:
    """An index with the parameters of ours, asked as widely."""

    def __init__(self, vectors: Vectors, ef: int) -> None:
        self._index = import_module("hnswlib").Index(space="cosine", dim=DIMENSIONS)
        self._index.init_index(max_elements=len(vectors), ef_construction=EF_CONSTRUCTION, M=16)
        self._index.add_items(vectors)
        self._index.set_ef(ef)
        self._index.set_num_threads(1)

    def milliseconds(self, question: Vectors, count: int) -> float:
        """Of one question."""
        return timed(lambda: self._index.knn_query(question, k=count)) * 1000


def hnswlib(vectors: Vectors, ef: int) -> Hnswlib | None:
    """The index, or None where the library is not installed."""
    return Hnswlib(vectors, ef) if find_spec("hnswlib") else None
