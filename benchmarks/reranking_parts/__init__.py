"""Parts of ``benchmarks.reranking``: what is judged, and by which ways."""
