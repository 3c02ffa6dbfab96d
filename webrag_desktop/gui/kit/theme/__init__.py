"""How the window looks: colours, type, icons, painting."""
