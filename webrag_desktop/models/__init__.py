"""Frozen data that several packages share; nothing here queries or stores."""
