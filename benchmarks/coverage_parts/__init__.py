"""What ``benchmarks.coverage`` is made of."""
