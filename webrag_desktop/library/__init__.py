"""What a user can do with a library, and the one composition root, which hands out finished parts."""
