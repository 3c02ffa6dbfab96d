"""Every timing of the project. Machines are noisy: read ratios, medians of several runs in one process."""
