"""The command line: one small module per family of commands, none of which holds logic of its own."""
