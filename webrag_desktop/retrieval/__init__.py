"""Finds the best evidence for a question: by meaning, by words, and in small libraries by reading everything."""
