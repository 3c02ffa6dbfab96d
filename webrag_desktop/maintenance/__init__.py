"""Checks and repairs, backups, moves to another embedding space, and housekeeping of tables."""
