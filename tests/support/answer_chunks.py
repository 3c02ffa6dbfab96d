"""Passages for answers, made by hand; only what a test is about needs saying."""

from webrag_desktop.retrieval.contracts.answers import ChunkMetadata, ScoredChunk, content_hash_of


def scored_chunk(
    text: str, score: float = 0.5, *, chunk_id: str = "a", hashed: bool = True, **about: object
) -> ScoredChunk:
    """A passage that says ``text``."""
    known = {"content_hash": content_hash_of(text)} if hashed else {}
    metadata = ChunkMetadata.model_validate(known | about)
    return ScoredChunk(chunk_id=chunk_id, text=text, score=score, metadata=metadata)
