"""Qt item models over plain data, filled from outside."""
