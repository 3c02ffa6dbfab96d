"""Units that a text is cut into and shown by: those of code, of lists, and of evidence."""
