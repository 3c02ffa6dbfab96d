"""Dialogs about documents: labels, who wrote them, what removing loses, what changed."""
