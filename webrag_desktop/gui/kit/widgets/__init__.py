"""Small controls that the panes are made of. They know nothing of documents."""
