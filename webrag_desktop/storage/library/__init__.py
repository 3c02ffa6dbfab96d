"""What the user gave and cites, and the library's lists and numbers."""
