"""Text to vectors and text to tokens: the embedded model, OpenAI-compatible servers, offline tokenizers.

Start at :mod:`webrag_desktop.embedding.factory`; the contracts are in :mod:`webrag_desktop.embedding.base`.
"""
