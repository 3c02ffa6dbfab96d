"""The parts of :mod:`benchmarks.retrieval_quality`."""
