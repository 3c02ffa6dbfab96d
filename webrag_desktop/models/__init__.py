"""Frozen data that crosses stages; nothing here asks or stores."""
