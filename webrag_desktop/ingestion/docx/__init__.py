"""Word documents: made plain for the converter, then read like a page that is content throughout."""
