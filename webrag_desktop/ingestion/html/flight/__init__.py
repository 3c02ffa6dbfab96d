"""The text of pages that React makes in the browser from data in their scripts."""
