"""What ``benchmarks.answers`` asks and counts."""
