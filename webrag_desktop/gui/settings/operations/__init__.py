"""What asks the library and its folder about settings."""
