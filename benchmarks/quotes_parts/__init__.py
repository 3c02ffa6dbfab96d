"""What the benchmark of quotes consists of."""
