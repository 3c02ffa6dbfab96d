"""What asking wants of the core."""
