"""Citations: exact spans of stored text, finding quotes again, and what changed between two texts."""
