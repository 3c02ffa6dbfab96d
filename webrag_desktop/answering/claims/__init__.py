"""A model's claims: reading them while they are written, and wording them as they are shown."""
