"""The parts of the benchmark of the embedded model, and what was measured once to build it."""
