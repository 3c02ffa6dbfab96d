"""The settings of chunking; in a module of their own, since chunking takes long to import."""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded, check_settings

LEAST_TOKENS = 16  # fewer hold no thought


@dataclass(frozen=True)
class ChunkTargets:
    """Sizes of chunks in tokens of the embedding model.

    The usual sizes are no wishes and give way (see :meth:`fitted`), unless ``written_out`` names them.
    """

    child_tokens: int = bounded(256, least=LEAST_TOKENS)
    parent_tokens: int = bounded(1000, least=LEAST_TOKENS)
    written_out: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by the names of their settings."""
        check_settings(self, "CHUNK")

    def fitted(self, window: int) -> tuple[int, int]:
        """The sizes of children and parents for a model that takes ``window`` tokens of a text.

        What was set stays as it is, also where it does not fit.
        """
        child, parent = self.child_tokens, self.parent_tokens
        if self._usual("child_tokens"):
            child = min(child, window) if self._usual("parent_tokens") else min(child, window, parent)
        if self._usual("parent_tokens"):
            parent = max(parent, child)
        return child, parent

    def _usual(self, name: str) -> bool:
        return name not in self.written_out and getattr(self, name) == getattr(type(self), name)
