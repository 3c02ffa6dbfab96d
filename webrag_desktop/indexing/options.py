"""What the user may say about chunking; apart from the chunking, whose parts take long to import."""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded, check_bounds
from webrag_desktop.errors import ConfigurationError

LEAST_TOKENS = 16  # fewer hold no thought


@dataclass(frozen=True)
class ChunkTargets:
    """Sizes of chunks in tokens of the embedding model."""

    child_tokens: int = bounded(256, least=LEAST_TOKENS)
    parent_tokens: int = bounded(1000, least=LEAST_TOKENS)

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by the names of their settings."""
        check_bounds(self, _refused)


def _refused(name: str, value: object, wanted: str) -> ConfigurationError:
    setting = f"CHUNK_{name.upper()}"
    return ConfigurationError(f"{setting} is {value}, but it must be {wanted}.", f"Change {setting}.")
