"""What a search reads."""
