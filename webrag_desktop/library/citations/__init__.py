"""The user's citations, and the places that cite ids name."""
