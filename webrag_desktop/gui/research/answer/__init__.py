"""The answer above the passages: its text, its citations, and the questions that were asked before."""
