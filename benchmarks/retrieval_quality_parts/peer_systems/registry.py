"""The systems by name."""

from collections.abc import Callable, Mapping

from benchmarks.retrieval_quality_parts.peer_systems import families, flat
from benchmarks.retrieval_quality_parts.peer_systems.jobs import Embed, Found, Job

SYSTEMS: Mapping[str, Callable[[Job, Embed], list[Found]]] = {
    "bm25s-200": flat.words(flat.recursive(200)),
    "bm25s-400": flat.words(flat.recursive(400)),
    "bm25s-whole": flat.words(flat.uncut),
    "dense-200": flat.dense(flat.recursive(200)),
    "dense-whole": flat.dense(flat.uncut),
    "convex-200": flat.convex(flat.recursive(200)),
    "convex-whole": flat.convex(flat.uncut),
    "parent-documents": families.parent_documents,
    "auto-merging": families.auto_merging,
}
