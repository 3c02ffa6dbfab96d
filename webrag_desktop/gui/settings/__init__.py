"""The settings as the window shows them: forms generated from what is declared, and the window's own."""
