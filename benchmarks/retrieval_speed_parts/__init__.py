"""What benchmarks.retrieval_speed is made of."""
