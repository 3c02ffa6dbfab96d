"""Evidence for whoever writes an answer: from the library, or from a text that the user selected."""
