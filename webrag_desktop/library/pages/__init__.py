"""What is kept of pages beside their texts."""
