"""What adding asks of the core."""
