"""Backups of the whole library, and how they are put back."""
