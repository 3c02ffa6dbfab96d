"""What every pane is made of: theme, small controls, rows. Nothing here knows of documents."""
