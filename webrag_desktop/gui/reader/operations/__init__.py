"""Opening stored texts, and making of them what the reader shows."""
