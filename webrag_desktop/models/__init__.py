"""Frozen data that crosses stages; nothing here asks, stores or computes."""
