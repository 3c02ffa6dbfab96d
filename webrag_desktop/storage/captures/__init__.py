"""Raw captures, in the database and in files beside it."""
