"""The citations, in order, and whether each quote is still in its document."""
