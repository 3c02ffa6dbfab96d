"""What the user cites, and opening what is cited."""
