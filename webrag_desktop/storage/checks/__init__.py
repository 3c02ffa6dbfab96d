"""What must be true of a stored library, and how it is mended where it is not."""
