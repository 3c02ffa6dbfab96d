"""Text itself, pure: markdown's grammar, plain text, sentences, graphemes, look-alikes. Nothing here opens a file."""
