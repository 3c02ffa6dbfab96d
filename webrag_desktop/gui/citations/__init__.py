"""The citations: what was cited, in order, with whether each quote still stands."""
