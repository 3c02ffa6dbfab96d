"""What the extraction benchmarks are made of: gold sets, scores, peers, costs, and Debian's documentation pages."""
