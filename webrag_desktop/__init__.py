"""WebRAG Desktop: an offline personal research memory with citations exact to the character."""

__version__ = "0.1.0"
