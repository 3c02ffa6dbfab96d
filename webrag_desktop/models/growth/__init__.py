"""How a library grows along links."""
