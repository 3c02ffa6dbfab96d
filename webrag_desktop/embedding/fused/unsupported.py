"""The error that sends a new library to another form of the model."""

from webrag_desktop.errors import EmbeddingError


class UnsupportedFormError(EmbeddingError):
    """This computer cannot compute with a form of the model that other computers can."""
