"""Asking questions, and looking at what was answered."""
