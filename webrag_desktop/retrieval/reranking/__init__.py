"""Reranks the passages of a search, by a chat model or by a cross-encoder, and falls back to the fused order.

Start at :func:`webrag_desktop.retrieval.reranking.ordering.reranked`; the contracts are in
:mod:`webrag_desktop.retrieval.contracts.judgements`.
"""
