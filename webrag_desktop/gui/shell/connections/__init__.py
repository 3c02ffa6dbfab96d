"""Connects views with operations: what the user wants goes one way, data comes back."""
